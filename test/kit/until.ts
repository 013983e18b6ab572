import { setImmediate } from 'node:timers/promises';

const DEADLINE_MS = 30_000;

/** Polls until `holds` returns true, and fails with `what` after half a minute. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`it did not happen: ${what}`);
    await setImmediate();
  }
}
