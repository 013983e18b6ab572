import { get } from 'node:http';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { DAY_MS } from '../src/core/durations.ts';
import { createHistoryStore } from '../src/domain/records/history/store.ts';
import { openBrowser, withoutBrowser } from '../test/kit/chromium.ts';
import { makePlace, type Place } from '../test/kit/databases.ts';
import { freePort } from '../test/kit/free-port.ts';
import { ADMIN_TOKEN, callJson } from '../test/kit/world.ts';
import { type Child, startChild } from './children.ts';
import { startElnav } from './elnav.ts';
import { FIRST_NUMBER, storeFleet, VENDORS } from './fleet.ts';
import { median, quantile } from './load.ts';
import { count, ms, type Row, type Section, sized } from './report.ts';
import { chargedBetween, quarterNow } from './year.ts';

const ACCOUNT = 1_001;
const DEVICES = sized(10_000, 1_000);
const CHANGES = [1_000, 10_000];
const FRAME_MS = 1_000 / 60;
/** A frame that comes a whole frame late is one that was left out. */
const LATE_MS = 1.5 * FRAME_MS;
const WATCH_MS = sized(4_000, 500);
const ROUNDS = sized(3, 1);
const LOADS = sized(5, 1);
const FIRST_LOAD_BYTES = 150 * 1024;
const USABLE_MS = 1_000;
const YEAR_MS = 200;
const YEARS = sized(7, 1);
const VIEWPORT = { width: 1_440, height: 900 };
const OURS = '/console/devices';
const PLAIN = '/plain';

type State = Awaited<ReturnType<BrowserContext['storageState']>>;

/** Measures the time between frames, ms, while the page is still or its table is scrolled. */
const FRAMES = `(isScrolling, watchMs) => new Promise((resolve) => {
  const scroller = document.querySelector('.rows-scroll');
  const frames = [];
  let before = performance.now();
  const end = before + watchMs;
  let step = 60;
  const frame = (now) => {
    frames.push(now - before);
    before = now;
    if (isScrolling) {
      const top = scroller.scrollTop;
      scroller.scrollTop = top + step;
      if (scroller.scrollTop === top) step = -step;
    }
    if (now < end) requestAnimationFrame(frame);
    else resolve(frames.slice(1));
  };
  requestAnimationFrame(frame);
})`;

interface Console {
  readonly base: string;
  readonly proxy: Child;
  readonly context: BrowserContext;
}

/** Bytes of a response as they are transferred to a browser. */
function transferred(url: string, cookie: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { cookie, 'accept-encoding': 'br, gzip', accept: 'text/html' };
    get(url, { headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () => resolve(Buffer.concat(parts).length));
      answer.on('error', reject);
    }).on('error', reject);
  });
}

/** All that the browser loads until the table is drawn, without the devices themselves. */
async function firstLoad({ base, context }: Console): Promise<Row> {
  const page = await context.newPage();
  const asked: string[] = [];
  page.on('request', (request) => {
    if (/^\/(console|assets\/)/.test(new URL(request.url()).pathname)) asked.push(request.url());
  });
  await page.goto(`${base}${OURS}`);
  await page.locator('tr[aria-rowindex="2"]').waitFor();
  await page.close();
  const cookie = (await context.cookies(base)).map(({ name, value }) => `${name}=${value}`).join('; ');
  let bytes = 0;
  for (const url of new Set(asked)) bytes += await transferred(url, cookie);
  return {
    what: `The page of devices with its ${new Set(asked).size - 1} files, compressed`,
    figure: `${count(bytes)} bytes`,
    target: 'at most 150 KB',
    met: bytes <= FIRST_LOAD_BYTES,
  };
}

/** From the navigation until a row of the table is drawn, with an empty cache; the two tables in turn. */
async function usable(browser: Browser, { base, context }: Console) {
  const all: Record<string, number[]> = { [OURS]: [], [PLAIN]: [] };
  const state = await context.storageState();
  for (let load = 0; load < LOADS; load += 1)
    for (const [path, times] of Object.entries(all))
      times.push(await drawnAfter(browser, state, base + path));
  return { ours: median(all[OURS] ?? []), plain: median(all[PLAIN] ?? []) };
}

async function drawnAfter(browser: Browser, state: State, url: string): Promise<number> {
  const fresh = await browser.newContext({ locale: 'en-GB', viewport: VIEWPORT, storageState: state });
  const page = await fresh.newPage();
  await page.goto(url, { waitUntil: 'commit' });
  const time = await page.evaluate<number>(`new Promise((resolve) => {
    const look = () => document.querySelector('.rows-scroll td')?.textContent
      ? requestAnimationFrame(() => resolve(performance.now()))
      : requestAnimationFrame(look);
    look();
  })`);
  await fresh.close();
  return time;
}

interface Frames {
  readonly p50: number;
  readonly p99: number;
  /** Of all frames. */
  readonly late: number;
}

function framesOf(times: readonly number[]): Frames {
  return {
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    late: times.filter((time) => time > LATE_MS).length / times.length,
  };
}

/** The two tables in turn, each alone in its browser's foreground. */
async function frames({ base, proxy, context }: Console, changes: number, isScrolling: boolean) {
  const all: Record<string, number[]> = { [OURS]: [], [PLAIN]: [] };
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [path, times] of Object.entries(all)) {
      await proxy.ask('changes 0');
      const page: Page = await context.newPage();
      await page.goto(`${base}${path}`);
      await page.locator('.rows-scroll td').first().waitFor();
      await proxy.ask(`changes ${changes}`);
      await page.evaluate(`(${FRAMES})(${isScrolling}, 1000)`);
      times.push(...(await page.evaluate<number[]>(`(${FRAMES})(${isScrolling}, ${WATCH_MS})`)));
      await page.close();
    }
  await proxy.ask('changes 0');
  return { ours: framesOf(all[OURS] ?? []), plain: framesOf(all[PLAIN] ?? []) };
}

/** With a decimal: the target is one in a hundred. */
const share = (part: number): string => `${(100 * part).toFixed(1)} %`;

async function frameRows(opened: Console, changes: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const isScrolling of [false, true]) {
    const { ours, plain } = await frames(opened, changes, isScrolling);
    const what = `${count(changes)} changes a second, ${isScrolling ? 'scrolled by 60 px a frame' : 'not scrolled'}`;
    rows.push({
      what: `${what}: time between frames, median and 99th percentile; late frames`,
      figure: `${ms(ours.p50)}, ${ms(ours.p99)}; ${share(ours.late)}`,
      against: `plain table ${ms(plain.p50)}, ${ms(plain.p99)}; ${share(plain.late)}`,
      ratio: `${(ours.p99 / plain.p99).toFixed(2)} x`,
      target: '60 frames a second: at most 1 % late',
      met: ours.late <= 0.01,
    });
  }
  return rows;
}

/** From the click on "Year" until the plot is drawn. */
async function yearOfHistory({ base, context }: Console): Promise<Row> {
  const times: number[] = [];
  const page = await context.newPage();
  for (let round = 0; round < YEARS; round += 1) {
    await page.goto(`${base}/console/devices/${VENDORS[0]}/device-${FIRST_NUMBER}`);
    await page.locator('.history-plot').first().waitFor();
    times.push(
      await page.evaluate<number>(`new Promise((resolve) => {
        const began = performance.now();
        const before = document.querySelector('.history-span p').textContent;
        document.querySelectorAll('.ranges input')[document.querySelectorAll('.ranges input').length - 1].click();
        const look = () => document.querySelector('.history-span p')?.textContent !== before && document.querySelector('.history-plot path') !== null
          ? requestAnimationFrame(() => resolve(performance.now() - began))
          : requestAnimationFrame(look);
        look();
      })`),
    );
  }
  await page.close();
  const time = median(times);
  return {
    what: `A year of a device, from the click until its plots are drawn, median of ${YEARS}`,
    figure: ms(time),
    target: 'under 200 ms',
    met: time < YEAR_MS,
  };
}

/** A year of a device of the fleet. */
async function storeYear(place: Place): Promise<void> {
  const database = await place.open();
  const store = createHistoryStore(database);
  const [vendor = ''] = VENDORS;
  const name = { account: ACCOUNT, vendor, device: `device-${FIRST_NUMBER}`, userRef: 'user-0' };
  const numbers = await database.transaction((transaction) => store.open(transaction, [name]));
  const number = numbers.get(store.textOf(name))?.number ?? 0;
  const to = quarterNow();
  const charged = chargedBetween(to - 365 * DAY_MS, to);
  await database.transaction((transaction) => store.follow(transaction, [{ number, ...charged }]));
  await database.close();
}

/** The console of an account with 10,000 devices, all of which change. */
export async function consoleBench(): Promise<Section[]> {
  if (withoutBrowser !== false) throw new Error(`the bench needs a browser: ${withoutBrowser}`);
  const place = await makePlace('sqlite');
  await storeFleet(place, ACCOUNT, DEVICES);
  await storeYear(place);
  const proxy = await startChild('./serve-console.ts', {
    BENCH_VENDORS: VENDORS.join(','),
    BENCH_DEVICES: String(DEVICES),
    BENCH_FIRST_NUMBER: String(FIRST_NUMBER),
  });
  const base = proxy.ready.connect;
  const port = await freePort();
  const elnav = await startElnav('sqlite', place, {
    ...{ ELNAV_CONNECT_URL: base, ELNAV_CONNECT_PORT: String(port) },
  });
  await proxy.ask(`target http://127.0.0.1:${port}`);
  const link = await callJson(
    `${elnav.child.ready.grid}/admin/users/${ACCOUNT}/sign-in-link?next=/auth/console`,
    { method: 'POST', headers: { 'x-admin-token': ADMIN_TOKEN } },
  );
  const browser = await openBrowser();
  const context = await browser.newContext({ locale: 'en-GB', viewport: VIEWPORT });
  const page = await context.newPage();
  await page.goto((link.body as { url: string }).url);
  await page.locator('main form button').click();
  await page.locator('#console h1').waitFor();
  await page.close();
  const opened = { base, proxy, context };
  const { ours, plain } = await usable(browser, opened);
  const rows: Row[] = [
    await firstLoad(opened),
    {
      what: `Time until rows are drawn, with an empty cache, median of ${LOADS}`,
      figure: ms(ours),
      against: `plain table ${ms(plain)}`,
      ratio: `${(ours / plain).toFixed(2)} x`,
      target: 'under 1 s',
      met: ours < USABLE_MS,
    },
    await yearOfHistory(opened),
  ];
  for (const changes of CHANGES) rows.push(...(await frameRows(opened, changes)));
  await browser.close();
  await elnav.close();
  await proxy.stop();
  await place.remove();
  return [
    {
      title: `The console with ${count(DEVICES)} devices, in Chromium`,
      note: `Frames are measured for ${WATCH_MS / 1_000} s, ${ROUNDS} times for each table. A frame is late after ${Math.round(LATE_MS)} ms, one and a half frames of a screen with 60 a second; the ratio is that of the 99th percentiles. Chromium draws without a graphics card`,
      rows,
    },
  ];
}
