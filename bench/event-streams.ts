import { setTimeout } from 'node:timers/promises';
import type { Engine } from '../test/kit/databases.ts';
import { startChild } from './children.ts';
import { call, type Elnav, startElnav } from './elnav.ts';
import { quantile } from './load.ts';
import { count, mebibytes, ms, percent, type Section, sized } from './report.ts';

const STREAMS = sized(10_000, 200);
/** An account may have so many open. */
const OF_ACCOUNT = sized(100, 20);
const ACCOUNTS = STREAMS / OF_ACCOUNT;
/** Each account has a state change so often, which goes to all its streams. */
const CHANGE_MS = 2_000;
const WARM_UP_MS = sized(10_000, 2_000);
const WATCH_MS = sized(30_000, 3_000);
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

async function homesAt(elnav: Elnav): Promise<readonly Home[]> {
  const homes: Home[] = [];
  for (let index = 0; index < ACCOUNTS; index += 1) {
    const key = await elnav.newKey();
    const { devices } = await call<{ devices: { id: string }[] }>(`${elnav.connect}/link`, key, {
      vendor: 'sandbox',
      user_ref: 'bench',
      credentials: { device_types: ['light'] },
    });
    homes.push({ key, lamp: devices[0]?.id ?? '' });
  }
  return homes;
}

/** Open streams, to each of which every event of its account goes. */
export async function eventStreamsBench(engine: Engine): Promise<Section[]> {
  const elnav = await startElnav(engine);
  const rss = () => elnav.child.ask<number>('rss');
  const homes = await homesAt(elnav);
  const readers = await startChild<object>('serve-stream-readers.ts', {
    BENCH_BASE: elnav.connect,
    BENCH_KEYS: JSON.stringify(homes.map(({ key }) => key)),
    BENCH_OF_KEY: String(OF_ACCOUNT),
  });
  const before = await rss();
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
  const [first, cpu] = [changes, await elnav.child.cpuMs()];
  let most = 0;
  for (const end = performance.now() + WATCH_MS; performance.now() < end; await setTimeout(1_000))
    most = Math.max(most, await rss());
  const cpuShare = ((await elnav.child.cpuMs()) - cpu) / WATCH_MS;
  const expected = (changes - first) * OF_ACCOUNT;
  const found = await readers.ask<Arrivals>('arrivals');
  isOver = true;
  await Promise.all(driven);
  await readers.stop();
  await elnav.close();
  const p99 = quantile(found.arrivals, 0.99);
  return [
    {
      title: `${count(open)} open streams of events, ${engine}`,
      note: `of ${ACCOUNTS} accounts; a state of each changes every ${CHANGE_MS / 1_000} s and goes to its ${OF_ACCOUNT} streams; a process with both services; needs ${count(STREAMS + 100)} open files (ulimit -n) in each of two processes`,
      rows: [
        {
          what: 'Resident memory, the most of one look each second',
          figure: mebibytes(most),
          against: `without streams ${mebibytes(before)}`,
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
    },
  ];
}
