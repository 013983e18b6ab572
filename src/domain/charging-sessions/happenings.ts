import type { EventRow } from '../events/index.ts';
import { stepsOf } from '../history/index.ts';
import type { Happening } from './fold.ts';
import type { TransactionRecord } from './session.ts';

/** What an event says about the charging of its device, in the order of time. */
export function happeningsOf(row: EventRow): readonly Happening[] {
  if (row.type === 'device.removed') return [{ kind: 'removed', at: row.occurred_at }];
  if (row.type.startsWith('charging.')) {
    const record = JSON.parse(row.data_json) as TransactionRecord;
    return [{ kind: 'transaction', at: row.recorded_at, record }];
  }
  return stepsOf(row).map(({ at, values }) => ({ kind: 'state', at, values }));
}

/** The type of a device that has just been linked; undefined for other events. */
export const linkedTypeOf = (row: EventRow): string | undefined =>
  row.type === 'device.linked'
    ? (JSON.parse(row.data_json) as { readonly device_type: string }).device_type
    : undefined;
