import { type Duplex, pipeline } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Json } from '../../core/json.ts';
import { readJson } from './json-stream.ts';
import { codeIn, type Destination, destinationIn, failure, MOST_STREAMS } from './protocol.ts';
import { type SessionOptions, TunnelSession } from './session.ts';
import type { TunnelStream } from './stream.ts';

/** What a gateway does for Connect. Of errors, Connect is told the `code`. */
export interface Services {
  /** Opens a connection to an address of the own network; refuses others with `ENOTPERMITTED`. */
  open(to: Destination, signal: AbortSignal): Promise<Duplex>;
  /** Answers questions, by their path; undefined for one that it does not know. */
  answer(path: string, question: Json, signal: AbortSignal): Promise<Json> | undefined;
}

/** Serves Connect over a WebSocket that the gateway has opened. */
export function serveTunnel(
  socket: WebSocket,
  { services, ...options }: SessionOptions & { readonly services: Services },
): { readonly streams: number; close(): void } {
  const session = new TunnelSession(socket, options, ({ type, stream, payload }) => {
    if (type !== 'open' || stream <= session.newest) return false;
    if (session.count >= MOST_STREAMS) return false;
    void serve(stream, payload.toString());
    return true;
  });

  async function serve(number: number, place: string): Promise<void> {
    const stream = session.add(number);
    const over = new AbortController();
    stream.once('close', () => over.abort(failure('ECANCELED', 'the stream was ended')));
    const opened = () => session.send('opened', { stream: number });
    try {
      if (place.startsWith('/')) await answer(stream, place, { opened, signal: over.signal });
      else await lead(stream, place, { opened, signal: over.signal });
    } catch (error) {
      stream.destroy(failure(codeIn(error), 'it was not opened'));
    }
  }

  interface Serving {
    readonly opened: () => void;
    readonly signal: AbortSignal;
  }

  async function lead(stream: TunnelStream, place: string, { opened, signal }: Serving): Promise<void> {
    const to = destinationIn(place);
    if (to === undefined) throw failure('EINVAL', 'it is no host and port');
    const target = await services.open(to, signal);
    if (stream.destroyed) return void target.destroy();
    opened();
    // The end of one direction is passed on; what breaks either ends both.
    pipeline(stream, target, () => {});
    pipeline(target, stream, () => {});
  }

  async function answer(stream: TunnelStream, path: string, { opened, signal }: Serving): Promise<void> {
    opened();
    const answering = services.answer(path, await readJson(stream), signal);
    if (answering === undefined) throw failure('ENOTSUP', 'the gateway has no such service');
    stream.end(JSON.stringify(await answering));
  }

  return {
    get streams() {
      return session.count;
    },
    close: () => session.close(),
  };
}
