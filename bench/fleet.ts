import { sql } from 'kysely';
import { systemRandom } from '../src/core/ids.ts';
import { createVault } from '../src/domain/vendor-calls/calls/index.ts';
import type { Place } from '../test/kit/databases.ts';
import { VAULT_KEYS } from '../test/kit/world.ts';

const [KEY_ID = '', KEY = ''] = VAULT_KEYS.split(':');
const VAULT = createVault([{ id: KEY_ID, key: Buffer.from(KEY, 'base64') }], systemRandom);
/** The number in the id of the first device. */
export const FIRST_NUMBER = 1_000_000;
const DEVICE_TYPES = ['charger', 'battery', 'light', 'thermostat'];
export const VENDORS = ['alpha', 'beta', 'sandbox'];
const CAPABILITIES = '["set_current","load_balancing","read_power","read_energy"]';
const STATE = '{"online":true,"connected":true,"charging":true,"power_w":7360,"energy_wh":1234567}';

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

/** Stores an account with one link and this many devices, spread over three vendors, on the embedded database. */
export async function storeFleet(place: Place, account: number, devices: number): Promise<void> {
  const text = (number: string) => sql.raw(`cast(${number} as text)`);
  const pick = (number: string, words: readonly string[]) =>
    sql.raw(
      `case (${number}) % ${words.length} ${words.map((word, index) => `when ${index} then '${word}'`).join(' ')} end`,
    );
  const database = await place.open();
  const { queries } = database;
  await sql`insert into accounts (id, email, name, tier, created_at)
    values (${account}, 'fleet@example.com', 'Fleet', 'pro', 0)`.execute(queries);
  await queries.insertInto('links').values(linkOf(account)).execute();
  await sql`with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n < ${devices - 1})
    insert into devices (account_id, vendor, id, link_id, user_ref, device_type, name, capabilities_json,
      details_json, created_at, state_json, observed_at, fetched_at)
    select ${account}, ${pick('n', VENDORS)}, 'device-' || ${text(`${FIRST_NUMBER} + n`)}, 'link',
      'user-' || ${text('n / 10')}, ${pick('n / 3', DEVICE_TYPES)}, 'Device', ${CAPABILITIES}, '{}', 0,
      ${STATE}, 0, 0
    from numbers`.execute(queries);
  await database.close();
}
