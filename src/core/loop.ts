import type { Clock } from './clock.ts';

/** Work that is done again and again, never twice at once. */
export interface Loop {
  /** A run that takes long looks at it, and ends. */
  readonly isClosed: boolean;
  /** Runs within so long: at once, unless told otherwise, and once more where a run is under way. The first call starts the loop. */
  wake(withinMs?: number): void;
  /** Wakes it, and settles as the run does that begins then. Rejects when the loop is closed. */
  run(withinMs?: number): Promise<void>;
  /** Resolves when no run is under way, and none follows at once. */
  settled(): Promise<void>;
  /** Starts nothing more by itself; resolves when the run under way has ended, and the next one where `run` waits for it. */
  close(): Promise<void>;
  /** Closes after one more run, and settles as that does: for what is gathered and must not be lost. */
  finish(): Promise<void>;
}

export interface LoopOptions {
  readonly clock: Clock;
  /** One run. What it answers is the time to the next one, in milliseconds, where that is not `everyMs`. */
  readonly run: () => Promise<number | undefined> | Promise<void>;
  /** From the end of a run to the next one; without it the next one waits to be woken. */
  readonly everyMs?: number;
  /** From a run that failed to the next one, `failures` being those in a row; `everyMs` unless it is told. */
  readonly retryMs?: (failures: number) => number;
  /** Logs why a run failed. Not called again for the same reason in a row, nor for a run that a caller waits for. */
  readonly failed: (error: unknown) => void;
}

/** A loop that stands still until it is woken. */
export function createLoop({ clock, run, everyMs, retryMs, failed }: LoopOptions): Loop {
  let running: Promise<void> | undefined;
  let isWanted = false;
  let isClosed = false;
  /** Whoever waits for the next run. */
  let asked: PromiseWithResolvers<void> | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  let cancel = (): void => {};
  let failures = 0;
  let reason: string | undefined;

  function plan(ms: number): void {
    const at = clock.now() + ms;
    if (isClosed || at >= dueAt) return;
    cancel();
    dueAt = at;
    cancel = clock.after(ms, () => {
      dueAt = Number.POSITIVE_INFINITY;
      wake();
    });
  }

  function wake(withinMs = 0): void {
    if (isClosed) return;
    if (withinMs > 0) plan(withinMs);
    else if (running === undefined) begin();
    else isWanted = true;
  }

  function begin(): void {
    cancel();
    dueAt = Number.POSITIVE_INFINITY;
    isWanted = false;
    running = once().then(goOn);
  }

  function goOn(waitMs: number | undefined): void {
    running = undefined;
    // Whoever waits for a run gets it, and where the loop was closed, at once.
    if (isWanted || (isClosed && asked !== undefined)) begin();
    else if (waitMs !== undefined) plan(waitMs);
  }

  /** Answers the time to the next run. */
  async function once(): Promise<number | undefined> {
    const caller = asked;
    asked = undefined;
    try {
      const waitMs = (await run()) ?? everyMs;
      failures = 0;
      reason = undefined;
      caller?.resolve();
      return waitMs;
    } catch (error) {
      failures += 1;
      tell(error, caller);
      return retryMs === undefined ? everyMs : retryMs(failures);
    }
  }

  function tell(error: unknown, caller: PromiseWithResolvers<void> | undefined): void {
    if (caller !== undefined) {
      caller.reject(error);
      return;
    }
    const found = String(error);
    if (found !== reason) failed(error);
    reason = found;
  }

  function runWithin(withinMs?: number): Promise<void> {
    if (isClosed) return Promise.reject(new Error('the loop is closed'));
    asked ??= Promise.withResolvers();
    // It is taken by the run that begins here.
    const { promise } = asked;
    wake(withinMs);
    return promise;
  }

  async function settled(): Promise<void> {
    while (running !== undefined) await running;
  }

  function close(): Promise<void> {
    isClosed = true;
    cancel();
    isWanted = false;
    if (asked !== undefined && running === undefined) begin();
    return settled();
  }

  return {
    get isClosed() {
      return isClosed;
    },
    wake,
    run: runWithin,
    settled,
    close,
    async finish() {
      await Promise.all([isClosed ? undefined : runWithin(), close()]);
    },
  };
}
