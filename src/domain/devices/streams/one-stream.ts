import type { Adapter } from '../../../adapter/adapter.ts';
import type { Connections, MessagesWatch } from '../../../adapter/connections.ts';
import { vendorFailure } from '../../../adapter/failures.ts';
import type { VendorSocket } from '../../../adapter/http.ts';
import type { DeviceRef } from '../../../adapter/session.ts';
import type { Stream, StreamSession } from '../../../adapter/stream.ts';
import type { Clock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';

/** A stream that has not reported that it is subscribed by then is begun again. */
const OPENING_MS = 30_000;

interface RunOptions {
  readonly adapter: Pick<Adapter, 'slug' | 'name'> & { readonly stream: Stream };
  /** Opens the session of the stream; `signal` ends it. */
  readonly session: (signal: AbortSignal) => StreamSession;
  readonly devices: readonly DeviceRef[];
  readonly clock: Clock;
  /** Ends the stream from outside. */
  readonly signal: AbortSignal;
  readonly opened: () => void;
  /** The vendor names the time after which it may be connected to again, ms. */
  readonly retry?: (ms: number) => void;
}

/** Runs a stream until it ends, breaks, falls silent or is told to end; what is left of its work is abandoned. */
export async function runStream(options: RunOptions): Promise<void> {
  const { adapter, clock, devices } = options;
  const { name, stream } = adapter;
  const abort = new AbortController();
  const ended = Promise.withResolvers<void>();
  const giveUp = (error?: AppError): void => {
    if (error === undefined) ended.resolve();
    else ended.reject(error);
    abort.abort();
  };
  const stop = () => giveUp();
  if (options.signal.aborted) return;
  options.signal.addEventListener('abort', stop, { once: true });
  let isOpen = false;
  let cancelSilence = clock.after(OPENING_MS, () => giveUp(late(`${name} did not open its stream in time`)));
  const heard = (): void => {
    if (!isOpen) return;
    cancelSilence();
    const { silenceSeconds } = stream;
    if (silenceSeconds === undefined) return;
    cancelSilence = clock.after(silenceSeconds * 1000, () =>
      giveUp(late(`${name} was silent for ${silenceSeconds} s on its stream`)),
    );
  };
  try {
    const session = options.session(abort.signal);
    const listening: StreamSession = {
      ...session,
      connections: heardConnections(session.connections, heard),
      connect: async (request) => heardOf(await session.connect(request), heard),
      events: (request, watch) =>
        session.events(request, {
          ...watch,
          heard() {
            heard();
            watch?.heard?.();
          },
          retry(ms) {
            options.retry?.(ms);
            watch?.retry?.(ms);
          },
        }),
    };
    const run = stream.run(listening, devices, () => {
      if (isOpen || abort.signal.aborted) return;
      isOpen = true;
      heard();
      options.opened();
    });
    await Promise.race([run, ended.promise]);
  } catch (cause) {
    throw vendorFailure(name, cause);
  } finally {
    cancelSilence();
    options.signal.removeEventListener('abort', stop);
    ended.promise.catch(() => {});
    abort.abort();
  }
}

/** Whatever comes over a connection while the stream uses it is a sign of its life. */
function heardConnections(connections: Connections, heard: () => void): Connections {
  const watched = (watch: MessagesWatch = {}): MessagesWatch => ({
    ...watch,
    heard() {
      heard();
      watch.heard?.();
    },
  });
  return {
    tcp(target) {
      const connection = connections.tcp(target);
      return {
        async exchange(exchange) {
          const response = await connection.exchange(exchange);
          heard();
          return response;
        },
      };
    },
    mqtt(broker) {
      const connection = connections.mqtt(broker);
      return { ...connection, messages: (topics, watch) => connection.messages(topics, watched(watch)) };
    },
    amqp(broker) {
      const connection = connections.amqp(broker);
      return { messages: (address, watch) => connection.messages(address, watched(watch)) };
    },
    opcua(server) {
      const connection = connections.opcua(server);
      return {
        ...connection,
        changes: (subscription, watch) => connection.changes(subscription, watched(watch)),
      };
    },
  };
}

function heardOf(socket: VendorSocket, heard: () => void): VendorSocket {
  return {
    send: (text) => socket.send(text),
    close: () => socket.close(),
    frames: {
      async *[Symbol.asyncIterator]() {
        for await (const frame of socket.frames) {
          heard();
          yield frame;
        }
      },
    },
  };
}

const late = (sentence: string) => new AppError('vendor.timeout', sentence);
