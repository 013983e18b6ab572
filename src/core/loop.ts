import type { Clock } from './clock.ts';
import { HOUR_MS } from './durations.ts';

/** Background work that runs repeatedly, never two runs at once. */
export interface Loop {
  /** True once it is closed: a long run checks it and returns early. */
  readonly isClosed: boolean;
  /**
   * Runs within `withinMs`, at once by default. During a run, another one follows right after it. The first call starts the loop: a
   * loop that was never woken does nothing.
   */
  wake(withinMs?: number): void;
  /** Wakes it; settles as the run does that begins then. Rejects when the loop is closed. */
  run(withinMs?: number): Promise<void>;
  /** Resolves when no run is active and none follows at once. */
  settled(): Promise<void>;
  /** Schedules nothing any more. Resolves when the active run has ended, and the next one if a caller of `run` waits for it. */
  close(): Promise<void>;
  /** Closes after one more run, and settles as that run does: for buffered work that must not be lost. */
  finish(): Promise<void>;
}

export interface LoopOptions {
  readonly clock: Clock;
  /** One run. It may resolve to the delay until the next one in ms, instead of `everyMs`. */
  readonly run: () => Promise<number | undefined> | Promise<void>;
  /** Delay from the end of a run to the next one. Without it the loop waits until it is woken. */
  readonly everyMs?: number;
  /** Delay after a failed run, by the number of failures in a row; `everyMs` by default. */
  readonly retryMs?: (failures: number) => number;
  /** Logs why a run failed. Called once an hour for the same reason in a row, and not when a caller of `run` gets the error. */
  readonly failed: (error: unknown) => void;
}

/** A failure that stays is logged again after this time. */
const LOGGED_AGAIN_MS = HOUR_MS;

/** A loop that is idle until it is woken. */
export function createLoop({ clock, run, everyMs, retryMs, failed }: LoopOptions): Loop {
  let running: Promise<void> | undefined;
  let isWanted = false;
  let isClosed = false;
  /** Callers of `run` that wait for the next run. */
  let asked: PromiseWithResolvers<void> | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  let cancel = (): void => {};
  let failures = 0;
  let logged: { readonly reason: string; readonly at: number } | undefined;

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
    // A caller who waits gets a run also after the close, and then at once.
    if (isWanted || (isClosed && asked !== undefined)) begin();
    else if (waitMs !== undefined) plan(waitMs);
  }

  /** Resolves to the delay until the next run. */
  async function once(): Promise<number | undefined> {
    const caller = asked;
    asked = undefined;
    try {
      const waitMs = (await run()) ?? everyMs;
      failures = 0;
      logged = undefined;
      caller?.resolve();
      return waitMs;
    } catch (error) {
      failures += 1;
      report(error, caller);
      return retryMs === undefined ? everyMs : retryMs(failures);
    }
  }

  function report(error: unknown, caller: PromiseWithResolvers<void> | undefined): void {
    if (caller !== undefined) {
      caller.reject(error);
      return;
    }
    const reason = String(error);
    const now = clock.now();
    if (logged?.reason === reason && now - logged.at < LOGGED_AGAIN_MS) return;
    failed(error);
    logged = { reason, at: now };
  }

  function runWithin(withinMs?: number): Promise<void> {
    if (isClosed) return Promise.reject(new Error('the loop is closed'));
    asked ??= Promise.withResolvers();
    // Read before `wake`: a run that begins in it takes `asked`.
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
