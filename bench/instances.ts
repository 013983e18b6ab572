import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { systemClock } from '../src/core/clock.ts';
import { openCore } from '../test/kit/core-world.ts';
import { ENGINES, makePlace, type Place } from '../test/kit/databases.ts';
import { testVendor } from '../test/kit/vendor-for-tests.ts';
import { addAccount } from './account.ts';
import { type Child, startChild } from './children.ts';
import { quantile } from './load.ts';
import { count, ms, percent, run, type Section } from './report.ts';

const INSTANCES = 3;
/** Devices that report to each instance, and how often. */
const OF_EACH = 300;
const EVERY_MS = 3_000;
/** Devices of the others that each instance is asked for, and how often. */
const WATCHED_OF_EACH = 10;
const ASKED_MS = 5;
const WARM_UP_MS = Number(process.env.BENCH_WARM_UP_MS ?? 10_000);
const WATCH_MS = Number(process.env.BENCH_WATCH_MS ?? 30_000);
const MOST_P99_MS = 500;

interface Found {
  readonly lateness: readonly number[];
  readonly changes: number;
}

interface Measured {
  readonly notifications: number;
  readonly transactions: number;
  readonly changes: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpuShare: number;
}

/** A checkout of another version to compare with; by default this one, with a message for each shared commit as it was before. */
const OTHER = process.env.BENCH_BEFORE;

/** Everything that is sent to the instances, as each of them hears it. */
async function listen({ url }: Place) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let heard = 0;
  client.on('notification', () => {
    heard += 1;
  });
  const { rows } = await client.query<{ channel: string }>(
    "select distinct application_name as channel from pg_stat_activity where application_name like 'elnav\\_%' and datname = current_database()",
  );
  for (const { channel } of rows) await client.query(`listen ${channel}`);
  return {
    heard: () => heard,
    async transactions(): Promise<number> {
      const found = await client.query<{ count: string }>(
        'select xact_commit as count from pg_stat_database where datname = current_database()',
      );
      return Number(found.rows[0]?.count);
    },
    end: () => client.end(),
  };
}

async function link(place: Place, devices: readonly string[]) {
  const vendor = testVendor();
  vendor.devices = devices;
  const core = await openCore({ place, clock: systemClock, adapters: [vendor.adapter] });
  const account = await addAccount(core.database);
  await core.link(account, 'testvendor');
  const [{ id = '' } = {}] = await core.links.list(account);
  await core.close();
  return { account, link: id };
}

async function measure(file: string, env: Readonly<Record<string, string>>): Promise<Measured> {
  const place = await makePlace('postgres');
  const idsOf = (instance: number) =>
    Array.from({ length: OF_EACH }, (_, index) => `light-${instance}-${index}`);
  const instances = Array.from({ length: INSTANCES }, (_, instance) => instance);
  const linked = await link(place, instances.flatMap(idsOf));
  const began = Date.now();
  const children: Child<object>[] = [];
  for (const instance of instances) {
    const others = instances.filter((other) => other !== instance);
    const work = {
      ...linked,
      own: idsOf(instance),
      watched: others.flatMap((other) => idsOf(other).slice(0, WATCHED_OF_EACH)),
      ...{ everyMs: EVERY_MS, askedMs: ASKED_MS, began },
    };
    children.push(
      await startChild<object>(file, {
        BENCH_DIR: place.dataDir,
        BENCH_URL: place.url ?? '',
        BENCH_WORK: JSON.stringify(work),
        ...env,
      }),
    );
  }
  await setTimeout(WARM_UP_MS);
  const listener = await listen(place);
  const state = async () => ({
    found: await Promise.all(children.map((child) => child.ask<Found>('found'))),
    cpu: (await Promise.all(children.map((child) => child.cpuMs()))).reduce((sum, one) => sum + one, 0),
    heard: listener.heard(),
    transactions: await listener.transactions(),
  });
  const before = await state();
  await setTimeout(WATCH_MS);
  const after = await state();
  await listener.end();
  await Promise.all(children.map((child) => child.stop()));
  await place.remove();
  const lateness = after.found.flatMap((found) => found.lateness);
  const seconds = WATCH_MS / 1_000;
  return {
    notifications: (after.heard - before.heard) / seconds,
    transactions: (after.transactions - before.transactions) / seconds,
    changes: after.found.reduce((sum, { changes }) => sum + changes, 0) / seconds,
    p50: quantile(lateness, 0.5),
    p99: quantile(lateness, 0.99),
    cpuShare: (after.cpu - before.cpu) / WATCH_MS,
  };
}

async function bench(): Promise<Section> {
  const ours = await measure('serve-instance.ts', {});
  const theirs =
    OTHER === undefined
      ? await measure('serve-instance.ts', { BENCH_TELLS: 'yes' })
      : await measure(new URL('bench/serve-instance.ts', `file://${OTHER}/`).href, {});
  const name = OTHER === undefined ? 'with a message for each commit' : 'before';
  return {
    title: `${count(INSTANCES * OF_EACH)} devices at ${INSTANCES} instances on PostgreSQL`,
    note: `each reports another state every ${EVERY_MS / 1_000} s to one of them; each is asked for ${WATCHED_OF_EACH * (INSTANCES - 1)} devices of the others every ${ASKED_MS} ms; ${count(ours.changes)} changes a second, the opponent ${count(theirs.changes)}`,
    rows: [
      {
        what: 'Notifications a second',
        figure: ours.notifications.toFixed(1),
        against: `${name} ${theirs.notifications.toFixed(1)}`,
        ratio: percent(ours.notifications / theirs.notifications),
        target: `at most ${4 * INSTANCES} and what else is sent`,
        met: ours.notifications <= 4 * INSTANCES + 3,
      },
      {
        what: 'Transactions of the database a second, with those that read',
        figure: count(ours.transactions),
        against: `${name} ${count(theirs.transactions)}`,
        ratio: percent(ours.transactions / theirs.transactions),
      },
      {
        what: 'From a report to an answer of another instance with it, 99th percentile',
        figure: ms(ours.p99),
        against: `${name} ${ms(theirs.p99)}`,
        target: `under ${ms(MOST_P99_MS)}`,
        met: ours.p99 < MOST_P99_MS,
      },
      { what: 'the median', figure: ms(ours.p50), against: `${name} ${ms(theirs.p50)}` },
      {
        what: 'Processor time of the instances, of one core',
        figure: percent(ours.cpuShare),
        against: `${name} ${percent(theirs.cpuShare)}`,
      },
    ],
  };
}

await run(ENGINES.includes('postgres') ? [async () => [await bench()]] : []);
