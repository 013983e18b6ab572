import { type Clock, sleep } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import type { Log } from '../../../core/log.ts';
import { Bucket } from '../../../core/rate.ts';
import type { StationOptions } from '../options.ts';
import { callError, callFailure, type Rpc } from './rpc.ts';
import type { Schemas, Tolerance } from './schemas.ts';

interface CallOptions {
  readonly timeoutMs: number;
  /** How long a call may wait in the queue; the protocol allows one open call at a time. */
  readonly queueMs: number;
}

interface CallsParts {
  readonly clock: Clock;
  readonly schemas: Schemas;
  readonly tolerance: Tolerance;
}

/** The queue of our calls to one station. */
export class Calls {
  readonly #rpc: Rpc;
  readonly #clock: Clock;
  readonly #schemas: Schemas;
  readonly #tolerance: Tolerance;
  #last: Promise<unknown> = Promise.resolve();

  constructor(rpc: Rpc, { clock, schemas, tolerance }: CallsParts) {
    this.#rpc = rpc;
    this.#clock = clock;
    this.#schemas = schemas;
    this.#tolerance = tolerance;
  }

  /** Returns `R` because the response was repaired by the protocol's schema. */
  call<R>(action: string, params: object, { timeoutMs, queueMs }: CallOptions): Promise<R> {
    const asked = this.#clock.now();
    const answer = this.#last.then(async () => {
      // A command that waited too long is not sent: its caller has given up, so its effect would be unexpected.
      if (this.#clock.now() - asked > queueMs) {
        throw new AppError('vendor.timeout', `the station was busy with other calls; ${action} was not sent`);
      }
      this.#schemas.checkCall(action, params);
      let result: unknown;
      try {
        result = await this.#rpc.call(action, params, { callTimeoutMs: timeoutMs });
      } catch (error) {
        throw callFailure(action, error);
      }
      const repaired = this.#schemas.answerOf(action, result);
      this.#tolerance.note(action, repaired);
      if (repaired.refusal === null) return repaired.value as R;
      throw new AppError(
        'vendor.answer_invalid',
        `the station's response to ${action} does not match the protocol: ${repaired.refusal.words}`,
      );
    });
    this.#last = answer.catch(() => undefined);
    return answer;
  }
}

/** Handles one action of the station; the protocol's schema has repaired its parameters, `sent` are those that it sent. */
export type Answer = (params: unknown, sent: unknown) => object | Promise<object>;

/** Types the handler of an action; the schema guarantees `P`. */
export function answer<P>(give: (params: P, sent: unknown) => object | Promise<object>): Answer {
  return (params, sent) => give(params as P, sent);
}

interface Inbox {
  readonly answers: Readonly<Record<string, Answer>>;
  readonly clock: Clock;
  readonly log: Log;
  readonly options: StationOptions;
  readonly schemas: Schemas;
  readonly tolerance: Tolerance;
  /** Closes the connection: the station floods us, or does not speak the protocol. */
  readonly expel: (reason: string) => void;
}

/**
 * Serves a station's calls in the order of arrival and at a limited rate: a station that sends what it buffered while offline
 * is slowed down, one that does not wait for responses is disconnected.
 */
export function receive(rpc: Rpc, inbox: Inbox): void {
  const { answers, clock, log, options, schemas, tolerance, expel } = inbox;
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

  const count = (): void => {
    const delay = bucket.take();
    if (delay === null) out('too many messages');
    else wait = delay;
  };
  // Its responses to our calls do not count: their number is up to us.
  rpc.on('call', ({ outbound }: { outbound: boolean }) => {
    if (outbound) return;
    bad = 0;
    count();
  });
  // A response that matches no call is malformed.
  rpc.on('badMessage', () => {
    bad += 1;
    if (bad > options.badMessages) out('too many malformed messages');
    else count();
  });

  for (const [action, give] of Object.entries(answers)) {
    rpc.handle(action, ({ params }) => {
      const delay = wait;
      const heard = schemas.fromStation(action, params);
      tolerance.note(action, heard);
      const reply = last.then(async () => {
        if (delay > 0) await Promise.race([sleep(clock, delay), gone]);
        if (expelled) throw callError('GenericError', 'too many messages');
        const { value, refusal } = heard;
        if (refusal !== null) throw callError(refusal.code, refusal.words);
        try {
          const given = await give(value, params);
          schemas.checkAnswer(action, given);
          return given;
        } catch (error) {
          if (error instanceof Error && 'rpcErrorCode' in error) throw error;
          log.error({ err: error, action }, 'a message of a station could not be stored');
          // The station keeps the message and retries; a false acceptance would lose it.
          throw callError('InternalError', 'could not be stored, send it again');
        }
      });
      last = reply.catch(() => undefined);
      return reply;
    });
  }
}
