import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Json } from '../../core/json.ts';
import { readJson } from './json-stream.ts';
import { authorityOf, type Destination, failure, MOST_STREAMS } from './protocol.ts';
import { gone, type SessionOptions, TunnelSession } from './session.ts';

/** A connected gateway, as Connect uses it. Failures are errors whose `code` says why; `EGATEWAY`: the gateway itself is gone. */
export interface Tunnel {
  readonly isAlive: boolean;
  /** How many streams are open. */
  readonly streams: number;
  /** Opens a stream to an address in the gateway's network; the signal means nothing once it has resolved. */
  dial(to: Destination, signal: AbortSignal): Promise<Duplex>;
  /** Asks a service of the gateway, by its path, and answers its response. */
  ask(path: string, question: Json, signal: AbortSignal): Promise<Json>;
  close(): void;
}

/** Speaks with a gateway that has dialled in. */
export function openTunnel(socket: WebSocket, options: SessionOptions): Tunnel {
  /** Streams that the gateway has not agreed to yet. */
  const opening = new Map<number, () => void>();
  const session = new TunnelSession(socket, options, ({ type, stream }) => {
    const opened = type === 'opened' ? opening.get(stream) : undefined;
    opened?.();
    return opened !== undefined;
  });

  function open(place: string, signal: AbortSignal): Promise<Duplex> {
    if (signal.aborted) throw signal.reason;
    if (!session.isAlive) throw gone();
    if (session.count >= MOST_STREAMS) throw failure('EBUSY', 'the gateway has too many open streams');
    const number = session.newest + 1;
    const stream = session.add(number);
    session.send('open', { stream: number, payload: Buffer.from(place) });
    const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
    const settle = () => {
      opening.delete(number);
      signal.removeEventListener('abort', giveUp);
      stream.off('close', lost);
    };
    const giveUp = () => {
      settle();
      stream.destroy();
      reject(signal.reason);
    };
    const lost = () => {
      settle();
      reject(stream.errored ?? gone());
    };
    opening.set(number, () => {
      settle();
      resolve(stream);
    });
    stream.once('close', lost);
    signal.addEventListener('abort', giveUp, { once: true });
    return promise;
  }

  return {
    get isAlive() {
      return session.isAlive;
    },
    get streams() {
      return session.count;
    },
    dial: async (to, signal) => open(authorityOf(to), signal),
    async ask(path, question, signal) {
      const stream = await open(path, signal);
      const giveUp = () => stream.destroy(signal.reason);
      signal.addEventListener('abort', giveUp, { once: true });
      try {
        stream.end(JSON.stringify(question));
        return await readJson(stream);
      } finally {
        signal.removeEventListener('abort', giveUp);
        stream.destroy();
      }
    },
    close: () => session.close(),
  };
}
