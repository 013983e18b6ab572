import type { Adapter } from '../../src/adapter/adapter.ts';
import type { Command } from '../../src/adapter/commands.ts';
import type { Reach } from '../../src/adapter/reach.ts';
import { createConnectCore } from '../../src/bin/connect-core.ts';
import { type Clock, type TurnedClock, turnedClock } from '../../src/core/clock.ts';
import { systemRandom } from '../../src/core/ids.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { type Log, silentLog } from '../../src/core/log.ts';
import { createMetrics } from '../../src/core/metrics.ts';
import { OUTBOUND_ON } from '../../src/core/outbound.ts';
import type { Database } from '../../src/db/database.ts';
import { type Accounts, createAccounts } from '../../src/domain/access/accounts/index.ts';
import { createPrices } from '../../src/domain/market/prices/index.ts';
import type { Poster } from '../../src/domain/records/subscriptions/index.ts';
import { createVault } from '../../src/domain/vendor-calls/calls/index.ts';
import { createPoster, permittedAddresses } from '../../src/outbound/index.ts';
import { TEST_KEYS } from './accounts.ts';
import { type Engine, makePlace, type Place } from './databases.ts';
import { LOOPBACK } from './loopback.ts';

/** Links, devices and commands of one process, without HTTP. */
export type Core = Awaited<ReturnType<typeof openCore>>;

interface CoreOptions {
  readonly place: Pick<Place, 'open'>;
  readonly clock: Clock;
  readonly adapters: readonly Adapter[];
  /** The destination of calls of adapters with hosts. */
  readonly hostOf?: Reach['hostOf'];
  /** What asks devices for the certificates that are kept with their links. */
  readonly certificateAt?: Reach['certificateAt'];
  /** What opens their WebSockets. */
  readonly openSocket?: Reach['openSocket'];
  /** The source of their streams of events. */
  readonly openEvents?: Reach['openEvents'];
  /** What their connections to devices and brokers are kept by. */
  readonly connections?: Reach['connections'];
  readonly log?: Log;
  /** What posts events to receivers; by default to this machine. */
  readonly poster?: Poster;
}

const PARTNER = { clientId: 'elnav-tests', clientSecret: 'a-secret-of-the-tests' };

function noHost(adapter: Adapter): never {
  throw new Error(`${adapter.slug} is called, but the test sets none of its hosts`);
}

/** Opens a process on a place: several at a time on PostgreSQL. */
export async function openCore({
  place,
  clock,
  adapters: list,
  hostOf = noHost,
  certificateAt,
  openSocket,
  openEvents,
  connections,
  log = silentLog,
  poster,
}: CoreOptions) {
  const database: Database = await place.open(clock);
  const bounds = { links: 1_000 };
  const suspended = new Set<number>();
  const metrics = createMetrics();
  const vault = createVault(TEST_KEYS, systemRandom);
  const posting = createPoster({
    guard: permittedAddresses(LOOPBACK),
    clock,
    userAgent: 'elnav/test',
    outbound: OUTBOUND_ON,
  });
  const prices = await createPrices({
    ...{ database, clock, random: systemRandom, log, metrics },
    sources: [],
    sessionOf: async () => undefined,
    isOn: false,
    mayFetch: false,
  });
  const core = await createConnectCore({
    prices,
    poster: poster ?? posting,
    host: { database, clock, random: systemRandom, log, metrics },
    adapters: new Map(list.map((adapter) => [adapter.slug, adapter])),
    vault,
    outbound: OUTBOUND_ON,
    reach: {
      hostOf,
      partnerOf: () => PARTNER,
      ...(certificateAt === undefined ? {} : { certificateAt }),
      ...(openSocket === undefined ? {} : { openSocket }),
      ...(openEvents === undefined ? {} : { openEvents }),
      ...(connections === undefined ? {} : { connections }),
    },
    hasOwnAddress: () => false,
    webhookUrlOf: (vendor) => `https://elnav.example/webhooks/${vendor}`,
    isSimulated: () => false,
    standsIn: () => false,
    mostLinks: async () => bounds.links,
    historyKept: { rawDays: 90, quarterDays: 1_096 },
    accounts: {
      noteChange: async () => {},
      isSuspended: (account) => suspended.has(account),
      watchClosing: () => {},
      closing: async () => [],
      clearAudit: async () => 0,
    },
  });
  const { commands, deliveries, devices, discovery, links, polling, setPoints, streams } = core;
  return {
    ...core,
    database,
    /** The limits of the account by default. */
    bounds,
    /** Accounts that are suspended, as far as this process knows. */
    suspended,
    vault,
    metrics,
    link: async (account: number, vendor: string, credentials: JsonObject = { user: 'u', password: 'p' }) =>
      (await links.link({ account, vendor, userRef: 'someone', credentials, begun: async () => {} })).devices,
    send: (account: number, deviceId: string, command: Command) =>
      commands.run({ account, keyId: 'k', deviceId, vendor: undefined, command, begun: async () => {} }),
    read: async (account: number, id: string): Promise<JsonObject> =>
      JSON.parse((await devices.read(account, id)).toString()),
    list: async (account: number, query: object = {}): Promise<JsonObject[]> =>
      JSON.parse((await devices.list(account, { limit: 1_000, ...query })).body.toString()),
    async close() {
      await setPoints.close();
      commands.close();
      await streams.close();
      await polling.close();
      await discovery.close();
      await deliveries.close();
      await devices.flush();
      await core.history.close();
      await core.sessions.close();
      await core.subscriptions.close();
      await posting.close();
      await core.eventLog.close();
      await prices.close();
      await database.close();
    },
  };
}

/** An empty place with one process, and accounts to use it. */
export interface CoreWorld extends Core {
  readonly place: Place;
  readonly clock: TurnedClock;
  newAccount(): Promise<number>;
  /** Another process on the same database; PostgreSQL only. */
  another(): Promise<Core>;
  remove(): Promise<void>;
}

export async function makeCoreWorld(
  engine: Engine,
  adapters: readonly Adapter[],
  {
    clock = turnedClock(),
    ...more
  }: Omit<CoreOptions, 'place' | 'clock' | 'adapters'> & { clock?: TurnedClock } = {},
): Promise<CoreWorld> {
  const place = await makePlace(engine);
  const core = await openCore({ place, clock, adapters, ...more });
  const accounts: Accounts = await createAccounts({
    database: core.database,
    clock,
    random: systemRandom,
    log: silentLog,
    vaultKeys: TEST_KEYS,
  });
  let users = 0;
  return {
    ...core,
    place,
    clock,
    async newAccount() {
      users += 1;
      const user = { email: `u${users}@example.com`, name: '', tier: 'free' };
      return (await accounts.users.create(user, { name: 'admin', ip: '192.0.2.1', requestId: 'r' })).id;
    },
    another: () => openCore({ place, clock, adapters, ...more }),
    async remove() {
      await accounts.close();
      await core.close();
      await place.remove();
    },
  };
}
