import { WebSocket } from 'undici';
import { HttpFailure } from '../adapter/http.ts';
import type { VendorSocket } from '../adapter/stream.ts';
import type { OutboundAgent } from './agent.ts';

export interface SocketRequest {
  /** Absolute; http becomes ws, and https wss. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the connection, at whatever point it is. */
  readonly signal: AbortSignal;
  readonly agent: OutboundAgent;
}

/** A vendor that sends faster than is read is cut off. */
const MOST_WAITING = 10_000;
const MOST_WAITING_CHARACTERS = 8 * 1024 * 1024;

/** Opens a WebSocket; throws an `HttpFailure` when the vendor does not agree. Frames of bytes are taken for UTF-8 text. */
export async function openSocket({ url, headers, signal, agent }: SocketRequest): Promise<VendorSocket> {
  const fault = agent.guard?.faultIn(url) ?? null;
  if (fault !== null) throw new HttpFailure('refused', `the address ${fault}`);
  if (signal.aborted) throw new HttpFailure('timeout', 'the connection was given up');
  const address = new URL(url);
  address.protocol = url.protocol === 'http:' ? 'ws:' : 'wss:';
  const socket = new WebSocket(address, { headers: { ...headers }, dispatcher: agent.dispatcher });
  socket.binaryType = 'arraybuffer';
  const frames = new FrameQueue(() => socket.close());
  const give = () => frames.end(undefined);
  signal.addEventListener('abort', give, { once: true });
  socket.addEventListener('message', ({ data }) => {
    frames.push(typeof data === 'string' ? data : Buffer.from(data as ArrayBuffer).toString());
  });
  const opened = Promise.withResolvers<void>();
  signal.addEventListener(
    'abort',
    () => opened.reject(new HttpFailure('timeout', 'it did not answer in time')),
    {
      once: true,
    },
  );
  socket.addEventListener('open', () => opened.resolve());
  socket.addEventListener('error', () => {
    // What it says of itself may hold the address with its token.
    const broken = new HttpFailure('unreachable', 'the connection broke');
    opened.reject(broken);
    frames.end(broken);
  });
  socket.addEventListener('close', ({ wasClean }) => {
    signal.removeEventListener('abort', give);
    const broken = new HttpFailure('unreachable', 'the connection ended');
    opened.reject(broken);
    frames.end(wasClean ? undefined : broken);
  });
  await opened.promise;
  return {
    send: (text) => socket.send(text),
    close: () => frames.end(undefined),
    frames,
  };
}

/** Frames in the order in which they came, for one reader. */
class FrameQueue implements AsyncIterable<string> {
  readonly #waiting: string[] = [];
  #characters = 0;
  readonly #close: () => void;
  #wake: (() => void) | undefined;
  #ended: { readonly error: Error | undefined } | undefined;

  constructor(close: () => void) {
    this.#close = close;
  }

  push(frame: string): void {
    if (this.#ended !== undefined) return;
    if (this.#waiting.length >= MOST_WAITING || this.#characters + frame.length > MOST_WAITING_CHARACTERS) {
      this.end(new HttpFailure('answer_invalid', 'it sends more than can be read'));
      return;
    }
    this.#waiting.push(frame);
    this.#characters += frame.length;
    this.#wake?.();
  }

  end(error: Error | undefined): void {
    if (this.#ended !== undefined) return;
    this.#ended = { error };
    this.#close();
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<string> {
    try {
      for (;;) {
        const frame = this.#waiting.shift();
        if (frame !== undefined) {
          this.#characters -= frame.length;
          yield frame;
          continue;
        }
        if (this.#ended !== undefined) {
          if (this.#ended.error !== undefined) throw this.#ended.error;
          return;
        }
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      this.end(undefined);
    }
  }
}
