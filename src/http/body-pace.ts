import type { Clock } from '../core/clock.ts';
import { AppError } from '../core/errors.ts';

/** The time limit for the whole body, whatever its size. */
const ARRIVAL_MS = 30_000;
/** Before a large body gets a slot, this many bytes must arrive within `HEAD_MS`. */
export const HEAD_BYTES = 64 * 1024;
const HEAD_MS = 2_000;
/** While it holds a slot, this many bytes must arrive in each stretch: 256 KiB a second. */
const STRETCH_MS = 2_000;
const STRETCH_BYTES = 512 * 1024;

/** Watches how fast a body arrives. */
export interface BodyPace {
  /** Rejects with `request.timeout` once the body is too slow. */
  readonly late: Promise<never>;
  arrived(bytes: number): void;
  /** The body waits for a slot and is not read meanwhile. */
  pause(): void;
  /** The body has a slot and is read again. */
  resume(): void;
  /** Stops watching. */
  end(): void;
}

export function watchPace(clock: Clock, { isLarge }: { readonly isLarge: boolean }): BodyPace {
  const late = Promise.withResolvers<never>();
  let received = 0;
  let cancel = () => {};
  const cancelArrival = clock.after(ARRIVAL_MS, () =>
    late.reject(tooSlow(`the body did not arrive within ${ARRIVAL_MS / 1000} seconds`)),
  );

  function expect(bytes: number, ms: number): void {
    const before = received;
    cancel = clock.after(ms, () => {
      if (received - before >= bytes) expect(STRETCH_BYTES, STRETCH_MS);
      else
        late.reject(tooSlow(`a large body must arrive at ${bytes} bytes per ${ms / 1000} seconds or faster`));
    });
  }
  if (isLarge) expect(HEAD_BYTES, HEAD_MS);

  return {
    late: late.promise,
    arrived(bytes) {
      received += bytes;
    },
    pause: () => cancel(),
    resume() {
      expect(STRETCH_BYTES, STRETCH_MS);
    },
    end() {
      cancel();
      cancelArrival();
    },
  };
}

function tooSlow(sentence: string): AppError {
  return new AppError('request.timeout', sentence);
}
