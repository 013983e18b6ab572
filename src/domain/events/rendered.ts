import { rfc3339 } from '../../core/clock.ts';
import type { EventRow } from './store.ts';
import { EVENT_TYPES, type EventTypeName, type LoggedEvent } from './types.ts';

type State = Readonly<Record<string, unknown>>;

/** What `device.state_changed` has in the log: the states, of which the change follows. */
interface StateChange {
  readonly from: State | null;
  readonly to: State;
  readonly fetched_at: number;
}

/** An event as it is sent. */
export function rendered(row: EventRow): LoggedEvent {
  const type = row.type as EventTypeName;
  const data = JSON.parse(row.data_json) as Record<string, unknown>;
  return {
    id: `evt_${row.id.toString(36)}`,
    type,
    version: EVENT_TYPES[type].version,
    subject: { device: row.device_id, vendor: row.vendor, link: row.link_id, user_ref: row.user_ref },
    occurred_at: rfc3339(row.occurred_at),
    recorded_at: rfc3339(row.recorded_at),
    data: shownOf(type, data, row.occurred_at),
  };
}

/** Without what is in the log for readers within the service alone. */
function shownOf(type: EventTypeName, data: Record<string, unknown>, occurredAt: number) {
  if (type === 'device.unreachable' || type === 'device.reachable') return {};
  return type === 'device.state_changed' ? changeOf(data as unknown as StateChange, occurredAt) : data;
}

function changeOf({ from, to, fetched_at }: StateChange, observedAt: number) {
  const before = from ?? {};
  const fields = new Set([...Object.keys(before), ...Object.keys(to)]);
  // That a device can be reached, or not, is an event of its own.
  if (from !== null) fields.delete('online');
  const changes = [...fields].flatMap((field) => {
    const change = { from: before[field] ?? null, to: to[field] ?? null };
    return change.from === change.to ? [] : [[field, change] as const];
  });
  return {
    changes: Object.fromEntries(changes),
    observed_at: rfc3339(observedAt),
    fetched_at: rfc3339(fetched_at),
  };
}
