import { type Clock, sleep } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { StationOptions } from './options.ts';
import { Bucket } from './rate.ts';
import { callError, type Rpc } from './rpc.ts';

/** Answers one action of the station; its parameters have been validated against the protocol's schema. */
export type Answer = (params: unknown) => object | Promise<object>;

/** The actions that a station may call. The schema is what makes `P` true. */
export function answer<P>(give: (params: P) => object | Promise<object>): Answer {
  return (params) => give(params as P);
}

interface Inbox {
  readonly answers: Readonly<Record<string, Answer>>;
  readonly clock: Clock;
  readonly log: Log;
  readonly options: StationOptions;
  /** Ends the connection: the station floods us, or does not speak the protocol. */
  readonly expel: (reason: string) => void;
}

/**
 * Serves a station's calls in the order in which they came, at no more than its pace: a station that empties what it kept
 * while offline is slowed down, one that does not wait for answers is expelled.
 */
export function receive(rpc: Rpc, { answers, clock, log, options, expel }: Inbox): void {
  const { promise: gone, resolve: leave } = Promise.withResolvers<void>();
  let expelled = false;
  const out = (reason: string): void => {
    if (expelled) return;
    expelled = true;
    leave();
    expel(reason);
  };
  const bucket = new Bucket(clock, {
    perSecond: options.messagesPerSecond,
    burst: options.messagesBurst,
    behind: options.messagesBehind,
  });
  let wait = 0;
  let bad = 0;
  let last: Promise<unknown> = Promise.resolve();

  rpc.on('message', ({ outbound }: { outbound: boolean }) => {
    if (outbound) return;
    const delay = bucket.take();
    if (delay === null) out('too many messages');
    else wait = delay;
  });
  rpc.on('badMessage', () => {
    bad += 1;
    if (bad > options.badMessages) out('too many malformed messages');
  });
  rpc.on('call', ({ outbound }: { outbound: boolean }) => {
    if (!outbound) bad = 0;
  });

  for (const [action, give] of Object.entries(answers)) {
    rpc.handle(action, ({ params }) => {
      const delay = wait;
      const reply = last.then(async () => {
        if (delay > 0) await Promise.race([sleep(clock, delay), gone]);
        if (expelled) throw callError('GenericError', 'too many messages');
        try {
          return await give(params);
        } catch (error) {
          if (error instanceof Error && 'rpcErrorCode' in error) throw error;
          log.error({ err: error, action }, 'a message of a station could not be stored');
          // The station keeps the message and sends it again; a false acceptance would lose it.
          throw callError('InternalError', 'could not be stored, send it again');
        }
      });
      last = reply.catch(() => undefined);
      return reply;
    });
  }
}
