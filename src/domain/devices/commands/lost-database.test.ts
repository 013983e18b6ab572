import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { type Core, type CoreWorld, makeCoreWorld, openCore } from '../../../../test/kit/core-world.ts';
import { ENGINES, makePlace, onEachEngine } from '../../../../test/kit/databases.ts';
import { type TcpProxy, tcpProxy } from '../../../../test/kit/tcp-proxy.ts';
import { until } from '../../../../test/kit/until.ts';
import { testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import { type TurnedClock, turnedClock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import type { Database } from '../../../db/database.ts';
import { createCommandStore } from './store.ts';

const reached = ENGINES.includes('postgres');
const ON = { type: 'turn_on' } as const;

const rowsOf = (database: Database) =>
  database.queries
    .selectFrom('commands')
    .select(['status', 'error'])
    .orderBy('requested_at')
    .execute()
    .then((rows) => rows.map((row) => ({ ...row })));

/** So many times as fast as for us: what cannot be stored is given up after an hour, which must not pass in a test. */
const FASTER = 20;

/** Lets time pass until a promise settles. */
async function settled<T>(clock: TurnedClock, promise: Promise<T>): Promise<T> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  promise.then(over, over);
  let before = performance.now();
  await until('it has an outcome', () => {
    const ms = Math.floor((performance.now() - before) * FASTER);
    clock.turn(ms);
    before += ms / FASTER;
    return isOver;
  });
  return promise;
}

describe('a command whose end the full disk of the embedded database does not take', () => {
  const vendor = testVendor();
  const fill = (world: CoreWorld, isFull: boolean) =>
    sql`pragma query_only = ${sql.raw(isFull ? 'on' : 'off')}`.execute(world.database.queries);

  for (const [how, end, code, status] of [
    ['is done', async () => {}, undefined, 'done'],
    [
      'is refused',
      () => Promise.reject(new AppError('vendor.refused', 'broken\0lamp')),
      'vendor.refused',
      'failed',
    ],
  ] as const) {
    it(`a command whose end the full disk of the embedded database does not take is answered with what the vendor did when it ${how}, and stored once there is space`, async () => {
      const world = await makeCoreWorld('sqlite', [vendor.adapter]);
      const account = await world.newAccount();
      await world.link(account, 'testvendor');
      vendor.onCommand = async () => {
        await fill(world, true);
        return end();
      };
      const sent = settled(world.clock, world.send(account, 'light-1', ON)).then(
        ({ id }) => ({ id }),
        (error: AppError) => ({ code: error.code }),
      );
      assert.deepEqual(await sent, code === undefined ? { id: 'light-1' } : { code });
      assert.deepEqual((await rowsOf(world.database))[0]?.status, 'running');
      await fill(world, false);
      await until('it is stored', async () => {
        world.clock.turn(500);
        return (await rowsOf(world.database))[0]?.status === status;
      });
      vendor.onCommand = async () => {};
      assert.equal((await world.send(account, 'light-1', ON)).id, 'light-1');
      await world.remove();
    });
  }

  it('a command whose end the full disk of the embedded database does not take is unknown after the next start, when this one ends before there is space', async () => {
    const world = await makeCoreWorld('sqlite', [vendor.adapter]);
    const account = await world.newAccount();
    await world.link(account, 'testvendor');
    vendor.onCommand = async () => void (await fill(world, true));
    await settled(world.clock, world.send(account, 'light-1', ON));
    world.commands.close();
    await fill(world, false);
    world.clock.turn(10_000);
    assert.equal((await rowsOf(world.database))[0]?.status, 'running');
    await createCommandStore(world.database).giveUpAll(world.clock.now());
    assert.equal((await rowsOf(world.database))[0]?.status, 'unknown');
    await world.remove();
  });
});

describe('a command while PostgreSQL goes away', {
  skip: reached ? false : 'TEST_DATABASE_URL is not set',
}, () => {
  interface Behind {
    readonly core: Core;
    /** The same database by a wire that holds. */
    readonly seen: Database;
    readonly wire: TcpProxy;
    readonly clock: TurnedClock;
    readonly account: number;
    readonly vendor: ReturnType<typeof testVendor>;
  }

  async function behindAWire(test: (behind: Behind) => Promise<void>): Promise<void> {
    const vendor = testVendor();
    const world = await makeCoreWorld('postgres', [vendor.adapter]);
    const account = await world.newAccount();
    await world.link(account, 'testvendor');
    const wire = await tcpProxy(world.place.url ?? '');
    const clock = turnedClock();
    const url = new URL(wire.through(world.place.url ?? ''));
    // As long as a statement is waited for, in a test.
    url.searchParams.set('query_timeout', '300');
    const core = await openCore({ place: world.place.through(url.href), clock, adapters: [vendor.adapter] });
    // What is remembered needs no database.
    await core.send(account, 'light-1', ON);
    await world.database.queries.deleteFrom('commands').execute();
    vendor.calls.length = 0;
    try {
      await test({ core, seen: world.database, wire, clock, account, vendor });
    } finally {
      await wire.resume();
      await core.close();
      await wire.close();
      await world.remove();
    }
  }

  for (const [how, lose, back] of [
    ['dies', (wire: TcpProxy) => wire.cut(), (wire: TcpProxy) => wire.resume()],
    ['is silent', async (wire: TcpProxy) => wire.freeze(), (wire: TcpProxy) => wire.resume()],
    ['is paused', async (wire: TcpProxy) => wire.freeze(), async (wire: TcpProxy) => wire.thaw()],
  ] as const) {
    it(`a command while PostgreSQL goes away is done when it ${how} after the vendor has taken it, and kept as done when it is back`, () =>
      behindAWire(async ({ core, seen, wire, clock, account, vendor }) => {
        vendor.onCommand = () => lose(wire);
        const { id } = await settled(clock, core.send(account, 'light-1', ON));
        assert.equal(id, 'light-1');
        await back(wire);
        await until('it is stored', async () => {
          clock.turn(100);
          const [row] = await rowsOf(seen);
          assert.notEqual(row?.status, 'failed');
          return row?.status === 'done';
        });
        assert.equal(vendor.count('command'), 1);
      }));
  }

  it('a command while PostgreSQL goes away that was never sent leaves nothing behind: not the entry that the server made late, nor the queue', () =>
    behindAWire(async ({ core, seen, wire, clock, account, vendor }) => {
      wire.freeze();
      const sent = settled(clock, core.send(account, 'light-1', ON));
      await assert.rejects(sent, { code: 'database.unavailable' });
      // The server goes on with what nobody waits for any more.
      wire.thaw();
      // Twice: at once, and when an entry can no longer come.
      for (let passed = 0; passed < 10_000; passed += 100) {
        clock.turn(100);
        await rowsOf(seen);
      }
      await until('the entry is withdrawn', async () => (await rowsOf(seen)).length === 0);
      assert.equal(vendor.count('command'), 0);
      const next = await settled(clock, core.send(account, 'light-1', ON));
      assert.equal(next.id, 'light-1');
      await until('only the second is kept', async () => {
        const rows = await rowsOf(seen);
        return rows.length === 1 && rows[0]?.status === 'done';
      });
    }));

  it('a command while PostgreSQL goes away is unknown, not to be tried again, when the database fails an adapter that was sending it', () =>
    behindAWire(async ({ core, clock, account, vendor, seen }) => {
      vendor.onCommand = () => Promise.reject(new AppError('database.unavailable', 'try again'));
      await assert.rejects(settled(clock, core.send(account, 'light-1', ON)), {
        code: 'command.outcome_unknown',
      });
      await until('it is stored', async () => {
        clock.turn(100);
        const [row] = await rowsOf(seen);
        assert.notEqual(row?.status, 'failed');
        return row?.status === 'unknown';
      });
    }));
});

onEachEngine('the entry of a command', (engine) => {
  it('the entry of a command is not made after its deadline, by the clock of the database', async () => {
    const place = await makePlace(engine);
    const database = await place.open();
    const store = createCommandStore(database);
    const start = {
      account: 1,
      id: 'a',
      vendor: 'v',
      deviceId: 'd',
      keyId: 'k',
      commandJson: '{}',
      at: 0,
      leaseMs: 30_000,
    };
    assert.equal(await store.begin({ ...start, deadline: database.moments.clock.now() - 1_000 }), false);
    assert.deepEqual(await rowsOf(database), []);
    assert.equal(await store.begin({ ...start, deadline: database.moments.clock.now() + 8_000 }), true);
    assert.equal(
      await store.begin({ ...start, id: 'b', deadline: database.moments.clock.now() + 8_000 }),
      false,
    );
    await database.close();
    await place.remove();
  });
});
