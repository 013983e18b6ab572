import type { Clock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import { callFailure, type Rpc } from './rpc.ts';
import type { Schemas } from './schemas.ts';
import type { Tolerance } from './tolerance.ts';

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
