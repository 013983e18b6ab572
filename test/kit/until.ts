import { setImmediate, setTimeout } from 'node:timers/promises';

/** It measures nothing: it is as long as a busy machine or a slow disk may need. */
const DEADLINE_MS = 180_000;
/** What this process does by itself has happened by then. What takes longer is of another process, which needs the processor. */
const OWN_MS = 50;
/** What takes longer than this is asked less often: it may be a request that is limited. */
const SOON_MS = 1_000;

/** Polls until `holds` returns true, and fails with `what` after three minutes. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const began = Date.now();
  while (!(await holds())) {
    const waitedMs = Date.now() - began;
    if (waitedMs > DEADLINE_MS) throw new Error(`it did not happen: ${what}`);
    if (waitedMs <= OWN_MS) await setImmediate();
    else await setTimeout(waitedMs <= SOON_MS ? 2 : 50);
  }
}
