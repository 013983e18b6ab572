import { BoundedMap } from '../../core/bounded-map.ts';
import { HOUR_MS, MINUTE_MS } from '../../core/durations.ts';
import type { LinkKey, Session } from '../session.ts';
import { timeIn } from './observations.ts';

/** Links whose devices' times a process has in memory. */
const MOST_LINKS = 20_000;
/** A clock that is off by more is wrong, or what it says is old. */
const MOST_OFF_MS = 5 * MINUTE_MS;
const QUARTER_MS = HOUR_MS / 4;
/** UTC−12 to UTC+14, and a device whose owner has set it wrong. */
const MOST_ZONE_MS = 14 * HOUR_MS;

interface Seen {
  readonly said: number;
  readonly at: number;
}

/**
 * When readings were measured, by the times that the devices of a link say. Throughout: a time that stays as it was says that nothing was
 * measured since, whatever the clock of the device. One that goes on is fresh, and taken as it is where the clock of the device is right.
 * @param zone `none` of times without one, as the clock on a wall shows them
 * @returns for a time that a device says, ms since 1970; null where it says none
 */
export function deviceTimes(zone: 'said' | 'none' = 'said') {
  const seen = new BoundedMap<string, Seen>(MOST_LINKS);
  return ({ account, link, clock }: LinkKey & Pick<Session, 'clock'>, text: unknown): number | null => {
    const said = timeIn(typeof text === 'string' ? text.replace(/ ?UTC$/, 'Z') : text);
    if (said === null) return null;
    const key = `${account}/${link}`;
    const before = seen.get(key);
    if (before?.said === said) return before.at;
    const at = measuredAt(
      zone === 'none' ? inUtc(said, clock.now()) : said,
      clock.now(),
      before !== undefined,
    );
    seen.set(key, { said, at });
    return at;
  };
}

/** A time of a clock that goes is now, also where it is wrong; of one that was never seen to go it is what it says. */
function measuredAt(said: number, now: number, goes: boolean): number {
  const isRight = Math.abs(now - said) <= MOST_OFF_MS;
  return isRight || !goes ? Math.min(said, now) : now;
}

/** Zones differ by quarters of an hour: what is left of the difference is how old the time is. */
function inUtc(said: number, now: number): number {
  const zoneMs = Math.round((said - now) / QUARTER_MS) * QUARTER_MS;
  return Math.abs(zoneMs) <= MOST_ZONE_MS ? said - zoneMs : said;
}
