/** So many pieces of work at once; the others wait their turn, in the order in which they came. */
export interface Semaphore {
  /** Whether no place is free and as many wait as should: whoever can be refused is refused then. */
  readonly isFull: boolean;
  /** Resolves with what gives the place back, once it is free; rejects with the signal's reason when that fires first. */
  acquire(signal?: AbortSignal): Promise<() => void>;
  /** Does the work in a place of its own, which is free again when it has settled. */
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
      // The place goes straight to the next in line, so that nobody slips in between.
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
