import { type RawBuilder, sql } from 'kysely';
import { DeviceState as DeviceStateSchema } from '../../../adapter/device.ts';
import { MINUTE_MS } from '../../../core/durations.ts';
import type { Database, Queries } from '../../../db/database.ts';
import { STATE_CONFIRMED } from '../../../db/events.ts';
import { MOST_IN_BACKGROUND } from '../../../db/group-commit.ts';
import type { Snapshot } from './rows.ts';

export interface SnapshotWrite {
  readonly account: number;
  /** By which it was learnt: the same device of another link is another one. */
  readonly link: string;
  readonly vendor: string;
  readonly id: string;
  readonly snapshot: Snapshot;
  /** Stored only where nothing was learnt later than this, ms since 1970. */
  readonly unlessLaterThan?: number;
}

const SIGHTING_COLUMNS = {
  account: 'bigint',
  link: 'text',
  vendor: 'text',
  id: 'text',
  state_json: 'text',
  limits_json: 'text',
  available_capacity_json: 'text',
  observed_at: 'bigint',
  fetched_at: 'bigint',
  reported_json: 'text',
  unless_later_than: 'bigint',
} as const;

const OF_DEVICES = {
  table: 'devices',
  key: { account_id: 'account', vendor: 'vendor', id: 'id', link_id: 'link' },
  before: {
    state_before: 'state_json',
    fetched_before: 'fetched_at',
    link_id: 'link_id',
    user_ref: 'user_ref',
    logged_tx: 'logged_tx',
    plugged_before: 'plugged',
  },
} as const;

const NO_DATA = sql.lit('{}');
/** In the text of a state. A quote within a value is escaped, so that no value looks like it. */
const IS_OFFLINE = sql.lit('%"online":false%');
/** In the text of what a device has reported. */
const NO_RESPONSE = sql.lit('%"isUnreachable":true%');

/** What a state says of the plug of a car or a charger. */
const IS_PLUGGED = sql.lit('%"connected":true%');
const IS_UNPLUGGED = sql.lit('%"connected":false%');
const plugged = sql`case when r.state_json like ${IS_PLUGGED} then 1 when r.state_json like ${IS_UNPLUGGED} then 0
  else r.plugged_before end`;

/** A state that stayed is an event of its own for readers within the service, where it had not been confirmed for so long. */
const SILENT_MS = 15 * MINUTE_MS;

/** In one order: texts of states are equal when the states are. */
const STATE_FIELDS = Object.keys(DeviceStateSchema.properties);

const sightingRow = ({ account, link, vendor, id, snapshot, unlessLaterThan }: SnapshotWrite) => ({
  account,
  link,
  vendor,
  id,
  state_json: JSON.stringify(snapshot.state, STATE_FIELDS),
  limits_json: snapshot.limits === null ? null : JSON.stringify(snapshot.limits),
  available_capacity_json: snapshot.capacity === null ? null : JSON.stringify(snapshot.capacity),
  observed_at: snapshot.observedAt,
  fetched_at: snapshot.fetchedAt,
  reported_json: snapshot.reported === undefined ? null : JSON.stringify(snapshot.reported),
  unless_later_than: unlessLaterThan ?? null,
});

/** Stores snapshots, with the events of what they change. */
export function createSightingStore({ group, lockedRows, events, moments }: Database) {
  /** A state, and the events of what it changes: other values, and whether the device can be reached. */
  const write = async (on: Queries, writes: readonly SnapshotWrite[]): Promise<undefined[]> => {
    const isNews = sql`(r.unless_later_than is null or r.fetched_before is null or r.fetched_before <= r.unless_later_than)`;
    const tx = events.txOf(sql.ref('r.logged_tx'));
    // What history needs to tell a value that stayed from one that nobody asked for. A state that is to be read again was fetched at 0.
    const confirmed = sql`coalesce(',"confirmed_at":' || nullif(r.fetched_before, 0), '') || case
      when r.fetched_at - r.fetched_before > ${sql.lit(SILENT_MS)} then coalesce(',"interval_s":' || (
        select max(poll.interval_s) from device_polls as poll
        where poll.account_id = r.account and poll.link_id = r.link_id and poll.device_id in ('', r.id)
      ), '') else '' end`;
    // A device that could not be asked keeps the time of its last good read, and is lost now.
    const lostAt = sql`case when r.fetched_at > coalesce(r.fetched_before, 0) then r.fetched_at else ${moments.now} end`;
    const reason = sql`case when r.reported_json like ${NO_RESPONSE} then '"no_response"' else '"reported"' end`;
    const event = (type: string, occurredAt: RawBuilder<unknown>, data: RawBuilder<unknown>) => sql`
      select r.account, ${tx}, ${sql.lit(type)}, r.id, r.vendor, r.link_id, r.user_ref, ${occurredAt}, ${moments.now}, ${data}
      from r where ${isNews}`;
    await events.change(on, {
      rows: sql`select * from ${lockedRows(OF_DEVICES, SIGHTING_COLUMNS, writes.map(sightingRow))} as given`,
      update: sql`
        update devices
        set state_json = r.state_json, limits_json = r.limits_json, available_capacity_json = r.available_capacity_json,
          observed_at = r.observed_at, fetched_at = r.fetched_at, reported_json = r.reported_json, logged_tx = ${tx},
          plugged = ${plugged}
        from r
        where devices.account_id = r.account and devices.vendor = r.vendor and devices.id = r.id and ${isNews}`,
      events: sql`
        ${event('device.state_changed', sql.ref('r.observed_at'), sql`'{"from":' || coalesce(r.state_before, 'null') || ',"to":' || r.state_json || ',"fetched_at":' || r.fetched_at || ${confirmed} || '}'`)}
          and (r.state_before is null or r.state_json <> r.state_before)
        union all
        ${event('device.unreachable', lostAt, sql`'{"reason":' || ${reason} || ',"to":' || r.state_json || ',"fetched_at":' || r.fetched_at || ${confirmed} || '}'`)}
          and r.state_json like ${IS_OFFLINE} and (r.state_before is null or r.state_before not like ${IS_OFFLINE})
        union all
        ${event('device.reachable', sql.ref('r.fetched_at'), sql`'{"to":' || r.state_json || ',"fetched_at":' || r.fetched_at || ${confirmed} || '}'`)}
          and r.state_json not like ${IS_OFFLINE} and r.state_before like ${IS_OFFLINE}
        union all
        ${event('device.plugged_in', sql.ref('r.observed_at'), NO_DATA)} and r.plugged_before = 0 and ${plugged} = 1
        union all
        ${event('device.unplugged', sql.ref('r.observed_at'), NO_DATA)} and r.plugged_before = 1 and ${plugged} = 0
        union all
        ${event(STATE_CONFIRMED, sql.ref('r.fetched_at'), sql`'{"to":' || r.state_json || ',"fetched_at":' || r.fetched_at || ${confirmed} || '}'`)}
          and r.fetched_before > 0 and r.fetched_at - r.fetched_before > ${sql.lit(SILENT_MS)} and r.state_json = r.state_before
          and r.state_json not like ${IS_OFFLINE}`,
    });
    return writes.map(() => undefined);
  };

  return {
    /** Stores snapshots; a device that has gone in the meantime, or is of another link by now, is passed over. Of one device, one at a time. */
    write: group(write),

    /** The same for what was read in the background: on PostgreSQL the other kind does not wait for it. */
    writeInBackground: group(write, MOST_IN_BACKGROUND),
  };
}
