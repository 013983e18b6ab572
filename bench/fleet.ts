import { sql } from 'kysely';
import { systemRandom } from '../src/core/ids.ts';
import type { Database } from '../src/db/database.ts';
import { createVault } from '../src/domain/calls/index.ts';
import type { Place } from '../test/kit/databases.ts';
import { VAULT_KEYS } from '../test/kit/world.ts';

const [KEY_ID = '', KEY = ''] = VAULT_KEYS.split(':');
const VAULT = createVault([{ id: KEY_ID, key: Buffer.from(KEY, 'base64') }], systemRandom);
/** Rows of a statement. */
const ROWS = 500;
/** The number in the id of the first device. */
export const FIRST_NUMBER = 1_000_000;
const DEVICE_TYPES = ['charger', 'battery', 'light', 'thermostat'];
export const VENDORS = ['alpha', 'beta', 'sandbox'];
const CAPABILITIES = '["set_current","load_balancing","read_power","read_energy"]';
const STATE = '{"online":true,"connected":true,"charging":true,"power_w":7360,"energy_wh":1234567}';

export interface Fleet {
  /** Id of its first account; the others follow. */
  readonly first: number;
  readonly accounts: number;
  readonly devicesEach: number;
}

/** The vendor and id of an account's device, as its cursor names it: devices are spread over three vendors in turn. */
export function positionOf(
  { first, devicesEach }: Fleet,
  account: number,
  share: number,
): { vendor: string; id: string } {
  // In the order of (vendor, id), a vendor's devices are every third of the account.
  const position = Math.min(devicesEach - 1, Math.floor(devicesEach * share));
  const sizes = VENDORS.map((_, index) => Math.ceil((devicesEach - index) / VENDORS.length));
  let before = position;
  let vendor = 0;
  while (before >= (sizes[vendor] ?? 0)) {
    before -= sizes[vendor] ?? 0;
    vendor += 1;
  }
  const start = (account - first) * devicesEach;
  // Devices are numbered through all accounts, and the number decides the vendor.
  const numbers = Array.from({ length: VENDORS.length }, (_, offset) => start + offset);
  const least = numbers.find((number) => number % VENDORS.length === vendor) ?? start;
  return { vendor: VENDORS[vendor] ?? '', id: `device-${FIRST_NUMBER + least + before * VENDORS.length}` };
}

/** Stores accounts with a link and devices each, in a few statements; the same on both engines. */
export async function storeFleet(place: Place, fleets: readonly Fleet[]): Promise<void> {
  const database = await place.open();
  try {
    for (const fleet of fleets) await store(database, fleet);
    // PostgreSQL does this by itself about a minute after such a load.
    if (database.engine === 'postgres') await sql`analyze devices, links, accounts`.execute(database.queries);
  } finally {
    await database.close();
  }
}

/** Credentials are sealed with the vault key of the start, as a start refuses ones that it cannot open. */
function linkOf(account: number) {
  const sealed = VAULT.seal('{}', { account, link: 'link', field: 'credentials' });
  return {
    account_id: account,
    id: 'link',
    vendor: 'sandbox',
    vendor_account: 'fleet',
    user_ref: 'fleet',
    status: 'active',
    status_since: 0,
    status_reason: null,
    created_at: 0,
    updated_at: 0,
    vault_key: sealed.keyId,
    sealed_credentials: sealed.text,
  };
}

async function store({ engine, queries }: Database, fleet: Fleet): Promise<void> {
  const { first, accounts, devicesEach } = fleet;
  // PostgreSQL generates account ids unless overridden; SQLite has no such clause.
  const overriding = sql.raw(engine === 'postgres' ? 'overriding system value' : '');
  const text = (number: string) => sql.raw(`cast(${number} as text)`);
  const pick = (number: string, words: readonly string[]) =>
    sql.raw(
      `case (${number}) % ${words.length} ${words.map((word, index) => `when ${index} then '${word}'`).join(' ')} end`,
    );
  const numbers = (size: number) =>
    sql.raw(
      `with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n < ${size - 1})`,
    );
  const account = sql.raw(`${first} + n / ${devicesEach}`);
  await sql`${numbers(accounts)} insert into accounts (id, email, name, tier, created_at) ${overriding}
    select ${sql.raw(`${first} + n`)}, 'fleet-' || ${text(`${first} + n`)} || '@example.com', 'Fleet', 'pro', 0
    from numbers`.execute(queries);
  const ids = Array.from({ length: accounts }, (_, index) => first + index);
  for (let from = 0; from < accounts; from += ROWS)
    await queries
      .insertInto('links')
      .values(ids.slice(from, from + ROWS).map(linkOf))
      .execute();
  await sql`${numbers(accounts * devicesEach)} insert into devices (account_id, vendor, id, link_id, user_ref,
      device_type, name, capabilities_json, details_json, created_at, state_json, observed_at, fetched_at)
    select ${account}, ${pick('n', VENDORS)}, 'device-' || ${text(`${FIRST_NUMBER} + n`)}, 'link',
      'user-' || ${text(`n % ${devicesEach} / 10`)}, ${pick('n / 3', DEVICE_TYPES)}, 'Device', ${CAPABILITIES}, '{}', 0,
      ${STATE}, 0, 0
    from numbers`.execute(queries);
}
