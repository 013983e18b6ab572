import { createPriceStore } from '../src/domain/prices/store.ts';
import { dayPrices } from '../src/domain/prices/test-prices.ts';
import { PRICE_AREAS } from '../src/sources/contract/market.ts';
import { ENGINES, type Engine, makePlace, type Place } from '../test/kit/databases.ts';
import type { Child } from './children.ts';
import { startChild } from './children.ts';
import { type Elnav, startBare, startElnav } from './elnav.ts';
import { COURSE, median, race } from './load.ts';
import { writePart } from './parts-report.ts';
import { processor, throughput } from './reads.ts';
import { count, mebibytes, ms, type Row, run, type Section } from './report.ts';

const DAYS = 365;
const IMPORT_MS = 10_000;
const READ_MS = 1_000;
const ROUNDS = 5;
/** Heap growth allowed after responses of 13 MB each. */
const MORE_BYTES = 8 * 1024 ** 2;
const SHARE = 0.6;

/** The days of a year that ends tomorrow, so that the current prices are included. */
function daysOfYear(): string[] {
  const tomorrow = Temporal.Now.plainDateISO('Europe/Stockholm').add({ days: 1 });
  return Array.from({ length: DAYS }, (_, index) => tomorrow.subtract({ days: DAYS - 1 - index }).toString());
}

async function importYear(place: Place): Promise<{ tookMs: number; slots: number }> {
  const database = await place.open();
  const store = createPriceStore(database);
  const days = daysOfYear().flatMap((day) => PRICE_AREAS.map((area) => dayPrices(area, day)));
  const began = performance.now();
  for (const day of days) await store.store(day, Date.now());
  const tookMs = performance.now() - began;
  await database.close();
  return { tookMs, slots: days.reduce((sum, day) => sum + day.slots.length, 0) };
}

interface Read {
  readonly tookMs: number;
  readonly bytes: number;
}

async function read(url: string, headers: Record<string, string>): Promise<Read> {
  const began = performance.now();
  const answer = await fetch(url, { headers });
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`);
  let bytes = 0;
  for await (const part of answer.body ?? []) bytes += part.length;
  return { tookMs: performance.now() - began, bytes };
}

async function yearAsCsv(elnav: Elnav, bare: Child, slots: number): Promise<Row[]> {
  const headers = { 'x-api-key': await elnav.newKey() };
  const days = daysOfYear();
  const url = `${elnav.child.ready.grid}/api/v1/prices/history?format=csv&from=${days[0]}&to=${days.at(-1)}`;
  const warm = [await read(url, headers), await read(bare.ready.connect, {})];
  if (warm[0]?.bytes !== warm[1]?.bytes) throw new Error('the two responses differ');
  const before = await elnav.child.memory();
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    ours.push((await read(url, headers)).tookMs);
    theirs.push((await read(bare.ready.connect, {})).tookMs);
  }
  const after = await elnav.child.memory();
  const [peak, barePeak] = [await elnav.child.ask<number>('peak'), await bare.ask<number>('peak')];
  const [own, bares] = [median(ours), median(theirs)];
  return [
    {
      what: `${count(slots)} slots as CSV (${mebibytes(warm[0]?.bytes ?? 0)}), median of ${ROUNDS}`,
      figure: ms(own),
      against: ms(bares),
      ratio: `${(median(ours.map((one, round) => one / (theirs[round] ?? one)))).toFixed(2)} ×`,
      target: 'under 1 s',
      met: own < READ_MS,
    },
    {
      what: `Heap and buffers that ${ROUNDS} such answers leave behind`,
      figure: mebibytes(after.heap - before.heap),
      target: 'at most 8 MB',
      met: after.heap - before.heap <= MORE_BYTES,
    },
    {
      what: 'Peak memory of the process, with all that it holds otherwise',
      figure: mebibytes(peak),
      against: mebibytes(barePeak),
    },
  ];
}

async function spot(elnav: Elnav): Promise<Row[]> {
  const headers = { 'x-api-key': await elnav.newKey() };
  const url = `${elnav.child.ready.grid}/api/v1/prices/spot?area=SE3`;
  const body = await (await fetch(url, { headers })).text();
  const bare = await startBare(body);
  const [ours, theirs] = await race([
    { name: 'elnav', url, child: elnav.child, headers },
    { name: 'node:http', url: bare.ready.connect, child: bare },
  ]);
  await bare.stop();
  if (ours === undefined || theirs === undefined) return [];
  return [
    throughput(`prices/spot of one area, ${count(body.length)} bytes: requests a second`, {
      ours,
      theirs,
      share: SHARE,
    }),
    processor('prices/spot: processor time of the server for a request', { ours, theirs }),
  ];
}

async function onEngine(engine: Engine): Promise<Section> {
  const place = await makePlace(engine);
  const { tookMs, slots } = await importYear(place);
  const elnav = await startElnav(engine, place);
  const bare = await startChild('./serve-bare-rows.ts', {
    BENCH_DATA_DIR: place.dataDir,
    ...(place.url === undefined ? {} : { BENCH_DATABASE_URL: place.url }),
  });
  const rows: Row[] = [
    {
      what: `Storing ${count(slots)} slots, a day of an area at a time`,
      figure: ms(tookMs),
      target: 'under 10 s',
      met: tookMs < IMPORT_MS,
    },
    ...(await yearAsCsv(elnav, bare, slots)),
    ...(engine === 'sqlite' ? await spot(elnav) : []),
  ];
  await bare.stop();
  await elnav.close();
  await place.remove();
  const note = `Against node:http that streams the same rows from the same database with the plain driver, and for prices/spot answers the same bytes; ${COURSE.connections} connections there, key check and rate policy on`;
  return { title: `A year of prices, ${engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'}`, note, rows };
}

const sections = await run(ENGINES.map((engine) => async () => [await onEngine(engine)]));
if (process.argv.includes('--write')) writePart('grid', 'market', sections);
