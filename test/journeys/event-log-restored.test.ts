import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { sql } from 'kysely';
import { MINUTE_MS } from '../../src/core/durations.ts';
import {
  createCursors,
  Expired,
  type GivenPosition,
  rendered,
} from '../../src/domain/records/events/index.ts';
import { createEventStore } from '../../src/domain/records/events/store.ts';
import { TEST_KEYS } from '../kit/accounts.ts';
import { type CoreWorld, makeCoreWorld } from '../kit/core-world.ts';
import { onEachEngine } from '../kit/databases.ts';
import { snapshotStore } from '../kit/snapshots.ts';
import { until } from '../kit/until.ts';
import { testVendor } from '../kit/vendor-for-tests.ts';

onEachEngine('a restored event log', (engine) => {
  let core: CoreWorld;
  let account: number;
  before(async () => {
    core = await makeCoreWorld(engine, [testVendor().adapter]);
    account = await core.newAccount();
    await core.link(account, 'testvendor');
  });
  after(() => core.remove());

  async function write(count: number): Promise<void> {
    const store = snapshotStore(core.database);
    for (let number = 0; number < count; number += 1) {
      core.clock.turn(MINUTE_MS);
      const at = core.clock.now();
      const state = { online: true, power_w: at };
      const snapshot = { state, limits: null, capacity: null, observedAt: at, fetchedAt: at };
      await store.write({ account, vendor: 'testvendor', id: 'light-1', snapshot });
    }
    const log = createEventStore(core.database);
    await until('what is committed can be read', async () => (await log.heldSince()) === null);
  }
  const page = (after?: GivenPosition) => core.eventLog.page({ account, after, filter: {}, limit: 1_000 });
  const cursors = () => createCursors(TEST_KEYS, core.eventLog.givenAt);
  const cursorNow = async () => cursors().encode(account, (await page()).end);
  const readFrom = (cursor: string) => page(cursors().decode(account, cursor));
  const isRestored = (error: unknown) =>
    error instanceof Expired && /has been restored from a backup/.test(error.message);

  it('a restored event log refuses a cursor from beyond its end, and says where to go on', async () => {
    await write(1);
    const { end } = await page();
    const beyond = { tx: end.tx + (engine === 'sqlite' ? 0 : 1_000), id: end.id, givenAt: core.clock.now() };
    const given = engine === 'sqlite' ? { ...beyond, id: end.id + 1 } : beyond;
    const error = await page(given).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof Expired && isRestored(error));
    const all = await page({ ...error.oldest, givenAt: core.clock.now() });
    assert.deepEqual(all.events, (await page()).events);
  });

  it('a restored event log refuses a cursor that it has caught up with, and no cursor of a log that has only grown', async () => {
    const kept = await cursorNow();
    await write(3);
    const { events, end } = await readFrom(kept);
    assert.equal(events.length, 3);
    // What was there when the cursor was given is lost, and other events have its places.
    await assert.rejects(page({ ...end, givenAt: core.clock.now() - MINUTE_MS }), isRestored);
    assert.deepEqual((await page({ ...end, givenAt: core.clock.now() })).events, []);
  });

  it('a restored event log is not taken for one whose newest events were forgotten with their user', async () => {
    const { end } = await page();
    const given = { ...end, givenAt: core.eventLog.givenAt() };
    await core.eventLog.forget({ account, userRef: 'someone' }, async () => {});
    assert.deepEqual((await page()).events, []);
    assert.deepEqual((await page(given)).events, []);
    await write(1);
    assert.equal((await page(given)).events.length, 1);
  });

  it('a restored event log gives no id a second time', async () => {
    await write(2);
    const before = (await page()).events.map((row) => rendered(row).id);
    const { events } = await page();
    await core.database.queries.deleteFrom('events').execute();
    // As a backup of before them has it.
    const lowest = Math.min(...events.map(({ id }) => id));
    await (engine === 'sqlite'
      ? sql`update sqlite_sequence set seq = ${lowest - 1} where name = 'events'`
      : sql`alter table events alter column id restart with ${sql.lit(lowest)}`
    ).execute(core.database.queries);
    await write(events.length);
    const again = await page();
    assert.deepEqual(
      again.events.map(({ id }) => id),
      events.map(({ id }) => id),
    );
    const ids = again.events.map((row) => rendered(row).id);
    assert.equal(new Set([...before, ...ids]).size, 2 * events.length);
  });
});
