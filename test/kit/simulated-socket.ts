import type { SocketRequest, VendorSocket } from '../../src/adapter/http.ts';
import { HttpFailure } from '../../src/adapter/http.ts';
import type {
  SimulatedAnswer,
  SimulatedRequest,
  SimulatedSocket,
  VendorSimulator,
} from '../../src/adapter/simulator.ts';
import { asLink, newTrace } from '../../src/domain/vendor-calls/calls/vendor-http.ts';

/** One direction of a connection in memory: queued messages, in order, until it ends or breaks. */
export class Line<T> implements AsyncIterable<T> {
  readonly #come: T[] = [];
  #ended: { readonly error: Error | undefined } | undefined;
  #wake = () => {};
  #isMute = false;
  readonly #closed: () => void;

  constructor(closed: () => void) {
    this.#closed = closed;
  }

  get isEnded(): boolean {
    return this.#ended !== undefined;
  }

  push(one: T): void {
    if (this.#ended !== undefined || this.#isMute) return;
    this.#come.push(one);
    this.#wake();
  }

  mute(): void {
    this.#isMute = true;
  }

  end(error?: Error): void {
    if (this.#ended !== undefined) return;
    this.#ended = { error };
    this.#closed();
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    try {
      for (;;) {
        const one = this.#come.shift();
        if (one !== undefined) yield one;
        else if (this.#ended === undefined)
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        else if (this.#ended.error === undefined) return;
        else throw this.#ended.error;
      }
    } finally {
      this.end();
    }
  }
}

/** Both ends of a WebSocket in memory, and the messages from the vendor; `received` is what the client gets of each. */
export function socketPair(
  received = (text: string): string => text,
): [VendorSocket, SimulatedSocket, Line<string>] {
  let takeFrame = (_text: string) => {};
  let takeClose = () => {};
  let isClosed = false;
  const frames = new Line<string>(() => {
    isClosed = true;
    takeClose();
  });
  const close = () => frames.end();
  const client: VendorSocket = {
    send: (text) => {
      if (!isClosed) takeFrame(text);
    },
    close,
    frames,
  };
  const server: SimulatedSocket = {
    send: (text) => frames.push(received(text)),
    close,
    onFrame: (take) => {
      takeFrame = take;
    },
    onClose: (take) => {
      takeClose = take;
    },
  };
  return [client, server, frames];
}

interface SimulatedSockets extends Omit<Parameters<typeof asLink>[0], 'trace'> {
  readonly vendor: VendorSimulator;
  readonly asked: string[];
  /** The fault that is set, as a response to the handshake. */
  readonly broken: (request: SocketRequest) => SimulatedAnswer | undefined;
  /** Throws the error that the platform's client makes of a failed response. */
  readonly refused: (answer: SimulatedAnswer, signal: AbortSignal) => Promise<unknown>;
}

export type SimulatedConnect = (
  request: SocketRequest,
  signal: AbortSignal,
  received?: (frame: string) => string,
) => Promise<{ readonly socket: VendorSocket; readonly line: Line<string> }>;

/** Opens WebSockets to the simulator in memory, as the platform does: budgets, token, handshake. */
export function simulatedSockets({
  vendor,
  asked,
  broken,
  refused,
  ...of
}: SimulatedSockets): SimulatedConnect {
  return (request, signal, received) =>
    asLink({ ...of, trace: newTrace() }, request, async (rest) => {
      asked.push(`WS ${rest.path}`);
      const { protocol, path, query = {}, headers } = rest;
      const handshake: SimulatedRequest = {
        method: 'GET',
        path,
        query: new URLSearchParams(query as Record<string, string>),
        headers: { ...headers, ...(protocol === undefined ? {} : { 'sec-websocket-protocol': protocol }) },
        body: new Uint8Array(),
      };
      const refusal = broken(request) ?? vendor.refusal?.(handshake);
      if (refusal !== undefined) {
        await refused(refusal, signal);
        throw new HttpFailure('answer_invalid', 'it did not open a WebSocket');
      }
      const [socket, server, line] = socketPair(received);
      signal.addEventListener('abort', () => line.end());
      vendor.upgrade?.(handshake, server);
      return { socket, line };
    });
}
