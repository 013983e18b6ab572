import { systemRandom } from '../src/core/ids.ts';
import { createVault } from '../src/domain/calls/index.ts';
import { type Engine, makePlace, type Place } from '../test/kit/databases.ts';
import { VAULT_KEYS } from '../test/kit/world.ts';
import { accountsAt } from './elnav.ts';
import { npmStart } from './npm-start.ts';
import { planLists } from './planned-lists.ts';
import type { VendorCloud } from './vendor-cloud.ts';
import { beginAt, linkOneOfEach, storeFleet } from './vendor-fleet.ts';
import type { Fleet } from './vendor-report.ts';

/** Accounts whose sandbox chargers are commanded. */
const COMMANDING = 50;

export interface Filled extends Fleet {
  readonly place: Place;
  readonly keys: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Links a user of every vendor through the service, and stores as many copies as the fleet has accounts. */
export async function fill(
  engine: Engine,
  clouds: readonly VendorCloud[],
  accounts: number,
  calmMs: number,
): Promise<Filled> {
  const place = await makePlace(engine);
  const env = {
    // Neither the network nor built-in simulators, and no limits of the links of an account.
    ELNAV_FETCH: 'off',
    ELNAV_SIMULATE: 'none',
    ...Object.assign({}, ...clouds.map((cloud) => cloud.env)),
  };
  const first = await npmStart(place, env);
  const newAccount = accountsAt(first.grid);
  const template = await newAccount();
  await linkOneOfEach(first.connect, template.key, clouds);
  const commanding = [template];
  while (commanding.length < Math.min(COMMANDING, accounts)) commanding.push(await newAccount());
  await first.end();
  const database = await place.open();
  const [keyId = '', key = ''] = VAULT_KEYS.split(':');
  const vault = createVault([{ id: keyId, key: Buffer.from(key, 'base64') }], systemRandom);
  const options = { database, vault, account: template.id, accounts };
  await storeFleet(options);
  const planned = await planLists(database);
  const beginsAt = Date.now() + calmMs;
  await beginAt(options, beginsAt);
  await database.close();
  return { place, env, keys: commanding.map((one) => one.key), planned, beginsAt, accounts };
}
