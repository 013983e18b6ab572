import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { AppError } from '../../src/core/errors.ts';
import { assertAccessible } from '../kit/axe.ts';
import { withoutBrowser } from '../kit/chromium.ts';
import { type ConsolePage, DESK, openConsole, PHONE } from '../kit/console-page.ts';
import { until } from '../kit/until.ts';
import { testVendor } from '../kit/vendor-for-tests.ts';
import { makeWorld, type World } from '../kit/world.ts';

/** Lets a test cut the stream of events, as a network does. */
const CUTTABLE = `{
  const { fetch } = window;
  window.fetch = (address, init) => {
    if (address !== '/events/stream') return fetch(address, init);
    const cut = new AbortController();
    window.cutStream = () => cut.abort();
    return fetch(address, { ...init, signal: AbortSignal.any([init.signal, cut.signal]) });
  };
}`;

/** A history of three thirds, of which the one in the middle is not known. */
function historyBetween(from: string, to: string) {
  const start = Date.parse(from);
  const third = (Date.parse(to) - start) / 3;
  const at = (index: number) => new Date(Math.round(start + index * third)).toISOString();
  return {
    ...{ device: 'charger-1', resolution: '15m', cursor: null },
    points: [
      { start: at(0), end: at(1), covered: 1, power_w: 1_000 },
      { start: at(2), end: at(3), covered: 1, power_w: 3_000 },
    ],
    gaps: [{ from: at(1), to: at(2) }],
  };
}

describe('the console in a browser', { skip: withoutBrowser }, () => {
  const vendor = testVendor();
  let world: World;
  let console: ConsolePage;
  let page: Page;
  before(async () => {
    world = await makeWorld({ engine: 'sqlite', adapters: [vendor.adapter] });
    console = await openConsole(world, 'anna@example.com');
    page = console.page;
    await page.context().addInitScript(CUTTABLE);
  });
  after(async () => {
    await console?.close();
    await world?.close();
  });

  const open = (path: string) => console.open(path);
  const link = (user: string, devices: readonly string[]) => console.link(vendor, user, devices);
  const row = (name: string) => page.getByRole('row').filter({ hasText: name });
  const stateOf = (name: string) => row(name).locator('.column-state');
  const isAccessible = () => assertAccessible(page);
  const live = () => page.getByText('Live', { exact: true }).waitFor();

  it('the console in a browser begins with an overview that says honestly that there is nothing yet', async () => {
    await open('');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByText('No devices yet').waitFor();
    await page.getByText('Nothing needs attention right now.').waitFor();
    assert.match(await page.title(), /^Overview/);
    await isAccessible();
  });

  it('the console in a browser shows devices as they are linked, and what they do as it changes', async () => {
    await open('/devices');
    await live();
    await link('anna', ['light-1', 'light-2', 'charger-1', 'battery-1']);
    await link('bo', ['vehicle-1']);
    await page.getByText('5 devices').waitFor();
    vendor.reading = { online: true, on: true, watt: 2_000 };
    await console.api('GET', '/devices/light-1');
    await row('light-1').getByText('2 kW').waitFor();
    await stateOf('light-1').getByText('On', { exact: true }).waitFor();
    vendor.reading = { online: false, on: true, watt: 2_000 };
    await console.api('GET', '/devices/light-1');
    await stateOf('light-1').getByText('Unreachable').waitFor();
    await isAccessible();
  });

  it('the console in a browser finds devices, and keeps what was asked for in the address', async () => {
    vendor.reading = { online: true, on: true, watt: 2_000 };
    await page.getByLabel('Search').fill('LIGHT');
    await page.getByText('2 of 5 devices').waitFor();
    await page.getByLabel('Search').fill('-1');
    await page.getByText('4 of 5 devices').waitFor();
    await page.getByLabel('Type').selectOption('charger');
    await page.getByText('1 of 5 devices').waitFor();
    await page.waitForURL(
      ({ searchParams: asked }) => asked.get('q') === '-1' && asked.get('type') === 'charger',
    );
    await page.reload();
    await page.getByText('1 of 5 devices').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('5 devices', { exact: true }).waitFor();
    await page.getByLabel('User').fill('bo');
    await page.getByText('1 of 5 devices').waitFor();
    await row('vehicle-1').waitFor();
    await page.getByLabel('User').fill('nobody');
    await page.getByText('No devices belong to the user nobody.').waitFor();
    await isAccessible();
  });

  it('the console in a browser keeps what is typed while what was typed before reaches the address', async () => {
    await open('/devices');
    await page.getByText('5 devices', { exact: true }).waitFor();
    await page.evaluate(`{
      const { setTimeout } = window;
      const rest = (act) => () => {
        window.setTimeout = setTimeout;
        const field = document.querySelector('input[type="search"]');
        field.value = '-1';
        field.dispatchEvent(new Event('input', { bubbles: true }));
        act();
      };
      window.setTimeout = (act, ms) => setTimeout(ms === 300 ? rest(act) : act, ms);
    }`);
    await page.getByLabel('Search').fill('LIGHT');
    await page.waitForURL(({ searchParams: asked }) => asked.get('q') === '-1');
    assert.equal(await page.getByLabel('Search').inputValue(), '-1');
    await page.getByText('4 of 5 devices').waitFor();
  });

  it('the console in a browser is worked by keyboard alone', async () => {
    await open('/devices');
    await row('light-1').waitFor();
    const focused = () => page.evaluate<string>(`document.activeElement?.textContent ?? ''`);
    for (let tabs = 0; tabs < 30 && (await focused()) !== 'battery-1'; tabs += 1)
      await page.keyboard.press('Tab');
    assert.equal(await focused(), 'battery-1', 'Tab reaches the first row');
    await page.keyboard.press('ArrowDown');
    assert.equal(await focused(), 'charger-1');
    await page.keyboard.press('End');
    assert.equal(await focused(), 'vehicle-1');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'charger-1', level: 1 }).waitFor();
    assert.equal(await focused(), 'charger-1', 'the heading of the page has the focus');
    for (let tabs = 0; tabs < 30 && (await focused()) !== 'Start charging'; tabs += 1)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Carried out').waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor();
  });

  it('the console in a browser takes a number as it writes it', async () => {
    await open('/devices/testvendor/battery-1');
    const form = page.getByRole('region', { name: 'Battery', exact: true });
    await form.getByLabel('Power (W)').fill('2,000');
    await form.getByRole('button', { name: 'Set' }).click();
    await form.getByRole('status').getByText('Carried out').waitFor();
    const { command } = vendor.calls.findLast(({ call }) => call === 'command') ?? {};
    assert.equal(command?.type === 'set_battery_power' && command.power_w, 2_000);
  });

  it('the console in a browser sends commands within the limits of the device, and says what came of each', async () => {
    await open('/devices/testvendor/charger-1');
    const form = page.getByRole('region', { name: 'Charging current' });
    const outcome = form.getByRole('status');
    await form.getByText('From 6 to 32. 0 pauses.').waitFor();
    await form.getByLabel('Current (A)').fill('40');
    await form.getByRole('button', { name: 'Set' }).click();
    await form.locator('.fault').getByText('From 6 to 32').waitFor();
    assert.equal(vendor.calls.filter(({ command }) => command?.type === 'set_current').length, 0);

    await form.getByLabel('Current (A)').fill('8');
    let release = () => {};
    vendor.onCommand = () =>
      new Promise((resolve) => {
        release = () => resolve(undefined);
      });
    await form.getByRole('button', { name: 'Set' }).click();
    await outcome
      .getByRole('timer')
      .getByText(/^Sent \d+ s ago, no response yet$/)
      .waitFor();
    await isAccessible();
    await until('the command is at the vendor', () => vendor.calls.at(-1)?.call === 'command');
    release();
    await outcome.getByText('Carried out').waitFor();
    await outcome.getByText('Charging current 8').waitFor();
    await until(
      'the field has what is set',
      async () => (await form.getByLabel('Current (A)').inputValue()) === '8',
    );

    vendor.onCommand = async () => {
      throw new AppError('vendor.refused', 'the charger is locked');
    };
    await form.getByLabel('Current (A)').fill('10');
    await form.getByRole('button', { name: 'Set' }).click();
    await outcome.getByText('Not carried out').waitFor();
    await outcome.getByText(/the charger is locked/).waitFor();
    assert.equal(await form.getByLabel('Current (A)').inputValue(), '10', 'what failed is kept');

    vendor.onCommand = async () => {
      throw new AppError('command.outcome_unknown', 'the vendor did not answer in time');
    };
    await form.getByRole('button', { name: 'Set' }).click();
    await outcome.getByText('Outcome unknown').waitFor();
    vendor.onCommand = async () => {};

    const past = page.getByRole('region', { name: 'Commands' });
    for (const text of ['Outcome unknown', 'Not carried out', 'Carried out'])
      await past.getByText(text, { exact: true }).first().waitFor();
    await isAccessible();
  });

  it('the console in a browser asks under the same key what came of a command whose response was lost', async () => {
    const form = page.getByRole('region', { name: 'Charging', exact: true });
    const before = vendor.count('command');
    await page.route('**/command?**', async (route) => {
      // It arrives, and the response does not.
      await route.fetch();
      await route.abort();
    });
    await form.getByRole('button', { name: 'Stop charging' }).click();
    await form.getByText('The connection was lost before the response.').waitFor();
    await page.unroute('**/command?**');
    await form.getByRole('button', { name: 'Ask what came of it' }).click();
    await form.getByText('Carried out').waitFor();
    assert.equal(vendor.count('command'), before + 1);
  });

  it('the console in a browser draws history with its gaps, to be pointed at by keyboard too', async () => {
    const asked: string[] = [];
    await page.route('**/history?**', (route) => {
      const query = new URL(route.request().url()).searchParams;
      asked.push(query.get('resolution') ?? '');
      return route.fulfill({ json: historyBetween(query.get('from') ?? '', query.get('to') ?? '') });
    });
    await page.reload();
    const history = page.getByRole('region', { name: 'History' });
    const plot = history.getByRole('img', { name: /^Power, from 1.kW to 3.kW/ });
    await plot.waitFor();
    const line = (await plot.locator('.plot-line').getAttribute('d')) ?? '';
    assert.equal(line.match(/M/g)?.length, 2, `a line on each side of the gap: ${line}`);
    assert.equal(await plot.locator('.plot-gap').count(), 1);
    await history.getByLabel('Year').check();
    await page.waitForURL(/range=year/);
    await until('days are asked for', () => asked.at(-1) === '1d');
    await plot.waitFor();
    const slider = history.getByLabel('Moment in the plot');
    await slider.press('Home');
    assert.match((await slider.getAttribute('aria-valuetext')) ?? '', /Power 1.kW/);
    for (let steps = 0; steps < 10; steps += 1) await slider.press('PageUp');
    await slider.press('End');
    assert.match((await slider.getAttribute('aria-valuetext')) ?? '', /Power 3.kW/);
    await history.getByText('The figures').click();
    await history.getByRole('table').getByText('1 kW').waitFor();
    await isAccessible();
    await page.unroute('**/history?**');
  });

  it('the console in a browser keeps what was typed when the session has ended elsewhere', async () => {
    const field = page.getByRole('region', { name: 'Charging current' }).getByLabel('Current (A)');
    await field.fill('12');
    await page.context().clearCookies({ name: 'elnav_console' });
    await page.getByRole('region', { name: 'Charging current' }).getByRole('button', { name: 'Set' }).click();
    await page.getByText('Your session has ended').waitFor();
    assert.equal(await field.inputValue(), '12');
    await isAccessible();
    const [other] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Sign in in a new tab' }).click(),
    ]);
    await other.getByRole('heading', { name: 'Overview' }).waitFor();
    await other.close();
    await page.evaluate(`dispatchEvent(new Event('focus'))`);
    await page.getByText('Your session has ended').waitFor({ state: 'hidden' });
    assert.equal(await field.inputValue(), '12');
  });

  it('the console in a browser misses nothing while the connection is lost', async () => {
    await open('/devices');
    await live();
    await page.getByText('5 devices').waitFor();
    const asked: (string | undefined)[] = [];
    await page.route('**/events/stream', (route) => {
      asked.push(route.request().headers()['last-event-id']);
      return route.abort();
    });
    await page.evaluate('cutStream()');
    await page.getByText('Connection lost, retrying…').waitFor();
    await until('it is tried again', () => asked.length > 0);
    assert.match(asked[0] ?? '', /./, 'after the last event that it has');
    vendor.reading = { online: true, on: true, watt: 7_000 };
    await console.api('GET', '/devices/light-2');
    await page.unroute('**/events/stream');
    await live();
    await row('light-2').getByText('7 kW').waitFor();
  });

  it('the console in a browser loads everything again when events are gone that it has not read', async () => {
    let refused = 0;
    await page.route('**/events/stream', async (route) => {
      if (refused > 0) return route.continue();
      refused += 1;
      const error = JSON.stringify({ error: 'events have been removed' });
      await route.fulfill({ status: 410, contentType: 'application/json', body: error });
    });
    await open('/devices');
    await live();
    await page.getByText('5 devices').waitFor();
    assert.equal(refused, 1);
    await page.unroute('**/events/stream');
  });

  it('the console in a browser shows events as they happen, and the same for a terminal', async () => {
    await open('/events');
    await page.locator('.events').getByText('Command not carried out').first().waitFor();
    await page.getByLabel('Type').selectOption('device.linked');
    await page.getByLabel('Device id').fill('light-1');
    await page.getByText('1 event', { exact: true }).waitFor();
    const curl = await page.locator('pre').last().textContent();
    assert.match(
      curl ?? '',
      /^curl -N -H "Authorization: Bearer \$ELNAV_KEY" 'http:.*types=device\.linked&device=light-1'$/,
    );
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error())');
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByRole('status').getByText('The browser did not allow copying.').waitFor();
    assert.equal(await page.evaluate('getSelection().toString()'), curl);
    await page.locator('summary').first().click();
    await page.getByText('"occurred_at"').waitFor();
    await isAccessible();
    await page.getByLabel('Device id').fill('');
    await page.getByText('The browser did not allow copying.').waitFor({ state: 'hidden' });
    await page.getByLabel('Type').selectOption('device.state_changed');
    vendor.reading = { online: true, on: false, watt: 3 };
    await console.api('GET', '/devices/light-1');
    await page.getByText('Power: 3 W').waitFor();
  });

  it('the console in a browser shows the newest events first, and older ones when they are asked for', async () => {
    const { events } = (await console.api('GET', '/events?limit=1')) as { events: readonly object[] };
    const some = (part: string, count: number) =>
      Array.from({ length: count }, (_, index) => ({ ...events[0], id: `evt_${part}_${index}` }));
    const asked: string[] = [];
    const ofTheLog = /\/events\?/;
    await page.route(ofTheLog, (route) => {
      const query = new URL(route.request().url()).searchParams;
      asked.push(`${query.get('order')} ${query.get('before')}`);
      const isOlder = query.has('before');
      return route.fulfill({
        json: {
          events: some(isOlder ? 'old' : 'new', isOlder ? 20 : 110),
          cursor: 'here',
          has_more: !isOlder,
        },
      });
    });
    await open('/events');
    await page.getByText('110 events', { exact: true }).waitFor();
    // All of one moment: they stay in the order of the log.
    await page.getByLabel('Type').selectOption('all');
    await page.locator('.events summary').first().click();
    await page.getByText('"evt_new_0"').waitFor();
    await page.getByLabel('Type').selectOption('');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Show older' }).click();
    await page.getByText('130 events', { exact: true }).waitFor();
    assert.equal(await page.locator('.events > li').count(), 130);
    assert.equal(await page.getByRole('button', { name: 'Show older' }).count(), 0);
    assert.deepEqual(asked, ['newest null', 'newest here']);
    await page.unroute(ofTheLog);
  });

  it('the console in a browser holds names apart that others chose, however they are written', async () => {
    const names = ['<img src=x onerror=alert(1)>', 'abc\u202edcba', '', 'x'.repeat(10_000), 'שלום'];
    await page.route(`${world.connect}/devices`, async (route) => {
      const list = (await (await route.fetch()).json()) as object[];
      await route.fulfill({ json: list.map((device, index) => ({ ...device, name: names[index] })) });
    });
    for (const size of [DESK, PHONE]) {
      await page.setViewportSize(size);
      await open('/devices');
      await page.getByText('<img src=x onerror=alert(1)>').waitFor();
      await page.getByText('No name').waitFor();
      await page.getByText('abcdcba').waitFor();
      await isAccessible();
      await page.getByText(/^x{200}…$/).click();
      await page.getByRole('heading', { name: 'Control' }).waitFor();
      await isAccessible();
    }
    await page.unroute(`${world.connect}/devices`);
  });

  it('the console in a browser is read on a phone, in the dark and in Swedish', async () => {
    await page.setViewportSize(PHONE);
    await page.emulateMedia({ colorScheme: 'dark' });
    const home = `${world.connect}/language/sv?next=${encodeURIComponent('/console')}`;
    await page.goto(home);
    await page.getByRole('heading', { name: 'Översikt' }).waitFor();
    await page.getByText(/^\d av 5$/).waitFor();
    await isAccessible();
    for (const [path, heading] of [
      ['/devices', 'Enheter'],
      ['/devices/testvendor/light-1', 'light-1'],
      ['/devices/testvendor/battery-1', 'battery-1'],
      ['/devices/testvendor/nothing', 'Enheten finns inte'],
      ['/events', 'Händelser'],
      ['/nowhere', 'Sidan finns inte i konsolen'],
    ] as const) {
      await open(path);
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
      await isAccessible();
    }
  });

  it('the console in a browser ends the session, here and at the sign-in', async () => {
    await open('');
    await page.getByRole('button', { name: 'Logga ut' }).click();
    await page.waitForURL(/\/auth\/login/);
    await page.goto(`${world.connect}/console`);
    assert.match(page.url(), /\/auth\/login/);
  });

  it('the console in a browser has run without an error of its scripts and without a fault of its policy', () => {
    assert.deepEqual(console.faults, []);
  });
});
