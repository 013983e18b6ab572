import { Agent, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { DAY_MS } from '../src/core/durations.ts';
import type { Database } from '../src/db/database.ts';
import { createHistoryStore } from '../src/domain/records/history/store.ts';
import type { Engine, Place } from '../test/kit/databases.ts';
import { startChild } from './children.ts';
import { call, type Elnav, startElnav } from './elnav.ts';
import { quantile } from './load.ts';
import { planOfADay } from './planner.ts';
import { count, ms, type Row, type Section, sized } from './report.ts';
import { chargedBetween, quarterNow } from './year.ts';

const BAD_ACCOUNTS = sized(8, 2);
const DEVICES = sized(1_000, 20);
const STORED_MS = sized(365, 10) * DAY_MS;
const SECONDS = sized(15, 2);
/** The quiet account reads this often. */
const EVERY_MS = 20;
const MOST_TIMES = 2;
const MOST_MS = 50;

const KINDS = {
  history: 'pages of quarters of a year with cost and price',
  changes: 'pages of changes',
  lists: `lists of ${count(DEVICES)} devices`,
  plans: 'plans of a day',
  commands: 'commands',
  stations: 'five stations each, with reports of 800 readings',
} as const;
export type Kind = keyof typeof KINDS;

export interface BadAccount {
  readonly key: string;
  readonly device: string;
  /** What its stations are called, without their number. */
  readonly station: string;
}

/** Times of a request that is sent every `EVERY_MS`, whether the one before was answered or not. */
async function timesOf(url: string, key: string, seconds = SECONDS): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const began = performance.now();
      const sent = request(url, { agent, headers: { 'x-api-key': key } }, (response) => {
        response.resume().once('end', () => {
          times.push(performance.now() - began);
          if (response.statusCode === 200) resolve();
          else reject(new Error(`${url} answered ${response.statusCode}`));
        });
      });
      sent.once('error', reject).end();
    });
  const running: Promise<void>[] = [];
  for (let sent = 0; sent < (seconds * 1_000) / EVERY_MS; sent += 1) {
    running.push(one());
    await wait(EVERY_MS);
  }
  await Promise.all(running);
  agent.destroy();
  return times;
}

/** What the devices of the bad accounts were like, so that there is something to read. */
async function storeHistory(
  database: Database,
  owners: readonly { readonly account: number; readonly device: string; readonly userRef: string }[],
): Promise<void> {
  const store = createHistoryStore(database);
  const to = quarterNow();
  for (const owner of owners) {
    const name = { ...owner, vendor: 'bench_polled' };
    await database.transaction(async (transaction) => {
      const opened = await store.open(transaction, [name]);
      const number = opened.get(store.textOf(name))?.number ?? 0;
      await store.follow(transaction, [{ number, ...chargedBetween(to - STORED_MS, to) }]);
    });
  }
}

interface Prepared {
  readonly elnav: Elnav;
  readonly place: Place;
  readonly quiet: { readonly key: string; readonly device: string };
  readonly bad: readonly BadAccount[];
}

async function prepare(engine: Engine): Promise<Prepared> {
  const first = await startElnav(engine);
  const link = async (key: string, userRef: string, devices: number) => {
    const credentials = { devices };
    const linked = await call<{ devices: { id: string }[] }>(`${first.connect}/link`, key, {
      ...{ vendor: 'bench_polled', credentials, user_ref: userRef },
    });
    return linked.devices[0]?.id ?? '';
  };
  const quietKey = await first.newKey();
  const quiet = { key: quietKey, device: await link(quietKey, 'quiet', 1) };
  const bad: BadAccount[] = [];
  const owners: { account: number; device: string; userRef: string }[] = [];
  for (let number = 0; number < BAD_ACCOUNTS; number += 1) {
    const { id, key } = await first.newAccount('pro');
    const userRef = `bad-${number}`;
    const device = await link(key, userRef, DEVICES);
    const station = `BAD-${number}`;
    for (let one = 0; one < 5; one += 1)
      await call(`${first.connect}/link`, key, {
        vendor: 'ocpp',
        credentials: { identity: `${station}-${one}`, password: 'password-of-station' },
        user_ref: userRef,
      });
    owners.push({ account: id, device, userRef });
    bad.push({ key, device, station });
  }
  const { place } = first;
  await first.child.stop();
  const database = await place.open();
  await storeHistory(database, owners);
  await database.close();
  return { elnav: await startElnav(engine, place), place, quiet, bad };
}

/** Reads of a quiet account alone, and beside accounts that ask for as much as they can; each kind by itself. */
export async function fairnessBench(engine: Engine): Promise<Section[]> {
  const { elnav, place, quiet, bad } = await prepare(engine);
  const url = `${elnav.connect}/devices/${quiet.device}`;
  await timesOf(url, quiet.key, 3);
  const alone = quantile(await timesOf(url, quiet.key), 0.99);
  const most = Math.max(MOST_MS, MOST_TIMES * alone);
  const rows: Row[] = [{ what: 'Alone, 99th percentile', figure: ms(alone) }];
  for (const [kind, what] of Object.entries(KINDS)) {
    const flood = await startChild('./serve-bad-accounts.ts', {
      BENCH_KIND: kind,
      BENCH_URL: elnav.connect,
      BENCH_PLAN: planOfADay(),
      BENCH_ACCOUNTS: JSON.stringify(bad),
    });
    await flood.ask('begin');
    await wait(1_000);
    const p99 = quantile(await timesOf(url, quiet.key), 0.99);
    const counts = await flood.ask<Record<string, number>>('report');
    await flood.stop();
    await wait(2_000);
    rows.push({
      what: `Beside ${what} (${countsIn(counts)})`,
      figure: ms(p99),
      against: `alone ${ms(alone)}`,
      ratio: `${(p99 / alone).toFixed(1)} ×`,
      target: `at most ${MOST_TIMES} × or ${MOST_MS} ms`,
      met: p99 <= most,
    });
  }
  await elnav.child.stop();
  await place.remove();
  return [
    {
      title: `A quiet account beside ${BAD_ACCOUNTS} others, ${engine}`,
      note: `GET /devices/{id} every ${EVERY_MS} ms for ${SECONDS} s, 99th percentile; the others have the limits of tier pro, and ask 16 at once from a process of their own`,
      rows,
    },
  ];
}

const countsIn = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([what, many]) => `${count(many)} ${what}`)
    .join(', ');

const HEALTH_MS = 100;
const OVERLOAD = sized(1_500, 100);

/** Health checks while one account without limits asks for three times what the process carries. */
export async function overloadBench(): Promise<Section[]> {
  const elnav = await startElnav('sqlite');
  const key = await elnav.newKey();
  const url = `${elnav.connect}/healthz`;
  await timesOf(url, key, 2);
  const alone = quantile(await timesOf(url, key), 0.99);
  const flood = await startChild('./serve-bad-accounts.ts', {
    BENCH_KIND: 'overload',
    BENCH_URL: elnav.connect,
    BENCH_PLAN: planOfADay(),
    BENCH_AT_ONCE: String(OVERLOAD),
    BENCH_ACCOUNTS: JSON.stringify([{ key, device: '', station: '' }]),
  });
  await flood.ask('begin');
  await wait(3_000);
  const times = await timesOf(url, key);
  const counts = await flood.ask<Record<string, number>>('report');
  await flood.stop();
  await elnav.close();
  const [median, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
  return [
    {
      title: 'A process with more requests than it can answer',
      note: `${count(OVERLOAD)} callers that ask for plans of a day as fast as they are answered, for ${SECONDS} s; GET /healthz every ${EVERY_MS} ms; SQLite`,
      rows: [
        { what: 'What the callers were answered', figure: countsIn(counts) },
        { what: 'GET /healthz alone, 99th percentile', figure: ms(alone) },
        { what: 'GET /healthz meanwhile, median', figure: ms(median) },
        {
          what: 'GET /healthz meanwhile, 99th percentile',
          figure: ms(p99),
          target: `under ${HEALTH_MS} ms`,
          met: p99 < HEALTH_MS,
        },
      ],
    },
  ];
}
