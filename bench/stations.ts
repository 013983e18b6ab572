import { setTimeout as wait } from 'node:timers/promises';
import type { Place } from '../test/kit/databases.ts';
import { startChild } from './children.ts';
import { call, inParallel, startElnav } from './elnav.ts';
import { quantile } from './load.ts';
import { count, ms, type Row, type Section, sized } from './report.ts';
import type { FleetReport } from './serve-stations.ts';

const STATIONS = sized(2_000, 20);
const METER_MS = sized(10_000, 2_000);
const KILOBYTES = 100;
const COMMANDS = sized(1_000, 20);
const COMMANDS_A_SECOND = 50;
const ROUND_TRIP_MS = 150;

/** Stations on one process, metering; what they cost, and how long a command to one of them takes. */
export async function stationsBench(): Promise<Section[]> {
  const files = openFiles();
  if (files < STATIONS + 100) {
    console.log(`Only ${files} files may be open; raise it with ulimit -n ${STATIONS + 100} for this bench.`);
  }
  const elnav = await startElnav('sqlite');
  const key = await elnav.newKey();
  await inParallel(
    Array.from({ length: STATIONS }, (_, index) => index),
    16,
    (number) =>
      call(`${elnav.connect}/link`, key, {
        vendor: 'ocpp',
        credentials: { identity: `BENCH-${10_000 + number}`, password: `password-${number}` },
        user_ref: `user-${number}`,
      }),
  );
  const fleet = await startChild('./serve-stations.ts', {
    BENCH_URL: elnav.connect.replace('http', 'ws'),
    BENCH_STATIONS: String(STATIONS),
    BENCH_METER_MS: String(METER_MS),
  });
  const before = await elnav.child.memory();
  const began = performance.now();
  await fleet.ask('connect');
  const connectingMs = performance.now() - began;
  // Until each was interviewed and has metered at least once.
  await wait(METER_MS + 5_000);
  const after = await elnav.child.memory();
  const cpuBefore = await elnav.child.cpuMs();
  const calm = performance.now();
  await wait(METER_MS);
  const load = (await elnav.child.cpuMs()) - cpuBefore;
  const share = load / (performance.now() - calm);
  const trips = await commandAtRandom(elnav.connect, key);
  await fleet.ask('hush');
  await wait(2_000);
  const report = await fleet.ask<FleetReport>('report');
  await fleet.stop();
  await elnav.child.stop();
  const stored = await storedReadings(elnav.place);
  await elnav.place.remove();

  const rss = (after.rss - before.rss) / STATIONS / 1_024;
  const heap = (after.heap - before.heap) / STATIONS / 1_024;
  const p99 = quantile(trips, 0.99);
  const whole =
    report.connected === STATIONS &&
    report.lost === 0 &&
    report.refused === 0 &&
    report.answered === report.metersSent &&
    stored === report.metersSent;
  const rows: Row[] = [
    {
      what: `Connected of ${count(STATIONS)}`,
      figure: `${count(report.connected)} in ${(connectingMs / 1_000).toFixed(1)} s, ${report.lost} lost`,
    },
    {
      what: 'Resident memory for a station',
      figure: `${Math.round(rss)} KB (heap and buffers ${Math.round(heap)} KB)`,
      target: `at most ${KILOBYTES} KB`,
      met: rss <= KILOBYTES,
    },
    {
      what: 'Meter values sent, answered, stored',
      figure: `${count(report.metersSent)}, ${count(report.answered)}, ${count(stored)}`,
      target: 'all the same, none refused',
      met: whole,
    },
    {
      what: 'Meter values until answered as durable, 99th percentile',
      figure: ms(quantile(report.waits, 0.99)),
    },
    {
      what: `set_current through HTTP to random stations, ${COMMANDS_A_SECOND} a second, median`,
      figure: ms(quantile(trips, 0.5)),
    },
    {
      what: 'The same, 99th percentile',
      figure: ms(p99),
      target: `under ${ROUND_TRIP_MS} ms`,
      met: p99 < ROUND_TRIP_MS,
    },
    { what: 'Processor time while all meter, of one core', figure: `${Math.round(share * 100)} %` },
  ];
  return [
    {
      title: `${count(STATIONS)} OCPP 1.6J stations on one process`,
      note: `each sends meter values every ${METER_MS / 1_000} s; stations are a process of their own; SQLite; needs ${count(STATIONS + 100)} open files (ulimit -n) in each of the two processes`,
      rows,
    },
  ];
}

/** How many files a process may have open here; Node has raised it as far as it may by itself. */
function openFiles(): number {
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { soft?: number | 'unlimited' } };
  };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
}

async function commandAtRandom(connect: string, key: string): Promise<number[]> {
  const trips: number[] = [];
  const running: Promise<void>[] = [];
  for (let command = 0; command < COMMANDS; command += 1) {
    const id = `BENCH-${10_000 + Math.floor(Math.random() * STATIONS)}`;
    const began = performance.now();
    running.push(
      call(`${connect}/devices/${id}/command`, key, {
        type: 'set_current',
        current_a: 6 + (command % 10),
      }).then(() => {
        trips.push(performance.now() - began);
      }),
    );
    await wait(1_000 / COMMANDS_A_SECOND);
  }
  await Promise.all(running);
  return trips;
}

async function storedReadings(place: Place): Promise<number> {
  const database = await place.open();
  const { rows } = await database.queries
    .selectFrom('meter_readings')
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow();
  await database.close();
  return Number(rows);
}
