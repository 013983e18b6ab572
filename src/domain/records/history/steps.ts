import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/durations.ts';
import type { EventRow } from '../events/index.ts';
import { type Values, valuesOf } from './fields.ts';

/** What a device is like from a moment on; null where it is not known. */
export interface Step {
  /** ms since 1970 UTC. */
  readonly at: number;
  readonly values: Values | null;
  /** When the values before were last confirmed, where that is known. */
  readonly confirmed?: number | undefined;
}

/** What events of states have in the log; those of older versions have less. */
interface Confirmed {
  readonly to?: Readonly<Record<string, unknown>>;
  readonly fetched_at?: number;
  /** When the state before was last confirmed. */
  readonly confirmed_at?: number;
  /** Seconds between two reads as they were planned, where the device had not been read for long. */
  readonly interval_s?: number;
}

/** A value that was not confirmed for longer than this, and than two planned reads take, was not known meanwhile. */
export const LEAST_SILENCE_MS = 15 * MINUTE_MS;
/** However rarely a vendor may be asked. */
const MOST_SILENCE_MS = 3 * HOUR_MS;

/** What an event says about its device, in the order of time. */
export function stepsOf(row: EventRow): readonly Step[] {
  if (row.type === 'device.removed') return [{ at: row.occurred_at, values: null }];
  const data = JSON.parse(row.data_json) as Confirmed;
  const { to, confirmed_at: confirmed } = data;
  // A state that is to be read again was fetched at 0.
  const fetched = data.fetched_at || row.occurred_at;
  if (row.type === 'device.unreachable') return [{ at: (confirmed ?? fetched - 1) + 1, values: null }];
  // What was last known of a device that cannot be reached is not what it is like.
  if (to === undefined || to.online === false) return [];
  const longest = Math.min(MOST_SILENCE_MS, Math.max(LEAST_SILENCE_MS, 2_000 * (data.interval_s ?? 0)));
  // The state before was true when it was confirmed, whatever the vendor says of this one; and nothing is measured in the future.
  const earliest = confirmed ?? fetched - DAY_MS;
  const measured = row.type === 'device.state_changed' ? row.occurred_at : fetched;
  const at = Math.min(Math.max(measured, earliest), fetched);
  const step = { at, values: valuesOf(to), confirmed };
  if (confirmed === undefined || at - confirmed <= longest) return [step];
  return [{ at: confirmed + 1, values: null }, step];
}
