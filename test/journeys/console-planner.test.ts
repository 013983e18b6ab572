import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import { QUARTER_MS } from '../../src/core/durations.ts';
import { createPriceStore } from '../../src/domain/market/prices/store.ts';
import { dayPrices } from '../../src/domain/market/prices/test-prices.ts';
import { vendors } from '../../src/vendors/index.ts';
import { assertAccessible } from '../kit/axe.ts';
import { withoutBrowser } from '../kit/chromium.ts';
import { type ConsolePage, DESK, openConsole, PHONE } from '../kit/console-page.ts';
import { makePlace } from '../kit/databases.ts';
import { runningClock } from '../kit/running-clock.ts';
import { until } from '../kit/until.ts';
import { type Caller, makeWorld, type World } from '../kit/world.ts';

/** 16:07 in Stockholm and 10:07 in New York, on the day before one of 25 hours in Sweden. */
const NOW = Date.UTC(2031, 9, 25, 14, 7);
const SLOTS = 33 * 4;
/** 07:00 of the next day in New York ends this slot. */
const MORNING = 21 * 4 - 1;
const WATTS = 'set=watts&power=11&least=0&capacity=60&soc=20&target=80';
const FULL_WH = 11_000 / 4;
const NEED_WH = 36_000;

interface PlanResponse {
  readonly area: string;
  readonly total_cost: string;
}

const kronor = (units: bigint): string =>
  new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'SEK' }).format(Number(units) / 1e8);

describe('the planner in the console', { skip: withoutBrowser }, () => {
  let world: World;
  let console: ConsolePage;
  let caller: Caller;
  const clock = runningClock();
  /** Prices that Grid has, in units of 10^-5 kronor. */
  let prices: readonly bigint[];
  before(async () => {
    clock.turn(NOW - clock.now());
    const place = await makePlace('sqlite');
    const database = await place.open(clock);
    const store = createPriceStore(database);
    for (const day of ['2031-10-25', '2031-10-26'] as const) await store.store(dayPrices('SE3', day), 1);
    // Tomorrow is not published.
    await store.store(dayPrices('SE1', '2031-10-25'), 1);
    await database.close();
    world = await makeWorld({
      ...{ engine: 'sqlite', place, clock, adapters: vendors },
      env: { ELNAV_SAMPLE_PRICES: 'off' },
    });
    console = await openConsole(world, 'anna@example.com', {
      timezoneId: 'America/New_York',
      hasTouch: true,
    });
    caller = await world.newAccount();
    const answer = await fetch(`${world.grid}/api/v1/prices/spot?area=SE3`, {
      headers: { 'x-api-key': caller.key },
    });
    const items = (await answer.json()) as { readonly price: string }[];
    prices = items.map(({ price }) => BigInt(Math.round(Number(price) * 1e5)));
    assert.equal(prices.length, SLOTS);
  });
  after(async () => {
    await console?.close();
    await world?.close();
    await world?.place.remove();
  });

  /** What it costs to fill these slots one after the other, in units of 10^-8 kronor. */
  const costOf = (order: readonly number[]): bigint => {
    let left = NEED_WH;
    let cost = 0n;
    for (const slot of order) {
      const wh = Math.min(FULL_WH, left);
      cost += (prices[slot] ?? 0n) * BigInt(wh);
      left -= wh;
    }
    assert.equal(left, 0);
    return cost;
  };
  const slotsUntil = (last: number, first = 0) =>
    Array.from({ length: last + 1 - first }, (_, index) => first + index);
  const byPrice = (last: number, first?: number) =>
    slotsUntil(last, first).sort((a, b) => Number((prices[a] ?? 0n) - (prices[b] ?? 0n)));
  const slider = () => console.page.getByRole('slider', { name: 'Ready by' });
  const says = (text: string) => console.page.locator(`[role="slider"][aria-valuetext="${text}"]`).waitFor();
  const row = (name: string) =>
    console.page.getByRole('row').filter({ has: console.page.getByRole('rowheader', { name, exact: true }) });
  const isAccessible = () => assertAccessible(console.page);
  /** The costs of the plan, of charging at once and late, as the page is expected to show them. */
  const costsUntil = async (last: number, first?: number) => {
    const [cheapest, atOnce, late] = [
      costOf(byPrice(last, first)),
      costOf(slotsUntil(last, first)),
      costOf(slotsUntil(last, first).reverse()),
    ];
    await row('The plan').getByText(kronor(cheapest), { exact: true }).waitFor();
    await row('At once').getByText(kronor(atOnce), { exact: true }).waitFor();
    await row('At once')
      .getByText(new RegExp(`^${escaped(kronor(atOnce - cheapest))} `))
      .waitFor();
    await row('As late as possible').getByText(kronor(late), { exact: true }).waitFor();
    return { cheapest, atOnce };
  };
  const centre = async (locator: Locator) => {
    const box = await locator.boundingBox();
    assert.ok(box !== null);
    return { x: box.x + box.width / 2, y: box.y + 22 };
  };

  it('the planner in the console plans a usual car at the area of the links, at the cost that the prices of Grid give', async () => {
    const { page } = console;
    await console.open('/links');
    const { status } = await console.call('POST', '/link', {
      ...{ vendor: 'sandbox', user_ref: 'anna', price_area: 'SE3' },
      credentials: { device_types: ['vehicle'] },
    });
    assert.equal(status, 200);
    await page.getByRole('link', { name: 'Planner' }).click();
    await page.getByRole('heading', { name: 'What it costs' }).waitFor();
    assert.equal(await page.getByLabel('Price area').inputValue(), 'SE3');
    await page.getByText('From your links.').waitFor();
    await isAccessible();
    await page.getByLabel('Power is set').selectOption('watts');
    await page.getByLabel('Lowest power (kW)').fill('0');
    await says('Sun 26 07:00');
    const { cheapest, atOnce } = await costsUntil(MORNING);
    assert.ok(cheapest < atOnce);
    const share = Math.round((Number(atOnce - cheapest) / Number(atOnce)) * 100);
    await row('At once').getByText(`(${share}\u00a0%)`).waitFor();
    await page.getByText('Spot prices alone: without VAT').waitFor();
    await isAccessible();
  });

  it('the planner in the console gives the request for a terminal, without a secret, whose response is the one that is shown', async () => {
    const { page } = console;
    const curl = (await page.locator('pre').first().textContent()) ?? '';
    assert.match(curl, /^curl -sS http:\S+\/optimize\/plan \\\n {2}-H "Authorization: Bearer \$ELNAV_KEY"/);
    const body: unknown = JSON.parse(/-d '(.*)'$/.exec(curl)?.[1] ?? '');
    const again = await caller.call('POST', '/optimize/plan', body);
    await page.getByText('The response as JSON').click();
    const response = page.locator('pre').filter({ hasText: /^\s*\{/ });
    const shown = JSON.parse((await response.textContent()) ?? '') as PlanResponse;
    assert.deepEqual(shown, again.body);
    assert.equal(shown.area, 'SE3');
    assert.equal(BigInt(Math.round(Number(shown.total_cost) * 1e8)), costOf(byPrice(MORNING)));
  });

  it('the planner in the console has the plot as a table, with every quarter', async () => {
    const { page } = console;
    await page.getByText('The figures').click();
    const table = page.locator('.plan-table tbody tr');
    await table.first().waitFor();
    assert.equal(await table.count(), SLOTS);
    assert.equal(await page.locator('.plan-on').count(), Math.ceil(NEED_WH / FULL_WH));
    await table.first().getByText('Sat 25 10:00').waitFor();
    await isAccessible();
  });

  it('the planner in the console reads out time, price and power where it is pointed at, by mouse and by keyboard', async () => {
    const { page } = console;
    await page.locator('.history-plot').scrollIntoViewIfNeeded();
    const box = await page.locator('.history-plot').boundingBox();
    assert.ok(box !== null);
    await page.mouse.move(box.x + 63, box.y + 100);
    const first = `${(Number(prices[0]) / 1e3).toFixed(1)}\u00a0öre/kWh · no charging`;
    await page.locator('figcaption').getByText(`Sat 25 10:00 · ${first}`).waitFor();
    await page.mouse.move(box.x + 63, box.y - 20);
    await page.getByLabel('Moment in the plot').focus();
    await page.keyboard.press('ArrowRight');
    const spoken = await page.getByLabel('Moment in the plot').getAttribute('aria-valuetext');
    assert.match(spoken ?? '', /^Sat 25 10:15, [\d.]+\u00a0öre\/kWh · no charging$/);
  });

  it('the planner in the console plans again as the deadline is moved by keys', async () => {
    const { page } = console;
    await slider().focus();
    for (const [key, expected, last] of [
      ['ArrowLeft', 'Sun 26 06:45', MORNING - 1],
      ['PageDown', 'Sun 26 05:45', MORNING - 5],
      ['PageUp', 'Sun 26 06:45', MORNING - 1],
      ['ArrowRight', 'Sun 26 07:00', MORNING],
      ['End', 'Sun 26 19:00', SLOTS - 1],
    ] as const) {
      await page.keyboard.press(key);
      await says(expected);
      await costsUntil(last);
    }
    await page.keyboard.press('ArrowRight');
    await says('Sun 26 19:00');
  });

  it('the planner in the console says which deadline would be right where one is too soon, and keeps the plot', async () => {
    const { page } = console;
    await slider().focus();
    await page.keyboard.press('Home');
    await says('Sat 25 10:15');
    await page.getByText('The deadline is too soon').waitFor();
    // 13 quarters at full power are 250 Wh too few.
    await page
      .getByText('At full power the battery is then at 24 %, not 80 %. Choose Sat 25 13:30 or later')
      .waitFor();
    assert.equal(await page.getByRole('heading', { name: 'What it costs' }).count(), 0);
    assert.ok(((await page.locator('.plot-line').getAttribute('d')) ?? '').length > 500);
    await isAccessible();
    await page.getByLabel('Ready by', { exact: true }).and(page.locator('input')).fill('2031-10-25T13:30');
    await costsUntil(13);
  });

  it('the planner in the console plans again as the deadline is dragged by mouse and by a finger, and keeps it in the address', async () => {
    const { page } = console;
    await console.open(`/planner?${WATTS}`);
    await costsUntil(MORNING);
    const handle = page.locator('.plan-grip');
    await handle.scrollIntoViewIfNeeded();
    const from = await centre(handle);
    /** Where the handle comes to stand: it is at the end of a quarter, of which each has some pixels. */
    const comesTo = async (x: number) => {
      await until(`the handle is at ${x}`, async () => Math.abs((await centre(handle)).x - x) < 6);
      return Number(await slider().getAttribute('aria-valuenow'));
    };
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x + 60, from.y, { steps: 12 });
    await page.mouse.move(from.x + 120, from.y + 80, { steps: 12 });
    await page.mouse.up();
    const last = await comesTo(from.x + 120);
    assert.ok(last > MORNING);
    await costsUntil(last);
    await page.mouse.move(from.x, from.y);
    const by = new Date(Math.floor(NOW / QUARTER_MS) * QUARTER_MS + (last + 1) * QUARTER_MS).toISOString();
    await page.waitForURL(({ searchParams: asked }) => asked.get('by') === by);
    assert.equal(Number(await slider().getAttribute('aria-valuenow')), last, 'it is let go');

    const scrolled = await page.evaluate('scrollY');
    const touch = await page.context().newCDPSession(page);
    const to = await centre(handle);
    const finger = (type: 'touchStart' | 'touchMove' | 'touchEnd', x?: number) =>
      touch.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: x === undefined ? [] : [{ x, y: to.y }],
      });
    await finger('touchStart', to.x);
    for (const step of [20, 60, 120, 180, 240]) await finger('touchMove', to.x - step);
    await finger('touchEnd');
    const dragged = await comesTo(to.x - 240);
    assert.ok(dragged < MORNING, `${dragged}`);
    await costsUntil(dragged);
    assert.equal(await page.evaluate('scrollY'), scrolled);
  });

  it('the planner in the console asks for the newest deadline alone where the service is slower than the hand', async () => {
    const { page } = console;
    await console.open(`/planner?${WATTS}`);
    await costsUntil(MORNING);
    const asked: number[] = [];
    let letGo = (): void => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route('**/optimize/plan', async (route) => {
      const { area, task } = route.request().postDataJSON();
      if (area !== undefined && task.capacity_wh > 1) asked.push(task.deadline_slot_index);
      await held;
      await route.continue();
    });
    await slider().focus();
    for (const _ of slotsUntil(7)) await page.keyboard.press('ArrowRight');
    await says('Sun 26 09:00');
    letGo();
    await costsUntil(MORNING + 8);
    assert.deepEqual(asked, [MORNING + 1, MORNING + 8]);
    await page.unroute('**/optimize/plan');
  });

  it('the planner in the console keeps area, car and times in the address, so that they can be shared', async () => {
    const { page } = console;
    await console.open(`/planner?area=SE3&${WATTS}`);
    await page.getByLabel('Battery (kWh)').fill('40,5');
    await page.getByLabel('Not before').fill('2031-10-25T18:00');
    await slider().focus();
    await page.keyboard.press('PageUp');
    await page.waitForURL(({ searchParams: asked }) => asked.get('capacity') === '40,5' && asked.has('by'));
    const cost = await row('The plan').textContent();
    await page.reload();
    await page.getByRole('heading', { name: 'What it costs' }).waitFor();
    assert.equal(await row('The plan').textContent(), cost);
    await says('Sun 26 08:00');
    assert.equal(await page.getByLabel('Not before').inputValue(), '2031-10-25T18:00');
    const curl = (await page.locator('pre').first().textContent()) ?? '';
    const { prices: sent, task } = JSON.parse(/-d '(.*)'$/.exec(curl)?.[1] ?? '');
    assert.equal(sent[0].start, '2031-10-25T22:00:00.000Z');
    assert.equal(task.capacity_wh, 40_500);
    await row('At once').getByText('25 Oct, ').waitFor();
  });

  it('the planner in the console says what is wrong in the field, and that nothing has to be charged', async () => {
    const { page } = console;
    await console.open(`/planner?${WATTS}`);
    await page.getByLabel('Level now (%)').fill('101');
    await page.getByText('Enter a whole number from 0 to 100.').waitFor();
    await page.getByText('No plan yet').waitFor();
    await isAccessible();
    await page.getByLabel('Level now (%)').fill('');
    await page.getByText('Enter a whole number from 0 to 100.').waitFor();
    await page.getByLabel('Level now (%)').fill('85');
    await page.getByText('The battery is at 80 % or above. Choose a higher level.').waitFor();
    await page.getByLabel('Level now (%)').fill('20');
    await page.getByLabel('Lowest power (kW)').fill('22');
    await page.getByText('task.min_power_w must be at most task.max_power_w (11000), not 22000').waitFor();
    await page.getByLabel('Ready by', { exact: true }).and(page.locator('input')).fill('2031-10-24T07:00');
    await page
      .getByText('No whole quarter of an hour can be used before Fri 24 07:00. Choose Sat 25 10:15 or later.')
      .waitFor();
  });

  it('the planner in the console says until when prices are known, and why an area has none', async () => {
    const { page } = console;
    await console.open(`/planner?area=SE1&${WATTS}&by=2031-10-26T11:00:00.000Z`);
    await page.getByText('Prices are known only until Sat 25 18:00').waitFor();
    await page.getByRole('heading', { name: 'What it costs' }).waitFor();
    await page.getByLabel('Battery (kWh)').fill('200');
    await page.getByText('Prices are not known for long enough').waitFor();
    await page
      .getByText('They are known until Sat 25 18:00. At full power the battery is then at 64 %')
      .waitFor();
    await isAccessible();
    await page.getByLabel('Price area').selectOption('SE4');
    await page.getByText('the current spot price of SE4 is missing').waitFor();
    await page.getByText('Choose another area, or try again later.').waitFor();
    await isAccessible();
  });

  it('the planner in the console begins at the page of a car, with what it says of itself and how old that is', async () => {
    const { page } = console;
    await console.open('/devices');
    await page.getByRole('link', { name: 'Sandbox vehicle' }).click();
    await page.getByRole('link', { name: 'Plan charging' }).click();
    await page.getByRole('heading', { name: 'What it costs' }).waitFor();
    await page.getByText(/^Measured /).waitFor();
    const id = new URL(page.url()).searchParams.get('device') ?? '';
    const { body } = await console.call('GET', `/devices/${id}`);
    const { state } = body as { readonly state: { readonly battery_soc: number } };
    assert.equal(await page.getByLabel('Level now (%)').inputValue(), String(state.battery_soc));
    await page.getByLabel('Level now (%)').fill('10');
    await page.waitForURL(({ searchParams: asked }) => asked.get('soc') === '10');
    await page.getByLabel('Car or charger').selectOption('');
    assert.equal(await page.getByLabel('Level now (%)').inputValue(), '20', 'another car has its own level');
    await console.open('/planner?vendor=sandbox&device=nothing');
    await page.getByText('there is no device nothing').waitFor();
    await isAccessible();
  });

  it('the planner in the console goes on to the next quarter with the service', async () => {
    const { page } = console;
    await console.open(`/planner?${WATTS}`);
    await costsUntil(MORNING);
    clock.turn(QUARTER_MS);
    await slider().focus();
    await page.keyboard.press('ArrowLeft');
    await costsUntil(MORNING - 1, 1);
    assert.equal(await slider().getAttribute('aria-valuemax'), String(SLOTS - 2));
    await says('Sun 26 06:45');
  });

  it('the planner in the console is used on a phone, in the dark and in Swedish', async () => {
    const { page } = console;
    await page.setViewportSize(PHONE);
    await page.emulateMedia({ colorScheme: 'dark' });
    const next = encodeURIComponent(`/console/planner?${WATTS}`);
    await page.goto(`${world.connect}/language/sv?next=${next}`);
    await page.getByRole('heading', { name: 'Vad det kostar' }).waitFor();
    await page.getByRole('slider', { name: 'Klar till' }).focus();
    await page.keyboard.press('Home');
    await page.getByText('Välj lör 25 13:45 eller senare').waitFor();
    await isAccessible();
    await page.setViewportSize(DESK);
    assert.deepEqual(console.faults, []);
  });
});

describe('the planner in the console without real prices', { skip: withoutBrowser }, () => {
  it('the planner in the console without real prices says that they are a sample, and takes the area that was chosen on the front page', async () => {
    const world = await makeWorld({ engine: 'sqlite', env: { ELNAV_SAMPLE_PRICES: 'on' } });
    const console = await openConsole(world, 'bo@example.com');
    const { page } = console;
    await page.goto(`${world.grid}/area/SE2?vat=on`);
    await console.open('/planner');
    await page.getByText('These prices are not real').waitFor();
    assert.equal(await page.getByLabel('Price area').inputValue(), 'SE2');
    await page.getByText('As chosen on the page of prices.').waitFor();
    await page.goto(`${world.grid}/area/forget`);
    await console.open('/planner');
    await page.getByText('Not known: choose your own.').waitFor();
    assert.equal(await page.getByLabel('Price area').inputValue(), 'SE3');
    assert.deepEqual(console.faults, []);
    await console.close();
    await world.close();
  });
});

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
