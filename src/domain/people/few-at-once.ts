import { AppError } from '../../core/errors.ts';

interface Width {
  readonly atOnce: number;
  /** As many may wait; whoever comes then is told to come again. */
  readonly waiting: number;
}

/** Lets few works run at a time: a flood of sign-ins must not take the processor and the threads from everything else. */
export function fewAtOnce({ atOnce, waiting }: Width) {
  let running = 0;
  const queue: (() => void)[] = [];
  return async function run<T>(work: () => Promise<T>): Promise<T> {
    if (running < atOnce) running += 1;
    else if (queue.length < waiting) {
      // The place is handed over by whoever leaves.
      await new Promise<void>((resolve) => {
        queue.push(resolve);
      });
    } else {
      throw new AppError('limit.busy', 'too many sign-ins are in progress; retry in a moment', {
        retryAfterSeconds: 2,
      });
    }
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
