import { WebSocket } from 'undici';
import { HttpFailure } from '../adapter/http.ts';
import type { VendorSocket } from '../adapter/stream.ts';
import type { OutboundAgent } from './agent.ts';
import { Inbox } from './inbox.ts';

export interface SocketRequest {
  /** Absolute; http becomes ws, and https wss. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the connection, at whatever point it is. */
  readonly signal: AbortSignal;
  readonly agent: OutboundAgent;
}

/** Opens a WebSocket; throws an `HttpFailure` when the vendor does not agree. Frames of bytes are read as UTF-8 text. */
export async function openSocket({ url, headers, signal, agent }: SocketRequest): Promise<VendorSocket> {
  const fault = agent.guard?.faultIn(url) ?? null;
  if (fault !== null) throw new HttpFailure('refused', `the address ${fault}`);
  if (signal.aborted) throw new HttpFailure('timeout', 'the connection was given up');
  const address = new URL(url);
  address.protocol = url.protocol === 'http:' ? 'ws:' : 'wss:';
  const socket = new WebSocket(address, { headers: { ...headers }, dispatcher: agent.dispatcher });
  socket.binaryType = 'arraybuffer';
  const frames = new Inbox<string>(({ length }) => length);
  void frames.ended.then(() => socket.close());
  const give = () => frames.end();
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
    close: () => frames.end(),
    frames,
  };
}
