import { rfc3339 } from '../../core/clock.ts';
import type { NewEvent } from '../../db/events.ts';
import { estimatesOf } from './estimates.ts';
import type { TransactionRow } from './store.ts';

export type ChargingChange = 'started' | 'updated' | 'ended';

/** The event of a charging transaction, with the record as it is now. */
export function chargingEvent(
  row: TransactionRow,
  what: ChargingChange,
  { at }: { readonly at: number },
): NewEvent {
  const moments = { started: row.started_at, ended: row.ended_at, updated: at };
  return {
    account: row.account_id,
    link: row.link_id,
    device: row.device_id,
    type: `charging.${what}`,
    occurredAt: moments[what] ?? at,
    data: {
      transaction_id: row.transaction_id,
      id_tag: row.id_tag,
      started_at: momentOf(row.started_at),
      ended_at: momentOf(row.ended_at),
      end_reason: row.end_reason,
      meter_start_wh: whole(row.meter_start_wh),
      meter_stop_wh: whole(row.meter_stop_wh),
      estimated: estimatesOf(row),
    },
  };
}

const momentOf = (at: number | null): string | null => (at === null ? null : rfc3339(at));
const whole = (value: number | null): number | null => (value === null ? null : Math.round(value));
