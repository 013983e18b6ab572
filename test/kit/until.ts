import { setImmediate, setTimeout } from 'node:timers/promises';

/** It measures nothing: it is as long as a busy machine or a slow disk may need. */
const DEADLINE_MS = 60_000;
/** What takes longer than this is asked less often: it may be a request that is limited, or another process that needs the processor. */
const SOON_MS = 1_000;
const PAUSE_MS = 50;

/** Polls until `holds` returns true, and fails with `what` after a minute. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const began = Date.now();
  while (!(await holds())) {
    const waitedMs = Date.now() - began;
    if (waitedMs > DEADLINE_MS) throw new Error(`it did not happen: ${what}`);
    await (waitedMs > SOON_MS ? setTimeout(PAUSE_MS) : setImmediate());
  }
}
