/** One thing that a device has reported. */
export interface Observed {
  readonly value: string | number | boolean;
  /** When it was reported, ms since 1970; null when the vendor does not say. */
  readonly at: number | null;
}

/** The latest of each thing that a device reports, by the vendor's numbers for them. */
export type Observations = ReadonlyMap<number, Observed>;

/** No watt, ampere or kilowatt-hour is beyond it; the thousandfold is still a safe whole number. */
const MOST_NUMBER = 1e9;

/** With one more observation; the same map where that changes nothing: an older one, or one that came twice. */
export function observing(before: Observations, id: number, next: Observed): Observations {
  const last = before.get(id);
  if (last !== undefined) {
    if (last.at !== null && next.at !== null && next.at < last.at) return before;
    if (last.at === next.at && last.value === next.value) return before;
  }
  return new Map(before).set(id, next);
}

/** A number, also where the vendor writes it as text; null for everything else. */
export function numberIn(observed: Observed | undefined): number | null {
  if (observed === undefined || typeof observed.value === 'boolean' || observed.value === '') return null;
  const number = Number(observed.value);
  return Math.abs(number) <= MOST_NUMBER ? number : null;
}

/** A flag, also where the vendor writes it as text or as 0 and 1; null for everything else. */
export function flagIn(observed: Observed | undefined): boolean | null {
  const value = String(observed?.value);
  if (/^(1|true)$/i.test(value)) return true;
  return /^(0|false)$/i.test(value) ? false : null;
}

/** ISO 8601 as ms since 1970; a time without a zone is UTC. Null for everything else. */
export function timeIn(text: unknown): number | null {
  if (typeof text !== 'string') return null;
  const ms = Date.parse(/(Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`);
  return Number.isFinite(ms) ? ms : null;
}
