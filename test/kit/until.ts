import { setImmediate } from 'node:timers/promises';

const DEADLINE_MS = 30_000;

/** Lets other work go on until `holds`, and fails with `what` when it has not come about in half a minute. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`it did not happen: ${what}`);
    await setImmediate();
  }
}
