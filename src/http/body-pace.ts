import type { Clock } from '../core/clock.ts';
import { AppError } from '../core/errors.ts';

/** A body must arrive within this, however large it is. */
const ARRIVAL_MS = 30_000;
/** What is to be large shows that it comes before it gets a place: with so many bytes in so long. */
export const HEAD_BYTES = 64 * 1024;
const HEAD_MS = 2_000;
/** While it holds a place, so many come in each stretch of time: 256 KiB a second. */
const STRETCH_MS = 2_000;
const STRETCH_BYTES = 512 * 1024;

/** Whether a body comes as fast as it must. */
export interface BodyPace {
  /** Rejects with `request.timeout` once it is too slow. */
  readonly late: Promise<never>;
  arrived(bytes: number): void;
  /** It waits for a place, and is not read meanwhile. */
  waits(): void;
  /** It holds a place now. */
  placed(): void;
  /** Waits for no more. */
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
    waits: () => cancel(),
    placed() {
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
