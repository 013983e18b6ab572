import { useEffect, useState } from 'preact/hooks';

/** Differences below this are latency and rounding. */
const TOLERATED_MS = 5_000;
let offsetMs = 0;

/** Takes the time of a response: the clock of the browser may be wrong. */
export function noteServerTime(date: string | null): void {
  const server = Date.parse(date ?? '');
  if (Number.isNaN(server)) return;
  const offset = server - Date.now();
  offsetMs = Math.abs(offset) < TOLERATED_MS ? 0 : offset;
}

/** Now by the clock of the service, ms. */
export const now = (): number => Date.now() + offsetMs;

/** Now, renewed at an interval, for what is said relative to it. */
export function useNow(intervalMs: number): number {
  const [at, setAt] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setAt(now()), intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs]);
  return Math.max(at, 0);
}
