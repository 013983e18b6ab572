import type { Clock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import { callFailure, type Rpc } from './rpc.ts';

interface CallOptions {
  readonly timeoutMs: number;
  /** How long to wait while other calls are open; one is open at a time, as the protocol demands. */
  readonly turnMs: number;
}

/** Our calls to one station, one after another. */
export class Calls {
  readonly #rpc: Rpc;
  readonly #clock: Clock;
  #last: Promise<unknown> = Promise.resolve();

  constructor(rpc: Rpc, clock: Clock) {
    this.#rpc = rpc;
    this.#clock = clock;
  }

  /** The answer has been validated against the protocol's schema, which is what makes `R` true. */
  call<R>(action: string, params: object, { timeoutMs, turnMs }: CallOptions): Promise<R> {
    const asked = this.#clock.now();
    const answer = this.#last.then(async () => {
      // A command that comes too late is not sent at all: nobody waits for it, and it would surprise.
      if (this.#clock.now() - asked > turnMs) {
        throw new AppError('vendor.timeout', `the station was busy with other calls; ${action} was not sent`);
      }
      try {
        return (await this.#rpc.call(action, params, { callTimeoutMs: timeoutMs })) as R;
      } catch (error) {
        throw callFailure(action, error);
      }
    });
    this.#last = answer.catch(() => undefined);
    return answer;
  }
}
