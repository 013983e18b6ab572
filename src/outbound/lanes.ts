/** So many calls at a time, in the order in which they came. */
export interface Lanes {
  /**
   * Resolves with what gives the lane back, once, when one is free; null where too many wait already. Rejects with the signal's reason
   * when that fires first.
   */
  enter(signal: AbortSignal): Promise<(() => void) | null>;
}

export function createLanes(lanes: number, mostWaiting: number): Lanes {
  let free = lanes;
  const waiting = new Set<() => void>();

  const leave = (): void => {
    const [next] = waiting;
    if (next === undefined) free += 1;
    else {
      waiting.delete(next);
      next();
    }
  };
  return {
    async enter(signal) {
      signal.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return leave;
      }
      if (waiting.size >= mostWaiting) return null;
      await new Promise<void>((resolve, reject) => {
        const turn = (): void => {
          signal.removeEventListener('abort', giveUp);
          resolve();
        };
        const giveUp = (): void => {
          waiting.delete(turn);
          reject(signal.reason);
        };
        signal.addEventListener('abort', giveUp, { once: true });
        waiting.add(turn);
      });
      return leave;
    },
  };
}
