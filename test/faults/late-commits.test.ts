import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { LinkKey } from '../../src/adapter/session.ts';
import type { Database } from '../../src/db/database.ts';
import type { Tables } from '../../src/db/tables.ts';
import { createDeviceStore, type SnapshotWrite } from '../../src/domain/devices/devices/store.ts';
import { type LoggedEvent, type Position, rendered } from '../../src/domain/records/events/index.ts';
import { createEventStore } from '../../src/domain/records/events/store.ts';
import { type Core, type CoreWorld, makeCoreWorld } from '../kit/core-world.ts';
import { ENGINES, onEachEngine } from '../kit/databases.ts';
import { until } from '../kit/until.ts';
import { testVendor } from '../kit/vendor-for-tests.ts';

const DEVICES = ['light-0', 'light-1', 'light-2'];
const skip = ENGINES.includes('postgres') ? false : 'TEST_DATABASE_URL is not set';

const snapshotOf = (of: LinkKey, id: string, power_w: number): SnapshotWrite => ({
  account: of.account,
  link: of.link,
  vendor: 'testvendor',
  id,
  snapshot: {
    state: { online: true, power_w },
    limits: null,
    capacity: null,
    observedAt: power_w,
    fetchedAt: power_w,
  },
});

interface Change {
  readonly from: number | null;
  readonly to: number;
}
const changeOf = ({ data }: LoggedEvent): Change =>
  (data.changes as Readonly<Record<string, Change>>).power_w ?? { from: null, to: Number.NaN };

/** Reads an account's events from a cursor on, as a caller does. */
function reader(core: Core, account: number) {
  let after: Position | undefined;
  return async (): Promise<LoggedEvent[]> => {
    const page = await core.eventLog.page({ account, after, filter: {}, limit: 7 });
    after = page.end;
    return page.events.map(rendered);
  };
}

describe('events of transactions that end late, on postgres', { skip }, () => {
  const vendor = testVendor();
  let core: CoreWorld;
  let account: number;
  let linked: LinkKey;
  before(async () => {
    core = await makeCoreWorld('postgres', [vendor.adapter]);
  });
  after(() => core.remove());
  beforeEach(async () => {
    account = await core.newAccount();
    vendor.devices = DEVICES;
    await core.link(account, 'testvendor');
    linked = { account, link: (await core.links.list(account))[0]?.id ?? assert.fail() };
  });

  /** A transaction that stays open until it is ended. */
  async function open(database: Database) {
    const { promise: held, resolve: end } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<Transaction<Tables>>();
    const done = database.transaction(async (transaction) => {
      begin(transaction);
      await held;
    });
    const transaction = await begun;
    return {
      transaction,
      async end() {
        end();
        await done;
      },
    };
  }
  const note = (n: number) => ({
    ...{ account, type: 'link.recovered', link: 'link-1', occurredAt: 1 },
    data: { n },
  });
  const allOf = async (read: () => Promise<LoggedEvent[]>, count: number): Promise<LoggedEvent[]> => {
    const found: LoggedEvent[] = [];
    await until(`${count} events were read`, async () => {
      found.push(...(await read()));
      return found.length >= count;
    });
    return found;
  };

  it('events of transactions that end late, on postgres reach a reader whose cursor was beyond their ids before they were committed', async () => {
    const { database } = core;
    const read = reader(core, account);
    await allOf(read, 4);
    const late = await open(database);
    await database.events.append(late.transaction, [note(1)]);
    await database.transaction((transaction) => database.events.append(transaction, [note(2)]));
    const { rows } = await sql<{ id: number; data_json: string }>`
      select id, data_json from events where account_id = ${account} order by id desc limit 1`.execute(
      database.queries,
    );
    assert.equal(rows[0]?.data_json, '{"n":2}', 'the younger one is committed');
    for (let time = 0; time < 3; time += 1) assert.deepEqual(await read(), []);
    assert.ok((await createEventStore(database).heldSince()) !== null, 'the metric says that it waits');
    await late.end();
    const found = await allOf(read, 2);
    assert.deepEqual(
      found.map(({ data }) => data.n),
      [1, 2],
    );
  });

  it('events of transactions that end late, on postgres come after what another transaction did before to the same device, though theirs began first', async () => {
    const { database } = core;
    const store = createDeviceStore(database);
    const read = reader(core, account);
    await allOf(read, 4);
    const [link] = await core.links.list(account);
    assert.ok(link !== undefined);
    const of = { account, link: link.id, vendor: 'testvendor', userRef: 'someone' };
    const old = await open(database);
    await numbered(old.transaction);
    await store.write(snapshotOf(linked, 'light-0', 1));
    await store.hold(old.transaction, of);
    await store.logRemoved(old.transaction, of, 2);
    await old.end();
    const found = (await allOf(read, 4)).filter(({ subject }) => subject.device === 'light-0');
    assert.deepEqual(
      found.map(({ type }) => type),
      ['device.state_changed', 'device.removed'],
    );
  });

  it('events of transactions that end late, on postgres of one shared commit keep the order of each device, where they waited for one that began later', async () => {
    const { database } = core;
    const store = createDeviceStore(database);
    const read = reader(core, account);
    await allOf(read, 4);
    const blocker = await open(database);
    await sql`select 1 from devices where account_id = ${account} and id = 'light-1' for update`.execute(
      blocker.transaction,
    );
    // It has its number from the first device, and waits for the second.
    const waiting = Promise.all(DEVICES.map((id) => store.write(snapshotOf(linked, id, 2))));
    await until('it waits', async () => (await waitingFor(database.queries)) > 0);
    await createDeviceStore(database).write(snapshotOf(linked, 'light-2', 1));
    await blocker.end();
    await waiting;
    const found = (await allOf(read, 4)).filter(({ subject }) => subject.device === 'light-2');
    assert.deepEqual(found.map(changeOf), [
      { from: null, to: 1 },
      { from: 1, to: 2 },
    ]);
  });

  it('events of transactions that end late, on postgres go on after those of a server that had counted further, where a dump is restored', async () => {
    const { database } = core;
    const read = reader(core, account);
    await allOf(read, 4);
    // As it is in a new server: the log has been to where its transactions are in years.
    await sql`update events set tx = tx + 5000000000`.execute(database.queries);
    await sql`update devices set logged_tx = 6000000000`.execute(database.queries);
    await createEventStore(database).goOn();
    await createEventStore(database).goOn();
    await createDeviceStore(database).write(snapshotOf(linked, 'light-0', 1));
    const again = reader(core, account);
    const found = await allOf(again, 5);
    assert.equal(found.at(-1)?.type, 'device.state_changed');
  });

  const numbered = (on: Kysely<Tables>) => sql`select pg_current_xact_id()`.execute(on);
  async function waitingFor(on: Kysely<Tables>): Promise<number> {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(on);
    return rows[0]?.count ?? 0;
  }
});

onEachEngine('events while many write and one reads', (engine) => {
  it('events while many write and one reads lead from each state of a device to its next one, whoever wrote it, to the last', async (t) => {
    const vendor = testVendor();
    const world = await makeCoreWorld(engine, [vendor.adapter]);
    t.after(() => world.remove());
    const account = await world.newAccount();
    vendor.devices = DEVICES;
    await world.link(account, 'testvendor');
    const other = engine === 'postgres' ? await world.another() : undefined;
    t.after(() => other?.close());
    const writers = [world, other ?? world].map((core) => createDeviceStore(core.database));
    const link = (await world.links.list(account))[0]?.id ?? assert.fail();
    const linked = { account, link };
    const read = reader(world, account);
    const found: LoggedEvent[] = [];
    let isWriting = true;
    const reading = until('all is read', async () => {
      const wasWriting = isWriting;
      const events = await read();
      found.push(...events);
      return (
        !wasWriting && events.length === 0 && (await createEventStore(world.database).heldSince()) === null
      );
    });
    let power = 0;
    for (let round = 0; round < 40; round += 1)
      await Promise.all(
        writers.flatMap((store, which) =>
          DEVICES.map((id) => {
            power += 1;
            return which === 0
              ? store.write(snapshotOf(linked, id, power))
              : store.writeInBackground(snapshotOf(linked, id, power));
          }),
        ),
      );
    isWriting = false;
    await reading;
    for (const id of DEVICES) {
      const changes = found
        .filter(({ type, subject }) => type === 'device.state_changed' && subject.device === id)
        .map(changeOf);
      assert.equal(changes.length, 80);
      for (const [index, { from }] of changes.entries())
        assert.equal(from, index === 0 ? null : changes[index - 1]?.to, `change ${index} of ${id}`);
      const stored = (await createDeviceStore(world.database).byId(account, id))[0]?.snapshot?.state.power_w;
      assert.equal(changes.at(-1)?.to, stored);
    }
  });
});
