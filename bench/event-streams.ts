import { setTimeout } from 'node:timers/promises';
import { ENGINES, type Engine, makePlace } from '../test/kit/databases.ts';
import { startChild } from './children.ts';
import { accountsAt, call } from './elnav.ts';
import { quantile } from './load.ts';
import { type NpmStart, npmStart } from './npm-start.ts';
import { count, mebibytes, ms, percent, run, type Section } from './report.ts';

const STREAMS = 10_000;
/** An account may have so many open. */
const OF_ACCOUNT = 100;
const ACCOUNTS = STREAMS / OF_ACCOUNT;
/** Each account has a state change so often, which goes to all its streams. */
const CHANGE_MS = 2_000;
const WARM_UP_MS = Number(process.env.BENCH_WARM_UP_MS ?? 10_000);
const WATCH_MS = Number(process.env.BENCH_WATCH_MS ?? 30_000);
const MOST_BYTES = 500 * 1024 ** 2;
const MOST_P99_MS = 1_000;

interface Arrivals {
  readonly arrivals: readonly number[];
  readonly open: number;
}

interface Home {
  readonly key: string;
  readonly lamp: string;
}

async function homesAt(elnav: NpmStart): Promise<readonly Home[]> {
  const newAccount = accountsAt(elnav.grid);
  const homes: Home[] = [];
  for (let index = 0; index < ACCOUNTS; index += 1) {
    const { key } = await newAccount();
    const { devices } = await call<{ devices: { id: string }[] }>(`${elnav.connect}/link`, key, {
      vendor: 'sandbox',
      user_ref: 'bench',
      credentials: { device_types: ['light'] },
    });
    homes.push({ key, lamp: devices[0]?.id ?? '' });
  }
  return homes;
}

async function bench(engine: Engine): Promise<Section> {
  const place = await makePlace(engine);
  const elnav = await npmStart(place, { ELNAV_FETCH: 'off' });
  const homes = await homesAt(elnav);
  const readers = await startChild<object>('serve-stream-readers.ts', {
    BENCH_BASE: elnav.connect,
    BENCH_KEYS: JSON.stringify(homes.map(({ key }) => key)),
    BENCH_OF_KEY: String(OF_ACCOUNT),
  });
  const before = elnav.usage();
  const began = performance.now();
  const open = await readers.ask<number>('open');
  const openedMs = performance.now() - began;

  let changes = 0;
  let isOver = false;
  const driven = homes.map(async ({ key, lamp }, index) => {
    // Spread over the interval, as homes are.
    await setTimeout((CHANGE_MS * index) / ACCOUNTS);
    for (let [due, isOn] = [performance.now(), true]; !isOver; due += CHANGE_MS) {
      isOn = !isOn;
      await call(`${elnav.connect}/devices/${lamp}/command`, key, { type: isOn ? 'turn_on' : 'turn_off' });
      changes += 1;
      await setTimeout(Math.max(0, due + CHANGE_MS - performance.now()));
    }
  });
  await setTimeout(WARM_UP_MS);
  await readers.ask('arrivals');
  const [first, cpu] = [changes, elnav.usage().cpuMs];
  let most = 0;
  for (const end = performance.now() + WATCH_MS; performance.now() < end; await setTimeout(1_000))
    most = Math.max(most, elnav.usage().rss);
  const cpuShare = (elnav.usage().cpuMs - cpu) / WATCH_MS;
  const expected = (changes - first) * OF_ACCOUNT;
  const found = await readers.ask<Arrivals>('arrivals');
  isOver = true;
  await Promise.all(driven);
  await readers.stop();
  await elnav.end();
  await place.remove();
  const p99 = quantile(found.arrivals, 0.99);
  return {
    title: `${count(open)} open streams of events, ${engine}`,
    note: `of ${ACCOUNTS} accounts; a state of each changes every ${CHANGE_MS / 1_000} s and goes to its ${OF_ACCOUNT} streams; the process of npm start, both services; needs ${count(STREAMS + 100)} open files (ulimit -n) in each of two processes`,
    rows: [
      {
        what: 'Resident memory, the most of one look each second',
        figure: mebibytes(most),
        against: `without streams ${mebibytes(before.rss)}`,
        target: `at most ${mebibytes(MOST_BYTES)}`,
        met: open === STREAMS && most <= MOST_BYTES,
      },
      {
        what: 'From the change to the stream, 99th percentile',
        figure: ms(p99),
        target: `under ${ms(MOST_P99_MS)}`,
        met: found.open === STREAMS && p99 < MOST_P99_MS,
      },
      { what: 'the median', figure: ms(quantile(found.arrivals, 0.5)) },
      {
        what: 'Events that came, of those due in that time',
        figure: `${count(found.arrivals.length)} of ${count(expected)}`,
      },
      { what: 'Processor time of the process, of one core', figure: percent(cpuShare) },
      { what: 'All streams opened in', figure: ms(openedMs) },
    ],
  };
}

await run(ENGINES.map((engine) => async () => [await bench(engine)]));
