import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import type { EventFilter, Position } from '../../src/domain/records/events/index.ts';
import { createEventStore, type EventStore } from '../../src/domain/records/events/store.ts';
import { type CoreWorld, makeCoreWorld } from '../kit/core-world.ts';
import { onEachEngine } from '../kit/databases.ts';
import { until } from '../kit/until.ts';

const numbersBetween = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index);

onEachEngine('the event log, newest first', (engine) => {
  let core: CoreWorld;
  let account: number;
  let log: EventStore;
  before(async () => {
    core = await makeCoreWorld(engine, []);
    log = createEventStore(core.database);
  });
  after(() => core.remove());
  beforeEach(async () => {
    account = await core.newAccount();
  });

  const write = async (numbers: readonly number[], of: { userRef?: string; device?: string } = {}) => {
    const { device = 'light-1', userRef = 'anna' } = of;
    const common = { account, type: 'device.reachable', link: 'link-1', vendor: 'sandbox', device, userRef };
    await core.database.transaction((transaction) =>
      core.database.events.append(
        transaction,
        numbers.map((n) => ({ ...common, occurredAt: n, data: { n } })),
      ),
    );
    await until('what is committed can be read', async () => (await log.heldSince()) === null);
  };
  const page = async (before: Position | undefined, limit = 1_000, filter: EventFilter = {}) => {
    const { events, ...more } = await core.eventLog.pageBack({ account, before, filter, limit });
    return { numbers: events.map(({ occurred_at }) => occurred_at), ...more };
  };
  /** All pages from the newest event on. */
  const pages = async (limit: number, filter: EventFilter = {}, between = async () => {}) => {
    const found: number[][] = [];
    for (let before: Position | undefined; ; ) {
      const { numbers, end, hasMore } = await page(before, limit, filter);
      found.push(numbers);
      if (!hasMore) return found;
      before = end;
      await between();
    }
  };

  it('the event log, newest first is the log backwards, by pages, however they end', async () => {
    await write([1, 2, 3]);
    await write([4, 5]);
    assert.deepEqual(await pages(1_000), [[5, 4, 3, 2, 1]]);
    assert.deepEqual(await pages(5), [[5, 4, 3, 2, 1]]);
    assert.deepEqual(await pages(2), [[5, 4], [3, 2], [1]]);
    assert.deepEqual(await pages(1), [[5], [4], [3], [2], [1]]);
  });

  it('the event log, newest first has each event once while others are written, none of which come in between', async () => {
    await write(numbersBetween(0, 20));
    let next = 100;
    const found = await pages(3, {}, () => write([next++]));
    assert.deepEqual(found.flat(), numbersBetween(0, 20).reverse());
  });

  // The embedded database has one writer.
  if (engine === 'postgres')
    it('the event log, newest first begins at the end that can be read, before what an older transaction may precede', async () => {
      await write([1]);
      const release = Promise.withResolvers<void>();
      const written = Promise.withResolvers<void>();
      const event = (n: number) => ({
        ...{ account, type: 'device.reachable', link: 'link-1', vendor: 'sandbox', device: 'light-1' },
        ...{ userRef: 'anna', occurredAt: n, data: {} },
      });
      const older = core.database.transaction(async (transaction) => {
        await core.database.events.append(transaction, [event(2)]);
        written.resolve();
        await release.promise;
      });
      await written.promise;
      await core.database.transaction((transaction) => core.database.events.append(transaction, [event(3)]));
      const first = await page(undefined);
      release.resolve();
      await older;
      assert.deepEqual(first.numbers, [1]);
      await write([4]);
      assert.deepEqual((await pages(10)).flat().toSorted(), [1, 2, 3, 4]);
    });

  it('the event log, newest first has places that lead in both directions, to each event in one of them', async () => {
    await write(numbersBetween(0, 10));
    const { end } = await page(undefined, 4);
    const later = await core.eventLog.page({ account, after: end, filter: {}, limit: 100 });
    assert.deepEqual(
      later.events.map(({ occurred_at }) => occurred_at),
      [6, 7, 8, 9],
    );
    assert.deepEqual((await page(end)).numbers, [5, 4, 3, 2, 1, 0]);
    const forward = await core.eventLog.page({ account, after: undefined, filter: {}, limit: 4 });
    assert.deepEqual((await page(forward.end)).numbers, [3, 2, 1, 0]);
    assert.deepEqual((await page(await core.eventLog.end(), 2)).numbers, [9, 8]);
  });

  it('the event log, newest first has what fits a filter, of the account only', async () => {
    await write([1, 2], { device: 'light-1' });
    await write([3], { device: 'light-2', userRef: 'bo' });
    await write([4], { device: 'light-1' });
    assert.deepEqual(await pages(2, { device: 'light-1' }), [[4, 2], [1]]);
    assert.deepEqual(await pages(9, { userRef: 'bo' }), [[3]]);
    assert.deepEqual(await pages(9, { link: 'link-1', types: ['device.reachable'] }), [[4, 3, 2, 1]]);
    assert.deepEqual(await pages(9, { types: ['link.linked'] }), [[]]);
    account = await core.newAccount();
    assert.deepEqual(await pages(9), [[]]);
  });

  it('the event log, newest first looks through 5,000 events for a page, and goes on from there', async () => {
    await write([1], { device: 'light-2' });
    await write(numbersBetween(10, 5_010));
    await write([6_000], { device: 'light-2' });
    const filter = { device: 'light-2' };
    const first = await page(undefined, 10, filter);
    assert.deepEqual([first.numbers, first.hasMore], [[6_000], true]);
    const second = await page(first.end, 10, filter);
    assert.deepEqual([second.numbers, second.hasMore], [[1], false]);
  });

  it('the event log, newest first ends where older events have been removed, without an error', async () => {
    await write([1, 2, 3, 4]);
    const { end } = await page(undefined, 1);
    const retained = await core.eventLog.page({ account, after: undefined, filter: {}, limit: 2 });
    await core.database.queries
      .deleteFrom('events')
      .where('account_id', '=', account)
      .where('occurred_at', '<=', 2)
      .execute();
    const { tx: removed_tx, id: removed_id } = retained.end;
    await core.database.queries.updateTable('event_log').set({ removed_tx, removed_id }).execute();
    assert.deepEqual((await page(end)).numbers, [3]);
    assert.deepEqual(await page({ tx: removed_tx, id: removed_id - 1 }), {
      numbers: [],
      end: { tx: removed_tx, id: removed_id - 1 },
      hasMore: false,
    });
  });
});
