import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type RawBuilder, sql } from 'kysely';
import type { Adapter } from '../../src/adapter/adapter.ts';
import { type Clock, turnedClock } from '../../src/core/clock.ts';
import { HOUR_MS } from '../../src/core/durations.ts';
import { createDeliveryStore } from '../../src/domain/devices/deliveries/store.ts';
import { news, pushing } from '../../src/domain/devices/deliveries/test-pushing.ts';
import { type Core, makeCoreWorld, openCore } from '../kit/core-world.ts';
import { ENGINES } from '../kit/databases.ts';
import { until } from '../kit/until.ts';
import { type TestVendor, testVendor } from '../kit/vendor-for-tests.ts';

const skip = ENGINES.includes('postgres') ? false : 'TEST_DATABASE_URL is not set';
const PACE = { active: 600, idle: 600, asleep: 600 };

/** A clock that differs from the database's, and fires its timers when it is told to. */
interface WrongClock extends Clock {
  pass(ms: number): void;
  /** Lets the time pass that has passed since the last call: a read is not too late because a test turns faster than queries take. */
  follow(): void;
}

function wrongBy(ms: number): WrongClock {
  const timers = turnedClock(0);
  let last = Date.now();
  const follow = () => {
    const now = Date.now();
    timers.turn(now - last);
    last = now;
  };
  return { now: () => Date.now() + ms, after: timers.after, pass: timers.turn, follow };
}

interface Side extends Core {
  readonly clock: WrongClock;
}

interface Two {
  readonly vendor: TestVendor;
  readonly account: number;
  /** Goes first. */
  readonly one: Side;
  readonly other: Side;
  /** Moves the times in this column into the past, as if that time had passed on every clock. */
  age(column: 'due_at' | 'fetched_at' | 'held_until' | 'renewing_until', ms: number): Promise<void>;
  /** The result of a query, in ms after the database's clock. */
  fromNow(of: RawBuilder<unknown>): Promise<number[]>;
  linkId(): Promise<string>;
  /** Keeps a process waiting until the test opens it, or ends. */
  gate(): { readonly opened: Promise<void>; open(): void };
}

const TABLES = {
  due_at: ['device_polls', 'webhook_subscriptions', 'webhook_deliveries'],
  fetched_at: ['devices'],
  held_until: ['link_streams'],
  renewing_until: ['link_tokens'],
} as const;

/** Two processes on one database whose clocks are wrong by so much. */
async function withTwo(
  wrong: readonly [number, number],
  made: (vendor: TestVendor) => Adapter,
  work: (two: Two) => Promise<void>,
): Promise<void> {
  const vendor = testVendor({ pollSeconds: 10 });
  const adapters = [made(vendor)];
  const world = await makeCoreWorld('postgres', adapters);
  const account = await world.newAccount();
  const open = async (ms: number): Promise<Side> => {
    const clock = wrongBy(ms);
    return { ...(await openCore({ place: world.place, clock, adapters })), clock };
  };
  const [one, other] = [await open(wrong[0]), await open(wrong[1])];
  const { queries } = world.database;
  const end = Promise.withResolvers<void>();
  try {
    await work({
      ...{ vendor, account, one, other },
      async age(column, ms) {
        for (const table of TABLES[column])
          await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sql.ref(column)} - ${ms}`.execute(
            queries,
          );
      },
      async fromNow(of) {
        const { rows } = await sql<{ ms: number }>`
          select at - (extract(epoch from clock_timestamp()) * 1000)::bigint as ms from (${of}) as q(at)`.execute(
          queries,
        );
        return rows.map(({ ms }) => Number(ms));
      },
      gate() {
        const { promise, resolve } = Promise.withResolvers<void>();
        return { opened: Promise.race([promise, end.promise]), open: resolve };
      },
      linkId: async () => (await one.links.list(account))[0]?.id ?? assert.fail('nothing is linked'),
    });
  } finally {
    end.resolve();
    await Promise.all([one.close(), other.close()]);
    await world.remove();
  }
}

const DIFFERENCES = [
  ['the other is an hour ahead', [0, HOUR_MS]],
  ['the other is an hour behind', [0, -HOUR_MS]],
  ['the first is an hour ahead', [HOUR_MS, 0]],
  ['the first is an hour behind', [-HOUR_MS, 0]],
] as const;

describe('two processes whose clocks differ by an hour', { skip }, () => {
  for (const [difference, wrong] of DIFFERENCES) {
    it(`two processes whose clocks differ by an hour read each device once, and the tasks of a dead process are taken over: ${difference}`, async () => {
      const polled = (vendor: TestVendor): Adapter => ({ ...vendor.adapter, pace: PACE });
      await withTwo(wrong, polled, async ({ vendor, account, one, other, age, fromNow, gate }) => {
        vendor.devices = ['light-1', 'light-2', 'light-3'];
        await one.link(account, 'testvendor');
        const planned = await fromNow(sql`select due_at from device_polls`);
        assert.equal(planned.length, 3);
        for (const ms of planned) assert.ok(ms > -5_000 && ms <= 30_000, `first read in ${ms} ms`);
        await age('due_at', 40_000);
        const answer = gate();
        vendor.onRead = () => answer.opened;
        one.polling.start();
        await until('the first reads', () => {
          one.clock.follow();
          return vendor.count('read') === 3;
        });
        let looked = 0;
        other.polling.start();
        await until('the other has looked for devices to read', async () => {
          other.clock.pass(1_000);
          await fromNow(sql`select 0`);
          looked += 1;
          return looked === 60 || vendor.count('read') > 3;
        });
        assert.equal(vendor.count('read'), 3, 'each is read by one');
        // The first process dies during the reads: it sends nothing for three minutes.
        vendor.onRead = async () => {};
        await age('due_at', 185_000);
        await until('the other reads them', () => {
          other.clock.follow();
          return vendor.count('read') === 6;
        });
        await other.polling.settled();
        answer.open();
        await one.polling.settled();
        // Whichever process reads it, it is due then and not an hour later.
        for (const next of [one, other]) {
          for (const ms of await fromNow(sql`select due_at from device_polls`))
            assert.ok(ms > 500_000 && ms <= 690_000, `next read in ${ms} ms`);
          for (const ms of await fromNow(sql`select fetched_at from devices`))
            assert.ok(Math.abs(ms) < 60_000, `read ${ms} ms from now`);
          await age('due_at', 700_000);
          await age('fetched_at', 700_000);
          vendor.calls.length = 0;
          vendor.reading = { online: true, on: true, watt: next === one ? 111 : 222 };
          await until('they are read again', () => {
            next.clock.follow();
            return vendor.count('read') === 3;
          });
          await next.polling.settled();
          const watts = (await next.list(account)).map(({ state }) => (state as { power_w: number }).power_w);
          assert.deepEqual(
            watts,
            Array.from({ length: 3 }, () => vendor.reading.watt),
            'and kept',
          );
        }
      });
    });

    it(`two processes whose clocks differ by an hour hold one stream per link, which the other takes over when the first is dead: ${difference}`, async () => {
      let runs = 0;
      const streaming = (vendor: TestVendor): Adapter => ({
        ...vendor.adapter,
        stream: {
          silenceSeconds: 86_400,
          run(session, _devices, opened) {
            runs += 1;
            opened();
            return new Promise((resolve) => {
              session.signal.addEventListener('abort', () => resolve(), { once: true });
            });
          },
        },
      });
      await withTwo(wrong, streaming, async ({ account, one, other, age, linkId }) => {
        runs = 0;
        await one.link(account, 'testvendor');
        const link = { account, link: await linkId(), vendor: 'testvendor' };
        one.streams.start();
        await until('the first holds it', () => runs === 1);
        await until('the other has noticed', () => other.streams.isOpen(link));
        other.streams.start();
        for (let look = 0; look < 10; look += 1) {
          await other.streams.settled();
          other.clock.pass(5_000);
        }
        await other.streams.settled();
        assert.equal(runs, 1, 'one stream');
        await age('held_until', 31_000);
        assert.equal(await other.streams.isOpen(link), false, 'its holder is dead');
        await until('the other takes it', async () => {
          other.clock.pass(5_000);
          await other.streams.settled();
          return runs === 2;
        });
        await until('it is open again', () => one.streams.isOpen(link));
      });
    });

    it(`two processes whose clocks differ by an hour renew the tokens of a link one at a time, and the other takes over when the first is dead: ${difference}`, async () => {
      await withTwo(
        wrong,
        ({ adapter }) => adapter,
        async ({ account, one, other, age, linkId, fromNow, gate }) => {
          await one.link(account, 'testvendor');
          const key = { account, link: await linkId() };
          const tokens = { access: 'a0', refresh: 'r0', expiresAt: Date.now() + 24 * HOUR_MS };
          await one.calls.tokens.put(one.database.queries, key, tokens);
          let asked = 0;
          const answer = gate();
          const ask = (access: string) => async () => {
            asked += 1;
            await answer.opened;
            return { ...tokens, access };
          };
          const first = one.calls.tokens.keeper(key, ask('of the first')).renewed(tokens);
          await until('the first asks the vendor', () => asked === 1);
          const second = other.calls.tokens.keeper(key, ask('of the other')).renewed(tokens);
          let looked = 0;
          const lookAgain = async () => {
            other.clock.pass(100);
            await fromNow(sql`select 0`);
            looked += 1;
          };
          await until('the other has looked whether it may', async () => {
            await lookAgain();
            return looked === 50 || asked > 1;
          });
          assert.equal(asked, 1, 'the vendor is asked once');
          await age('renewing_until', 76_000);
          await until('the other takes it over', async () => {
            await lookAgain();
            return asked === 2;
          });
          answer.open();
          const [{ access }, { access: same }] = await Promise.all([first, second]);
          assert.equal(access, same, 'what was stored first counts');
        },
      );
    });

    it(`two processes whose clocks differ by an hour subscribe to webhooks once, and the other takes over when the first is dead: ${difference}`, async () => {
      let asked = 0;
      let answered = Promise.resolve();
      const subscribe = async () => {
        asked += 1;
        await answered;
      };
      const pushes = (vendor: TestVendor) => pushing(vendor.adapter, { subscribe, subscribedSeconds: 1_000 });
      await withTwo(wrong, pushes, async ({ account, one, other, age, fromNow, gate }) => {
        const answer = gate();
        answered = answer.opened;
        await one.link(account, 'testvendor');
        await until('the first asks', () => asked === 1);
        other.deliveries.start();
        const look = async () => {
          other.clock.pass(10_000);
          await fromNow(sql`select 0`);
        };
        let hasLooked = false;
        void other.deliveries.settled().then(() => {
          hasLooked = true;
        });
        await until('the other has looked', () => hasLooked || asked > 1);
        assert.equal(asked, 1, 'the vendor is asked once');
        await age('due_at', 125_000);
        await until('the other asks', async () => {
          await look();
          return asked === 2;
        });
        answer.open();
        await Promise.all([one.deliveries.settled(), other.deliveries.settled()]);
        const [again] = await fromNow(sql`select due_at from webhook_subscriptions`);
        assert.ok(again !== undefined && again > 700_000 && again <= 800_000, `again in ${again} ms`);
      });
    });

    it(`two processes whose clocks differ by an hour apply at once the deliveries that a dead process accepted, and later those that failed: ${difference}`, async () => {
      const pushes = (vendor: TestVendor) => pushing(vendor.adapter);
      await withTwo(wrong, pushes, async ({ account, one, other, age }) => {
        await one.link(account, 'testvendor');
        await one.read(account, 'light-1');
        await one.devices.flush();
        const taken = createDeliveryStore(one.database);
        await taken.add([
          {
            vendor: 'testvendor',
            deliveryId: 'd1',
            receivedAt: one.database.moments.clock.now(),
            status: 'pending',
            reason: null,
            headersJson: '{}',
            body: Buffer.from(JSON.stringify(news('d1', { device: 'light-1', state: { power_w: 8 } }))),
          },
        ]);
        const [pending] = await createDeliveryStore(other.database).pending('testvendor', 10);
        assert.ok(pending !== undefined, 'it is due');
        await taken.notDone(pending.id, { attempts: 1, waitMs: 5_000, reason: 'a fault' });
        assert.deepEqual(await createDeliveryStore(other.database).pending('testvendor', 10), []);
        await age('due_at', 5_000);
        other.deliveries.start();
        await other.deliveries.settled();
        assert.deepEqual(await other.deliveries.backlog(), []);
        const { snapshot: seen } = await other.devices.find(account, 'light-1');
        assert.equal(seen?.state.power_w, 8, 'it is news');
      });
    });
  }
});
