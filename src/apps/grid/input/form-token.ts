import type { Clock } from '../../../core/clock.ts';
import { type Random, randomBase62 } from '../../../core/ids.ts';

/** Less than what was made of a form is remembered for, so that none can be sent again when that is forgotten. */
const LASTS_MS = 20 * 3_600_000;
const TOKEN = /^([0-9a-z]{8,9})\.[0-9A-Za-z]{22}$/;

/** A name for one showing of a form: what is sent with it twice is the same wish. */
export function newFormToken(clock: Clock, random: Random): string {
  return `${clock.now().toString(36)}.${randomBase62(random, 22)}`;
}

/** Whether a token is one of these, and young enough to be told from those that were used. */
export function isFreshFormToken(token: string, clock: Clock): boolean {
  const age = clock.now() - Number.parseInt(TOKEN.exec(token)?.[1] ?? '', 36);
  return age >= 0 && age < LASTS_MS;
}
