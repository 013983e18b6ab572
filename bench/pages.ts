import { systemRandom } from '../src/core/ids.ts';
import { silentLog } from '../src/core/log.ts';
import { encodeCursor } from '../src/domain/devices/cursor.ts';
import { createDevices, type ListQuery } from '../src/domain/devices/index.ts';
import { createInterventions } from '../src/domain/interventions/index.ts';
import { ENGINES, type Engine, makePlace } from '../test/kit/databases.ts';
import { type Fleet, positionOf, storeFleet } from './fleet.ts';
import { median } from './load.ts';
import { ms, type Row, type Section } from './report.ts';

const SMALL: Fleet = { first: 1_001, accounts: 10, devicesEach: 100 };
const LARGE: Fleet = { first: 10_001, accounts: 1_000, devicesEach: 100 };
/** The sizes of one account whose pages of 1,000 are compared. */
const SMALL_OWNER: Fleet = { first: 5_001, accounts: 1, devicesEach: 2_000 };
const OWNER: Fleet = { first: 20_001, accounts: 1, devicesEach: 100_000 };
const TIMES = 3;
const REPEATS = 150;

const at = (fleet: Fleet, account: number, share: number) => encodeCursor(positionOf(fleet, account, share));

/** Pages of an account, small enough to be alike for both sizes. */
const PAGES: readonly { readonly what: string; of(fleet: Fleet, account: number): Partial<ListQuery> }[] = [
  { what: 'first page', of: () => ({}) },
  { what: 'page from the middle', of: (fleet, account) => ({ cursor: at(fleet, account, 0.5) }) },
  { what: 'last page', of: (fleet, account) => ({ cursor: at(fleet, account, 0.8) }) },
  { what: 'device_type', of: () => ({ deviceType: 'battery' }) },
  { what: 'user_ref', of: () => ({ userRef: 'user-4' }) },
  { what: 'vendor', of: () => ({ vendor: 'beta' }) },
];

const OWNER_PAGES = [
  { what: 'first 1,000', share: 0 },
  { what: '1,000 from the middle', share: 0.5 },
  { what: 'last 1,000', share: 0.98 },
];

/** `GET /devices` without its page cache, with few and with many devices stored; measured at the domain's front door. */
export async function pagesBench(): Promise<Section[]> {
  const sections: Section[] = [];
  for (const engine of ENGINES) sections.push(await onEngine(engine));
  return sections;
}

async function onEngine(engine: Engine): Promise<Section> {
  const few = await openLister(engine, [SMALL, SMALL_OWNER]);
  const many = await openLister(engine, [LARGE, OWNER]);
  const rows: Row[] = [];
  const compare = async (what: string, small: () => Promise<number>, large: () => Promise<number>) => {
    const times: { small: number[]; large: number[] } = { small: [], large: [] };
    for (let repeat = 0; repeat < REPEATS; repeat += 1) {
      times.small.push(await small());
      times.large.push(await large());
    }
    const ratio = median(times.large) / median(times.small);
    rows.push({
      what,
      figure: ms(median(times.large)),
      against: `few devices ${ms(median(times.small))}`,
      ratio: `${ratio.toFixed(2)} ×`,
      target: `at most ${TIMES} ×`,
      met: ratio <= TIMES,
    });
  };
  for (const { what, of } of PAGES) {
    const anywhere = (lister: Lister, fleet: Fleet) => {
      const account = fleet.first + Math.floor(Math.random() * fleet.accounts);
      return lister.time(account, of(fleet, account));
    };
    await compare(
      `${what}: 100,000 devices of 1,000 accounts`,
      () => anywhere(few, SMALL),
      () => anywhere(many, LARGE),
    );
  }
  for (const { what, share } of OWNER_PAGES) {
    const page = (lister: Lister, fleet: Fleet, where: number) =>
      lister.time(fleet.first, where === 0 ? {} : { cursor: at(fleet, fleet.first, where) });
    // Half of the small owner's devices are a whole page too.
    await compare(
      `${what} of one account's 100,000`,
      () => page(few, SMALL_OWNER, share === 0 ? 0 : 0.49),
      () => page(many, OWNER, share),
    );
  }
  await few.close();
  await many.close();
  return {
    title: `Pages of GET /devices on ${engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'}, page cache emptied each time`,
    note: `200,000 devices of 1,001 accounts are stored, against 3,000 of 11; medians of ${REPEATS}`,
    rows,
  };
}

interface Lister {
  /** Milliseconds for an uncached page. */
  time(account: number, query: Partial<ListQuery>): Promise<number>;
  close(): Promise<void>;
}

async function openLister(engine: Engine, fleets: readonly Fleet[]): Promise<Lister> {
  const place = await makePlace(engine);
  await storeFleet(place, fleets);
  const database = await place.open();
  const devices = createDevices({
    host: { database, log: silentLog },
    adapters: new Map(),
    calls: {
      isHere: async () => true,
      withVendor: () => Promise.reject(new Error('listing asked a vendor')),
    },
    interventions: createInterventions({
      host: { database, random: systemRandom, log: silentLog },
      adapters: new Map(),
    }),
    // Nobody else writes.
    eventLog: { follow: () => ({ isCurrent: true }) },
  });
  return {
    async time(account, query) {
      await devices.changed(account, []);
      const began = performance.now();
      const { body } = await devices.list(account, { limit: 1_000, ...query });
      const took = performance.now() - began;
      if (body.length < 200)
        throw new Error(`a page of account ${account} is empty: ${JSON.stringify(query)}`);
      return took;
    },
    async close() {
      await database.close();
      await place.remove();
    },
  };
}
