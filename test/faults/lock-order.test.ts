import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { createRequestStore } from '../../src/domain/access/accounts/store-idempotency.ts';
import { createCommandStore } from '../../src/domain/devices/commands/store.ts';
import { createDeviceStore } from '../../src/domain/devices/devices/store.ts';
import { createPollStore } from '../../src/domain/devices/polling/store.ts';
import { type Core, type CoreWorld, makeCoreWorld, openCore } from '../kit/core-world.ts';
import { until } from '../kit/until.ts';
import { testVendor } from '../kit/vendor-for-tests.ts';

const skip = process.env.TEST_DATABASE_URL === undefined ? 'TEST_DATABASE_URL is not set' : false;

const ROUTE = 'POST /link';
const SEEN = { state: { online: true }, limits: null, capacity: null, observedAt: 1, fetchedAt: 1 };
const LEASE = { leaseMs: 30_000, deadline: Number.MAX_SAFE_INTEGER };

interface Scene {
  readonly account: number;
  readonly link: string;
}

/** Writes the rows `light-a`, `light-z` and `light-m`, or the named ones, in this order. */
type Write = (core: Core, names: readonly string[], scene: Scene) => Promise<unknown>;

const see: Write = ({ database }, names, { account, link }) => {
  const store = createDeviceStore(database);
  return Promise.all(
    names.map((id) => store.write({ account, link, vendor: 'testvendor', id, snapshot: SEEN })),
  );
};

const enter: Write = ({ database }, names, { account }) => {
  const store = createCommandStore(database);
  const entry = { account, vendor: 'testvendor', keyId: 'k', commandJson: '{}', at: 1, ...LEASE };
  return Promise.all(names.map((deviceId) => store.begin({ ...entry, id: crypto.randomUUID(), deviceId })));
};

const end: Write = ({ database }, names, { account }) => {
  const store = createCommandStore(database);
  return Promise.all(names.map((id) => store.finish({ account, id, status: 'done', error: null, at: 2 })));
};

const put: Write = ({ calls }, names, { account, link }) =>
  Promise.all(names.map((name) => calls.documents({ account, link }).put(name, 1)));

/** A foreign key without its row. */
const WITHOUT_LINK = '23503';
const putInVain: Write = (core, names, scene) =>
  assert.rejects(put(core, names, scene), { code: WITHOUT_LINK });

const held = (names: readonly string[], { account }: Scene) =>
  names.map((key) => ({ account, route: ROUTE, key, claim: 'mine' }));

const claim: Write = ({ database }, names, { account }) => {
  const store = createRequestStore(database);
  const fingerprint = { text: 'a', key: 'k1' };
  return Promise.all(
    held(names, { account, link: '' }).map((name) => store.insert({ ...name, fingerprint, ...LEASE })),
  );
};

const begin: Write = ({ database }, names, scene) => {
  const store = createRequestStore(database);
  return Promise.all(held(names, scene).map((name) => store.begin({ name, leaseMs: 30_000 })));
};

const answer: Write = ({ database }, names, scene) => {
  const store = createRequestStore(database);
  const response = { status: 200, code: null, body: '{}' };
  return Promise.all(held(names, scene).map((name) => store.finish({ name, answer: response })));
};

/** One by one and backwards: without an index to order them, a plan finds them in this order. */
const plan: Write = async ({ database }, names, { account, link }) => {
  const { add } = createPollStore(database);
  for (const device of names.toReversed())
    await add([{ account, link, device, vendor: 'testvendor', dueAt: 100, intervalSeconds: 60 }]);
};

const planAgain: Write = ({ database }, names, { account, link }) =>
  createPollStore(database).add(
    names.map((device) => ({ account, link, device, vendor: 'testvendor', dueAt: 50, intervalSeconds: 60 })),
  );

const hint: Write = ({ database }, names, { account, link }) =>
  createPollStore(database).hint(
    names.map((device) => ({ account, link, device, vendor: 'testvendor' })),
    2,
  );

const endPolls: Write = async ({ database }, names, { account, link }) => {
  const { queries } = database;
  const { finish } = createPollStore(database);
  const stored = queries.selectFrom('device_polls').selectAll().where('account_id', '=', account);
  const ids = new Map((await stored.execute()).map(({ id, device_id }) => [device_id, id]));
  const poll = { account, link, vendor: 'testvendor', plannedAt: 100, claimedUntil: 100 };
  const how = { intervalSeconds: 60, failures: 0, hintedAt: null, activeUntil: null };
  const next = { dueAt: 200, intervalSeconds: 60, failures: 0, askedAt: 1 };
  return Promise.all(
    names.map((device) => finish({ poll: { ...poll, ...how, device, id: ids.get(device) ?? 0 }, ...next })),
  );
};

const activate: Write = ({ database }, names, { account, link }) => {
  const store = createPollStore(database);
  return Promise.all(names.map((device) => store.activate({ account, link, device, until: 300, first: 50 })));
};

const holdBack: Write = ({ database }, _names, scene) =>
  createPollStore(database).holdBack({ ...scene, until: 400 });
const bringForward: Write = ({ database }, _names, scene) =>
  createPollStore(database).bringForward(scene, 10);

const linkAgain: Write = (core, _names, { account }) => core.link(account, 'testvendor');
const unlink: Write = ({ links }, _names, { account, link }) => links.remove(account, link);

const DEVICE_M = "update devices set name = name where id = 'light-m'";
const COMMAND_M = `insert into commands (account_id, id, vendor, device_id, key_id, command_json, status, requested_at, lease_until)
  select account_id, 'of-another', vendor, id, 'k', '{}', 'running', 1, 1 from devices where id = 'light-m'`;
const REQUEST_M = `insert into idempotent_requests (account_id, route, key, fingerprint, fingerprint_key, status, started_at, lease_until, claim, begun)
  select account_id, '${ROUTE}', id, 'a', 'k1', 'running', 1, 1, 'of-another', 0 from devices where id = 'light-m'`;
/** Adds so many links to the account that devices are looked up by link and not by account. */
const FILLED = `with filled as (
    insert into links (account_id, id, vendor, vendor_account, user_ref, status, status_since, created_at, updated_at, vault_key, sealed_credentials)
    select $1, 'link-' || n, 'testvendor', n, '', 'active', 1, 1, 1, 'k1', '' from generate_series(1, 300) as n returning account_id, id)
  insert into devices (account_id, vendor, id, link_id, user_ref, device_type, capabilities_json, details_json, created_at)
  select account_id, 'testvendor', n || id, id, '', 'light', '[]', '{}', 1 from filled, generate_series(1, 3) as n`;
const POLL_M = "update device_polls set failures = 0 where device_id = 'light-m'";
const DOCUMENT_M = "update link_documents set updated_at = 2 where name = 'light-m'";
const names = ['light-a', 'light-m', 'light-z'];
const nothing: Write = async () => {};

/** `middle` locks the row of `light-m`, or inserts it. */
const PAIRS: readonly {
  readonly what: string;
  readonly made?: Write;
  readonly middle: string;
  readonly first: Write;
  readonly second: Write;
  /** Codes with which PostgreSQL refuses what comes too late. */
  readonly refusals?: readonly string[];
}[] = [
  {
    what: 'a link that is deleted and the states of its devices',
    middle: DEVICE_M,
    first: unlink,
    second: see,
  },
  {
    what: 'a link that is deleted and the ends of its polls',
    made: plan,
    middle: POLL_M,
    first: unlink,
    second: endPolls,
  },
  {
    what: 'a link that is deleted and the polls of its commanded devices',
    made: plan,
    middle: POLL_M,
    first: unlink,
    second: activate,
  },
  {
    what: 'a link that is deleted and its documents',
    made: async (core, all, scene) => {
      for (const name of all.toReversed()) await put(core, [name], scene);
    },
    middle: DOCUMENT_M,
    first: unlink,
    second: putInVain,
    refusals: [WITHOUT_LINK],
  },
  { what: 'states of devices', middle: DEVICE_M, first: see, second: see },
  { what: 'the devices of a link and their states', middle: DEVICE_M, first: linkAgain, second: see },
  { what: 'entries of commands', middle: COMMAND_M, first: enter, second: enter },
  {
    what: 'ends of commands',
    made: async ({ database }, all, { account }) => {
      const store = createCommandStore(database);
      const entry = { account, vendor: 'testvendor', keyId: 'k', commandJson: '{}', at: 1, ...LEASE };
      await Promise.all(all.map((id) => store.begin({ ...entry, id, deviceId: id })));
    },
    middle: "update commands set error = null where id = 'light-m'",
    first: end,
    second: end,
  },
  {
    what: 'documents of vendors',
    made: put,
    middle: DOCUMENT_M,
    first: put,
    second: put,
  },
  { what: 'claims of idempotency keys', middle: REQUEST_M, first: claim, second: claim },
  {
    what: 'beginnings of keyed requests',
    made: claim,
    middle: "update idempotent_requests set begun = 0 where key = 'light-m'",
    first: begin,
    second: begin,
  },
  {
    what: 'answers of keyed requests',
    made: claim,
    middle: "update idempotent_requests set begun = 0 where key = 'light-m'",
    first: answer,
    second: answer,
  },
  { what: 'ends of polls', made: plan, middle: POLL_M, first: endPolls, second: endPolls },
  { what: 'polls of commanded devices', made: plan, middle: POLL_M, first: activate, second: activate },
  { what: 'polls that are added and hinted at', made: plan, middle: POLL_M, first: planAgain, second: hint },
  {
    what: 'ends of polls, and a link that is held back',
    made: plan,
    middle: POLL_M,
    first: endPolls,
    second: holdBack,
  },
  {
    what: 'polls of commanded devices, and a link that is brought forward',
    made: plan,
    middle: POLL_M,
    first: activate,
    second: bringForward,
  },
];

/** Errors of PostgreSQL, including those that were retried. */
const refused: string[] = [];
const { query } = pg.Client.prototype;
function watch(): void {
  pg.Client.prototype.query = function watched(this: pg.Client, ...parameters: unknown[]) {
    const asked = query.apply(this, parameters as never) as unknown;
    if (asked instanceof Promise) asked.catch((error: { code?: string }) => refused.push(error.code ?? ''));
    return asked;
  } as typeof query;
}

describe('two processes that write the same rows', { skip }, () => {
  const vendor = testVendor();
  let world: CoreWorld;
  let processes: readonly [Core, Core];
  let observer: pg.Client;
  const other = () => new pg.Client({ connectionString: world.place.url });

  before(async () => {
    world = await makeCoreWorld('postgres', [vendor.adapter]);
    const client = other();
    await client.connect();
    const { rows } = await client.query<{ name: string }>('select current_database() as name');
    // A plan that finds rows in the order in which they were passed, or else stored, whatever the tables contain.
    for (const setting of ['enable_hashjoin', 'enable_mergejoin', 'enable_seqscan', 'enable_indexscan'])
      await client.query(`alter database ${rows[0]?.name} set ${setting} = off`);
    await client.end();
    const url = new URL(world.place.url ?? '');
    // With these plans, a busy machine needs more than the usual ten seconds.
    url.searchParams.set('query_timeout', '60000');
    const place = world.place.through(url.href);
    const open = () => openCore({ place, clock: world.clock, adapters: [vendor.adapter] });
    processes = [await open(), await open()];
    observer = other();
    await observer.connect();
    watch();
  });
  after(async () => {
    pg.Client.prototype.query = query;
    await observer.end();
    for (const one of processes) await one.close();
    await world.remove();
  });

  /** The number of statements that wait for a lock. */
  async function waiting(): Promise<number> {
    const { rows } = await observer.query<{ waiting: number }>(
      "select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rows[0]?.waiting ?? 0;
  }

  for (const { what, made = nothing, middle, first, second, refusals = [] } of PAIRS) {
    it(`two processes that write the same rows wait for one another without a deadlock: ${what}`, async () => {
      const account = await world.newAccount();
      vendor.devices = ['light-z', 'light-m', 'light-a'];
      await world.link(account, 'testvendor');
      const [linked] = await world.links.list(account);
      assert.ok(linked);
      const scene = { account, link: linked.id };
      const [one, two] = processes;
      await made(one, names, scene);
      refused.length = 0;
      const third = other();
      await third.connect();
      await third.query(FILLED, [account]);
      await third.query('analyze devices');
      await third.query('begin');
      await third.query(`${middle} and account_id = ${account}`);
      const writing = [first(one, names, scene)];
      await until('the first waits for the middle row', async () => (await waiting()) === 1);
      writing.push(second(two, ['light-z', 'light-a'], scene));
      await until('the second waits for the first', async () => (await waiting()) === 2);
      await third.query('rollback');
      await third.end();
      await Promise.all(writing);
      // Several writes end with the first refusal: the others may still be on their way.
      assert.deepEqual(new Set(refused), new Set(refusals));
    });
  }
});
