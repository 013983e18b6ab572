import { get, type IncomingHttpHeaders } from 'node:http';
import { systemClock } from '../src/core/clock.ts';
import { DAY_MS } from '../src/core/durations.ts';
import { Temporal } from '../src/core/temporal.ts';
import { createPriceStore } from '../src/domain/market/prices/store.ts';
import { dayPrices } from '../src/domain/market/prices/test-prices.ts';
import { createProductionStore } from '../src/domain/market/production/store.ts';
import { createStoring } from '../src/domain/market/production/storing.ts';
import { slotsOf } from '../src/domain/market/production/test-production.ts';
import { PRICE_AREAS } from '../src/sources/contract/market.ts';
import { openBrowser, withoutBrowser } from '../test/kit/chromium.ts';
import { makePlace, type Place } from '../test/kit/databases.ts';
import type { Child } from './children.ts';
import { startElnav, startRecorded } from './elnav.ts';
import { COURSE, median, processor, race, throughput } from './load.ts';
import { count, ms, type Row, type Section, sized } from './report.ts';

/** Pages without personal content. */
const PAGES = ['/', '/docs', '/auth/login'];
const SHARE = 0.5;
const FRONT_BYTES = 120 * 1024;
const PAINTED_MS = 1_000;
const PAINTS = sized(7, 1);
/** As browsers send them. */
const BROWSER = {
  accept: 'text/html',
  'accept-language': 'sv',
  'accept-encoding': 'br, gzip',
} as const;

interface Loaded {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The body as transferred; `fetch` would decompress it. */
function load(url: string): Promise<Loaded> {
  return new Promise((resolve, reject) => {
    get(url, { headers: BROWSER }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(parts) }),
      );
      answer.on('error', reject);
    }).on('error', reject);
  });
}

/** Prices of today and tomorrow, and production of the day before yesterday. */
async function fill(place: Place): Promise<void> {
  const database = await place.open();
  const prices = createPriceStore(database);
  const today = Temporal.Now.plainDateISO('Europe/Stockholm');
  for (const day of [today, today.add({ days: 1 })])
    for (const area of PRICE_AREAS)
      await prices.store(dayPrices(area, day.toString(), { source: 'elprisetjustnu' }), Date.now());
  const until = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS;
  const from = until - DAY_MS;
  const store = createProductionStore(database);
  await createStoring({ database, store, clock: systemClock })({
    source: 'esett',
    from,
    until,
    intervals: slotsOf({ from, until }),
    unit: null,
  });
  await database.close();
}

async function againstBare(base: string, path: string, child: Child): Promise<Row[]> {
  const page = await load(`${base}${path}`);
  if (page.status !== 200)
    return [{ what: `GET ${path}`, figure: `answers ${page.status}, so it is not measured` }];
  const { date: _date, connection: _connection, 'keep-alive': _alive, ...headers } = page.headers;
  const bare = await startRecorded([['*', { headers, base64: page.body.toString('base64') }]]);
  const contenders = [
    { name: `elnav ${path}`, url: `${base}${path}`, child, headers: BROWSER },
    { name: 'node:http', url: bare.ready.connect, child: bare, headers: BROWSER },
  ];
  // Warm up with all pages, so that the first is not measured colder than the last.
  await race(contenders, { ...COURSE, rounds: 1 });
  const [ours, theirs] = await race(contenders);
  await bare.stop();
  if (ours === undefined || theirs === undefined) return [];
  return [
    throughput(`GET ${path}, ${count(page.body.length)} bytes compressed: requests a second`, {
      ours,
      theirs,
      share: SHARE,
    }),
    processor(`GET ${path}: processor time of the server for a request`, { ours, theirs }),
  ];
}

/** The page with every file that it names. */
async function sizeOf(base: string): Promise<Row> {
  const page = await load(`${base}/`);
  const markup = await (await fetch(`${base}/`, { headers: { 'accept-language': 'sv' } })).text();
  const names = new Set(
    [...markup.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, name = '']) => name),
  );
  let bytes = page.body.length;
  for (const name of names) bytes += (await load(`${base}${name}`)).body.length;
  return {
    what: `The front page with its ${names.size} files, compressed`,
    figure: `${count(bytes)} bytes`,
    target: 'at most 120 KB',
    met: bytes <= FRONT_BYTES,
  };
}

/** In a browser with an empty cache. */
async function painted(base: string): Promise<Row[]> {
  if (withoutBrowser !== false) return [];
  const browser = await openBrowser();
  const times: number[] = [];
  for (let round = 0; round < PAINTS; round += 1) {
    const page = await (await browser.newContext({ locale: 'sv-SE' })).newPage();
    await page.goto(base);
    times.push(
      (await page.evaluate(
        `new Promise((resolve) => new PerformanceObserver((list) => {
          const paint = list.getEntriesByName('first-contentful-paint')[0];
          if (paint !== undefined) resolve(paint.startTime);
        }).observe({ type: 'paint', buffered: true }))`,
      )) as number,
    );
    await page.context().close();
  }
  await browser.close();
  const time = median(times);
  return [
    {
      what: `The front page in Chromium, first contentful paint, median of ${PAINTS}`,
      figure: ms(time),
      target: 'under 1 s',
      met: time < PAINTED_MS,
    },
  ];
}

/** Pages as browsers load them. */
export async function pagesBench(): Promise<Section[]> {
  const place = await makePlace('sqlite');
  await fill(place);
  const elnav = await startElnav('sqlite', place);
  const base = elnav.child.ready.grid;
  const began = performance.now();
  await load(`${base}/`);
  const firstMs = performance.now() - began;
  const rows: Row[] = [
    { what: 'The first front page of a process, rendered with its plots', figure: ms(firstMs) },
    await sizeOf(base),
    ...(await painted(base)),
  ];
  for (const path of PAGES) rows.push(...(await againstBare(base, path, elnav.child)));
  await elnav.close();
  await place.remove();
  const note = `Against node:http that answers the same compressed bytes with the same headers; ${COURSE.connections} connections`;
  return [{ title: 'Pages', note, rows }];
}
