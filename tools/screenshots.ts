import { mkdirSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type Clock, systemClock } from '../src/core/clock.ts';
import { DAY_MS, HOUR_MS } from '../src/core/durations.ts';
import type { PriceSource } from '../src/sources/contract/market.ts';
import { openBrowser } from '../test/kit/chromium.ts';
import { makePlace, type Place } from '../test/kit/databases.ts';
import { cookieIn, signUp } from '../test/kit/people.ts';
import { until } from '../test/kit/until.ts';
import { ADMIN_TOKEN, makeWorld, type World } from '../test/kit/world.ts';
import { jumpingClock, madeUpPrices, playScene, SCENE_MS } from './console-scene.ts';

/*
 * Takes the screenshots of the README and the guides: `npm run screenshots`, with TEST_CHROMIUM set to a Chromium. The ports of
 * the README must be free, since pages show their own address. All figures are made up; those of Grid's pages say so.
 */

const FOLDER = 'docs/images';
const NOW = Date.UTC(2026, 9, 14, 12, 20);
const EMAIL = 'anna@solvind.example';
/** Fewer than the burst limit. */
const CALLS_BY_DAY = [4, 9, 7, 2, 1, 6, 9, 8, 9, 5];
const WIDE = { viewport: { width: 1_280, height: 860 } } satisfies BrowserContextOptions;
const LOW = { viewport: { width: 1_280, height: 760 } } satisfies BrowserContextOptions;
const TALL = { viewport: { width: 1_280, height: 1_240 } } satisfies BrowserContextOptions;
const DEVICE = { viewport: { width: 1_280, height: 1_400 } } satisfies BrowserContextOptions;
const NARROW = { viewport: { width: 390, height: 844 } } satisfies BrowserContextOptions;

/** A service at a moment; `place` is that of a previous one. */
async function openWorld(at: number, place?: Place): Promise<World> {
  const begun = systemClock.now();
  return openAt({ ...systemClock, now: () => at + systemClock.now() - begun }, place);
}

async function openAt(
  clock: Clock,
  place?: Place,
  priceSources: readonly PriceSource[] = [],
): Promise<World> {
  const world = await makeWorld({
    engine: 'sqlite',
    clock,
    ...(place === undefined ? {} : { place }),
    env: {
      // The README's addresses, which the pages show.
      ELNAV_CONNECT_PORT: '8080',
      ELNAV_GRID_PORT: '8081',
      ELNAV_SIMULATE: 'tesla,netatmo',
      // Sample prices, which every page marks as such.
      ELNAV_SAMPLE_PRICES: 'on',
    },
    priceSources,
  });
  await until('prices are loaded', async () => (await fetch(`${world.grid}/api/v1/prices/current`)).ok);
  return world;
}

interface Shot {
  readonly name: string;
  readonly url: string;
  readonly options: BrowserContextOptions;
  readonly cookies?: Readonly<Record<string, string>>;
  prepare?(page: Page): Promise<unknown>;
}

async function take(browser: Browser, { name, url, options, cookies = {}, prepare }: Shot): Promise<void> {
  const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce', ...options });
  const origin = new URL('/', url).href;
  await context.addCookies(
    Object.entries(cookies).map(([cookie, value]) => ({ name: cookie, value, url: origin })),
  );
  const page = await context.newPage();
  await page.goto(url);
  await prepare?.(page);
  await setTimeout(300);
  await page.screenshot({ path: `${FOLDER}/${name}.png` });
  console.log(`wrote ${FOLDER}/${name}.png`);
  await context.close();
}

/** Goes from the choice of a brand to the list of found devices. */
async function linkTesla(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Tesla' }).click();
  await page.getByRole('button', { name: 'Continue to Tesla' }).click();
  await page.getByLabel('User name').fill('home');
  await page.getByLabel('Password').fill('simulated');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Tesla is connected' }).waitFor();
}

async function posted(
  url: string,
  headers: Record<string, string>,
  body: string | URLSearchParams,
): Promise<unknown> {
  const answer = await fetch(url, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/** Signs in to the operator's pages, with changes turned on; returns the cookie. */
async function signInOperator(world: World): Promise<string> {
  const send = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(`${world.grid}/operator/${path}`, {
      ...{ method: 'POST', headers, redirect: 'manual' },
      body: new URLSearchParams(fields),
    });
  const cookie = cookieIn(await send('sign-in', { token: ADMIN_TOKEN }), 'elnav_operator');
  const { status } = await send('changes', { turn: 'on' }, { cookie });
  if (status !== 303) throw new Error(`changes are not turned on: ${status}`);
  return cookie.slice(cookie.indexOf('=') + 1);
}

/** Creates a user with a brand and keys; returns the cookie and one of the keys. */
async function prepareAccount(world: World): Promise<{ readonly cookie: string; readonly key: string }> {
  const cookie = await signUp(world, EMAIL);
  const { id } = (await (await fetch(`${world.grid}/auth/me`, { headers: { cookie } })).json()) as {
    id: number;
  };
  const newKey = async (label: string, scopes: string): Promise<string> => {
    const query = new URLSearchParams({ label, scopes });
    const url = `${world.grid}/admin/users/${id}/keys?${query}`;
    return ((await posted(url, { 'x-admin-token': ADMIN_TOKEN }, '')) as { api_key: string }).api_key;
  };
  const key = await newKey('Charging app', 'link:write devices:read devices:command');
  await newKey('Monthly report', 'devices:read');
  const brand = await fetch(`${world.connect}/account/brand`, {
    method: 'PUT',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Sol & Vind', color: '#1b4f9c' }),
  });
  if (!brand.ok) throw new Error(`the brand is refused: ${brand.status}`);
  return { cookie: cookie.slice(cookie.indexOf('=') + 1), key };
}

async function call(world: World, key: string, times: number): Promise<void> {
  const me = await fetch(`${world.grid}/api/v1/regions/elomraden`, { headers: { 'x-api-key': key } });
  if (!me.ok) throw new Error(`the key is refused: ${me.status}`);
  for (let count = 0; count < times; count += 1)
    await fetch(`${world.connect}/vendors`, { headers: { 'x-api-key': key } });
}

/** The console shows the present: browsers learn the time from the service. */
async function takeConsole(browser: Browser): Promise<void> {
  const clock = jumpingClock(SCENE_MS);
  const world = await openAt(clock, undefined, [madeUpPrices(clock)]);
  try {
    const { cookie, key } = await prepareAccount(world);
    const car = await playScene({ world, clock, key });
    const cookies = { elnav_session: cookie };
    // Whatever the hour is, prices differ until then.
    const inSomeHours = new Date(Math.ceil((clock.now() + 15 * HOUR_MS) / HOUR_MS) * HOUR_MS).toISOString();
    const live = (page: Page) => page.getByText('Live', { exact: true }).waitFor();
    await take(browser, {
      name: 'console-device',
      url: `${world.connect}/console/devices/sandbox/${car}?range=hours`,
      options: DEVICE,
      cookies,
      prepare: async (page) => {
        await live(page);
        await page.locator('.history svg').nth(2).waitFor();
      },
    });
    await take(browser, {
      name: 'console-overview',
      url: `${world.connect}/console`,
      options: WIDE,
      cookies,
      prepare: async (page) => {
        await live(page);
        await page
          .getByText(/^known for/)
          .first()
          .waitFor();
      },
    });
    await take(browser, {
      name: 'console-planner',
      url: `${world.connect}/console/planner?${new URLSearchParams({ vendor: 'sandbox', device: car, by: inSomeHours })}`,
      options: WIDE,
      cookies,
      prepare: async (page) => {
        await live(page);
        await page.getByText('The plan saves').waitFor();
        await page.evaluate("document.querySelector('.plan-deadline').closest('section').scrollIntoView()");
      },
    });
    await take(browser, {
      name: 'console-devices',
      url: `${world.connect}/console/devices`,
      options: LOW,
      cookies,
      prepare: live,
    });
  } finally {
    await world.close();
  }
}

async function beginLink(world: World, key: string): Promise<string> {
  const session = await posted(
    `${world.connect}/link/sessions`,
    { 'x-api-key': key, 'content-type': 'application/json' },
    JSON.stringify({ user_ref: 'anna' }),
  );
  return (session as { url: string }).url;
}

const place = await makePlace('sqlite');
let account: Awaited<ReturnType<typeof prepareAccount>> | undefined;
for (const [index, calls] of CALLS_BY_DAY.entries()) {
  const past = await openWorld(NOW - (CALLS_BY_DAY.length - index) * DAY_MS, place);
  account ??= await prepareAccount(past);
  await call(past, account.key, calls);
  await past.close();
}
const world = await openWorld(NOW, place);
const browser = await openBrowser();
mkdirSync(FOLDER, { recursive: true });
try {
  const { key } = account ?? (await prepareAccount(world));
  await call(world, key, 8);
  const linkPage = await beginLink(world, key);
  const shots: readonly Shot[] = [
    { name: 'front', url: `${world.grid}/SE3`, options: TALL },
    {
      name: 'front-phone',
      url: `${world.grid}/lookup?q=Kiruna`,
      options: { ...NARROW, colorScheme: 'dark', locale: 'sv-SE' },
      prepare: (page) => page.locator('#answer').scrollIntoViewIfNeeded(),
    },
    { name: 'link', url: linkPage, options: NARROW },
    {
      name: 'link-consent',
      url: linkPage,
      options: NARROW,
      prepare: async (page) => {
        await page.getByRole('link', { name: 'Tesla' }).click();
        await page.getByRole('heading', { name: 'Connect Tesla' }).waitFor();
      },
    },
    {
      name: 'link-done',
      url: await beginLink(world, key),
      options: NARROW,
      prepare: linkTesla,
    },
    {
      name: 'operator-account',
      url: `${world.grid}/operator/accounts?q=${EMAIL}`,
      options: { viewport: { width: 1_280, height: 1_000 } },
      cookies: { elnav_operator: await signInOperator(world) },
      prepare: async (page) => {
        await page.getByRole('link', { name: EMAIL }).click();
        await page.getByRole('heading', { name: EMAIL }).waitFor();
      },
    },
    { name: 'link-form', url: `${linkPage}/easee`, options: { ...NARROW, locale: 'sv-SE' } },
    { name: 'docs', url: `${world.connect}/docs#post-devices-id-command`, options: LOW },
  ];
  for (const shot of shots) await take(browser, shot);
} finally {
  await world.close();
  await place.remove();
}
try {
  await takeConsole(browser);
} finally {
  await browser.close();
}
