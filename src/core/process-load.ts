import { monitorEventLoopDelay } from 'node:perf_hooks';

/** The event loop is looked at so often. What is recorded is the time from one look to the next. */
const RESOLUTION_MS = 20;

/** What this process uses. */
interface ProcessLoad {
  /** Resident memory. */
  readonly memoryBytes: number;
  /** By how much the event loop was late, the 99th percentile since this was last asked. */
  readonly eventLoopP99Ms: number;
}

/** Begins to measure this process. */
export function measureProcess(): { take(): ProcessLoad; stop(): void } {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  return {
    take() {
      const p99 = delays.percentile(99) / 1e6;
      delays.reset();
      return {
        memoryBytes: process.memoryUsage.rss(),
        eventLoopP99Ms: Math.max(0, Math.round(10 * (p99 - RESOLUTION_MS)) / 10),
      };
    },
    stop: () => void delays.disable(),
  };
}
