import type { Clock } from '../../core/clock.ts';

/** Calls that one user and the whole app may make within so many seconds. */
const USER = [
  { amount: 50, seconds: 10 },
  { amount: 500, seconds: 3_600 },
];
const APP = [{ amount: 2_000, seconds: 3_600 }];
const LONGEST_MS = 3_600_000;

/** Counts calls as Netatmo does; one that is refused counts too. */
export function createSimulatedLimits(clock: Clock) {
  const calls = new Map<string, number[]>();

  function count(who: string): number[] {
    const now = clock.now();
    const recent = (calls.get(who) ?? []).filter((at) => at > now - LONGEST_MS);
    recent.push(now);
    calls.set(who, recent);
    return recent;
  }

  const isBeyond = (times: readonly number[], limits: typeof USER) =>
    limits.some(
      ({ amount, seconds }) => times.filter((at) => at > clock.now() - seconds * 1_000).length > amount,
    );

  return {
    isOver(userId: string): boolean {
      const [ofUser, ofApp] = [count(`user ${userId}`), count('app')];
      return isBeyond(ofUser, USER) || isBeyond(ofApp, APP);
    },
  };
}
