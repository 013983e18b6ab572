import { type Clock, sleep } from '../../core/clock.ts';

/**
 * Asks again and again until the answer is there: for vendors that take a command now and carry it out later.
 * @returns undefined when the time is over
 */
export async function until<T>(
  session: { readonly clock: Clock; readonly signal: AbortSignal },
  ask: () => Promise<T | undefined>,
  { everyMs, withinMs }: { readonly everyMs: number; readonly withinMs: number },
): Promise<T | undefined> {
  const end = session.clock.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (session.clock.now() + everyMs > end) return undefined;
    await sleep(session.clock, everyMs, session.signal);
  }
}
