import { sql } from 'kysely';
import type { Database } from '../src/db/database.ts';
import { SIGHTING_COLUMNS, type Sighting } from '../src/domain/devices/store-sightings.ts';

const OF_DEVICES = {
  table: 'devices',
  key: { account_id: 'account', vendor: 'vendor', id: 'id' },
} as const;

/** Without the order of fields that comparing states needs. */
const rowOf = ({ account, vendor, id, seen, unlessLaterThan }: Sighting) => ({
  account,
  vendor,
  id,
  state_json: JSON.stringify(seen.state),
  limits_json: seen.limits === null ? null : JSON.stringify(seen.limits),
  available_capacity_json: seen.capacity === null ? null : JSON.stringify(seen.capacity),
  observed_at: seen.observedAt,
  fetched_at: seen.fetchedAt,
  reported_json: seen.reported === undefined ? null : JSON.stringify(seen.reported),
  unless_later_than: unlessLaterThan ?? null,
});

/** The opponent: stores what devices were like in the same shared commits, by an update alone, as it was before there was a log. */
export function plainSightings({ group, lockedRows }: Database): (sighting: Sighting) => Promise<undefined> {
  return group(async (on, sightings: readonly Sighting[]): Promise<undefined[]> => {
    await sql`
      update devices
      set state_json = r.state_json, limits_json = r.limits_json, available_capacity_json = r.available_capacity_json,
        observed_at = r.observed_at, fetched_at = r.fetched_at, reported_json = r.reported_json
      from ${lockedRows(OF_DEVICES, SIGHTING_COLUMNS, sightings.map(rowOf))} as r
      where devices.account_id = r.account and devices.vendor = r.vendor and devices.id = r.id
        and (r.unless_later_than is null or devices.fetched_at is null or devices.fetched_at <= r.unless_later_than)
    `.execute(on);
    return sightings.map(() => undefined);
  });
}
