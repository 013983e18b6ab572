/** Limits the number of concurrent tasks; the others wait in order of arrival. */
export interface Semaphore {
  /** Whether no slot is free and enough callers wait; a caller that can be refused should then be. */
  readonly isFull: boolean;
  /** Resolves with the release function once a slot is free; rejects with the signal's reason if that fires first. */
  acquire(signal?: AbortSignal): Promise<() => void>;
  /** Runs a task in a slot, which is released when the task has settled. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

export function createSemaphore({ places, waiting }: Record<'places' | 'waiting', number>): Semaphore {
  let free = places;
  const queue = new Set<() => void>();

  const occupied = () => {
    let isHeld = true;
    return (): void => {
      if (!isHeld) return;
      isHeld = false;
      // The slot is passed to the next in the queue directly, so that no later caller can take it.
      const [next] = queue;
      if (next === undefined) free += 1;
      else {
        queue.delete(next);
        next();
      }
    };
  };

  const acquire = async (signal?: AbortSignal): Promise<() => void> => {
    signal?.throwIfAborted();
    if (free > 0) free -= 1;
    else
      await new Promise<void>((resolve, reject) => {
        const enter = (): void => {
          signal?.removeEventListener('abort', giveUp);
          resolve();
        };
        const giveUp = (): void => {
          queue.delete(enter);
          reject(signal?.reason);
        };
        signal?.addEventListener('abort', giveUp, { once: true });
        queue.add(enter);
      });
    return occupied();
  };

  return {
    get isFull() {
      return free === 0 && queue.size >= waiting;
    },
    acquire,
    async run(work) {
      const leave = await acquire();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
