import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { MINUTE_MS } from '../../src/core/durations.ts';
import { vendors } from '../../src/vendors/index.ts';
import { withoutBrowser } from '../kit/chromium.ts';
import { type ConsolePage, openConsole } from '../kit/console-page.ts';
import { until } from '../kit/until.ts';
import { testVendor } from '../kit/vendor-for-tests.ts';
import { makeWorld, type World } from '../kit/world.ts';

interface Linked {
  readonly devices: readonly { readonly id: string }[];
}

const HIDE = `
  Object.defineProperty(document, 'hidden', { get: () => window.isHidden === true, configurable: true });
`;

describe('what is typed, chosen and focused in the console', { skip: withoutBrowser }, () => {
  const vendor = testVendor();
  let world: World;
  let console: ConsolePage;
  let page: Page;
  let simulated = '';
  before(async () => {
    world = await makeWorld({ engine: 'sqlite', adapters: [...vendors, vendor.adapter] });
    console = await openConsole(world, 'anna@example.com');
    page = console.page;
    await console.open('');
    await console.link(vendor, 'anna', ['charger-1']);
    const { devices } = (await console.api('POST', '/link', {
      ...{ vendor: 'sandbox', user_ref: 'bo', credentials: { device_types: ['charger'] } },
    })) as Linked;
    simulated = devices[0]?.id ?? '';
  });
  after(async () => {
    await console?.close();
    await world?.close();
  });

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const region = (name: string) => page.getByRole('region', { name, exact: true });
  const focused = () => page.evaluate<string>('document.activeElement.textContent.trim()');
  const isFocusedField = (label: string) =>
    until(`the focus is on ${label}`, () =>
      page.evaluate<boolean>(`document.activeElement.labels?.[0]?.textContent === ${JSON.stringify(label)}`),
    );
  /** Has the requests to an address wait; the result lets them go on. */
  const hold = async (address: string): Promise<() => Promise<void>> => {
    const waiting: Route[] = [];
    let isHeld = true;
    await page.route(address, async (route) => {
      if (isHeld) waiting.push(route);
      else await route.continue();
    });
    return async () => {
      isHeld = false;
      for (const route of waiting) await route.continue();
    };
  };
  const refuse = (address: string) =>
    page.route(address, (route) => route.fulfill({ status: 503, json: { error: 'busy now' } }));

  it('what is typed, chosen and focused in the console stays in a control where it was typed while a command was on its way', async () => {
    await console.open('/devices/testvendor/charger-1');
    const form = region('Charging current');
    const release = await hold('**/command?**');
    await form.getByLabel('Current (A)').fill('8');
    await form.getByRole('button', { name: 'Set' }).click();
    await form.getByText(/no response yet$/).waitFor();
    await form.getByLabel('Current (A)').fill('12');
    await release();
    await form.getByText('Carried out').waitFor();
    assert.equal(await form.getByLabel('Current (A)').inputValue(), '12');
  });

  it('what is typed, chosen and focused in the console stays among the conditions of a simulated device where they could not be set', async () => {
    await console.open(`/devices/sandbox/${simulated}`);
    const card = region('Simulation');
    const level = card.getByLabel('Charge level (%)');
    await level.fill('40.5');
    await button('Set Charge level (%)').click();
    await card.getByText('Enter a whole number from 0 to 100.').waitFor();
    await level.fill('40');
    await refuse('**/sandbox/devices/**');
    await button('Set Charge level (%)').click();
    await card.getByText('busy now').waitFor();
    assert.equal(await level.inputValue(), '40');
    await page.unroute('**/sandbox/devices/**');
    await button('Set Charge level (%)').click();
    await card.getByText('Charge level (%): Set').waitFor();
    await until('the field is empty', async () => (await level.inputValue()) === '');
  });

  it('what is typed, chosen and focused in the console is an error with its reason where the conditions could not be read', async () => {
    await refuse('**/openapi.json');
    await console.open(`/devices/sandbox/${simulated}`);
    await region('Simulation').getByText('busy now').waitFor();
    await page.unroute('**/openapi.json');
    await region('Simulation').getByRole('button', { name: 'Try again' }).click();
    await region('Simulation').getByLabel('Charge level (%)').waitFor();
  });

  it('what is typed, chosen and focused in the console is a state that no older reading replaces, on a page that is visited again', async () => {
    await console.open('/devices/testvendor/charger-1');
    await region('Now')
      .getByText(/^Measured/)
      .waitFor();
    await page.getByRole('link', { name: 'Devices', exact: true }).first().click();
    await page.getByText('Live', { exact: true }).waitFor();
    vendor.reading = { online: true, on: true, watt: 7_000 };
    await console.api('GET', '/devices/charger-1?vendor=testvendor');
    const row = page.getByRole('row').filter({ hasText: 'charger-1' });
    await row.filter({ hasText: '7 kW' }).waitFor();
    const release = await hold('**/devices/charger-1?**');
    await row.getByRole('link').click();
    await region('Now').getByText('7 kW').waitFor();
    // Two frames later what was kept of the first visit would have been drawn.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    assert.equal(await region('Now').getByText('7 kW').count(), 1);
    await release();
  });

  it('what is typed, chosen and focused in the console keeps the focus while another time of a history is loaded, or when it cannot be', async () => {
    await console.open('/devices/testvendor/charger-1');
    const history = region('History');
    await history.getByText('Averages of 15 minutes').or(history.getByText('No values')).first().waitFor();
    assert.equal(await history.getByRole('button', { name: 'Later' }).getAttribute('aria-disabled'), 'true');
    const release = await hold('**/history?**');
    const earlier = history.getByRole('button', { name: 'Earlier' });
    await earlier.press('Enter');
    await history.getByText('Loading…').waitFor();
    assert.match(await focused(), /Earlier/);
    await release();
    await refuse('**/history?**');
    await earlier.press('Enter');
    await history.getByText('busy now').waitFor();
    assert.equal(
      await history.getByText('No values').count(),
      0,
      'nothing is said of what could not be read',
    );
    assert.match(await focused(), /Earlier/);
    await page.unroute('**/history?**');
    await history.getByRole('button', { name: 'Try again' }).click();
    await history.getByText('busy now').waitFor({ state: 'detached' });
  });

  it('what is typed, chosen and focused in the console is read again once the page is looked at, where a read was due while it was hidden', async (test) => {
    const tab = await page.context().newPage();
    test.after(() => tab.close());
    await tab.addInitScript(HIDE);
    await tab.clock.install();
    let asked = 0;
    await tab.route('**/devices/charger-1?**', async (route) => {
      asked += 1;
      const response = await route.fetch();
      const body = (await response.json()) as object;
      const next_read_at = new Date(Date.now() + MINUTE_MS).toISOString();
      await route.fulfill({ json: { ...body, next_read_at, next_read_missing: null } });
    });
    await tab.goto(`${world.connect}/console/devices/testvendor/charger-1`);
    await tab.getByText(/next read in/).waitFor();
    const before = asked;
    const look = (isHidden: boolean) =>
      tab.evaluate(`isHidden = ${isHidden}; document.dispatchEvent(new Event('visibilitychange'))`);
    await look(true);
    await until('the read is due', async () => {
      // Again where a late response of the page's beginning has corrected the clock.
      await tab.clock.fastForward(2 * MINUTE_MS);
      return (await tab.getByText('to be read as soon as possible').count()) > 0;
    });
    assert.equal(asked, before, 'a page that nobody looks at reads nothing');
    await look(false);
    await until('it is read', () => asked > before);
  });

  it('what is typed, chosen and focused in the console is stored in the order in which it was chosen: the last price area stays', async () => {
    await console.open('/links');
    const sent: (string | null)[] = [];
    const waiting: Route[] = [];
    await page.route('**/links/*', (route) => {
      sent.push((route.request().postDataJSON() as { price_area: string | null }).price_area);
      waiting.push(route);
    });
    const area = page.getByLabel('Price area of anna at Test vendor');
    await area.selectOption('SE1');
    await until('the first is sent', () => sent.length === 1);
    await area.selectOption('SE2');
    await area.selectOption('SE3');
    await waiting[0]?.continue();
    await until('the last is sent', () => sent.length > 1);
    await waiting[1]?.continue();
    await page.getByText('Stored').waitFor();
    assert.deepEqual(sent, ['SE1', 'SE3']);
    await page.unroute('**/links/*');
    const [link] = ((await console.api('GET', '/links')) as { id: string; user_ref: string }[]).filter(
      ({ user_ref }) => user_ref === 'anna',
    );
    await console.api('PATCH', `/links/${link?.id}`, { price_area: 'SE4' });
    // Another choice has the links read again.
    await page.getByLabel('Price area of bo at Sandbox').selectOption('SE1');
    await until('another choice is shown', async () => (await area.inputValue()) === 'SE4');
  });

  it('what is typed, chosen and focused in the console shows why a removal failed, however often Escape was pressed meanwhile', async () => {
    await console.open('/links');
    const waiting: Route[] = [];
    await page.route('**/links/*', (route) => void waiting.push(route));
    await page.getByRole('button', { name: 'Remove the link of anna at Test vendor' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByText('Removing…').waitFor();
    for (let times = 0; times < 3; times += 1) await page.keyboard.press('Escape');
    await until('the removal is sent', () => waiting.length === 1);
    await waiting[0]?.fulfill({ status: 503, json: { error: 'busy now' } });
    await dialog.getByText('busy now').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.unroute('**/links/*');
  });

  it('what is typed, chosen and focused in the console stays in the brand where it was typed while that was saved, and begins with what is set', async () => {
    await console.open('/brand');
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('Sol\u2067bilar');
    await button('Save').focus();
    await page.keyboard.press('Enter');
    await page.getByText('Enter a name of 1 to 60 ordinary characters.').waitFor();
    await isFocusedField('Name');
    await name.fill('Sol');
    const release = await hold('**/account/brand');
    await button('Save').click();
    await name.fill('Solbilar');
    await release();
    await page.getByText('Saved.').waitFor();
    assert.equal(await name.inputValue(), 'Solbilar');
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await console.api('PUT', '/account/brand', { name: 'Vind', color: null });
    await page.getByRole('link', { name: 'Brand', exact: true }).click();
    await until('the brand of another tab is shown', async () => (await name.inputValue()) === 'Vind');
  });

  it('what is typed, chosen and focused in the console stays in the form of the next key when the key of a form that was cancelled is created late', async () => {
    await console.open('/keys');
    const label = page.getByLabel('Label', { exact: true });
    await button('New key').click();
    await label.fill('first');
    const release = await hold('**/account/keys');
    await button('Create key').click();
    await button('Cancel').click();
    await button('New key').click();
    await label.fill('second');
    await release();
    await page.getByText('Your new key').waitFor();
    assert.equal(await label.inputValue(), 'second');
  });

  it('what is typed, chosen and focused in the console stays in a time of the planner that is not whole yet', async () => {
    const by = new Date(Date.now() + 5 * 60 * MINUTE_MS).toISOString();
    const from = new Date(Date.now() + 60 * MINUTE_MS).toISOString();
    await console.open(`/planner?${new URLSearchParams({ by, from })}`);
    for (const label of ['Ready by', 'Not before']) {
      const field = page.locator('.plan-form').getByLabel(label);
      const whole = await field.inputValue();
      await field.focus();
      await page.keyboard.press('Backspace');
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      assert.equal(
        await field.evaluate((input: { validity: { badInput: boolean } }) => input.validity.badInput),
        true,
        `${label} keeps the other parts`,
      );
      await field.blur();
      await until(`${label} is whole again`, async () => (await field.inputValue()) === whole);
    }
    assert.equal(new URL(page.url()).searchParams.get('by'), by);
  });

  it('what is typed, chosen and focused in the console is in fields that are level where the label of one of them wraps', async () => {
    await page.setViewportSize({ width: 1_280, height: 900 });
    await console.open('/planner');
    const heights = await page.evaluate<number[]>(
      `['Battery (kWh)', 'Level now (%)', 'Wanted level (%)'].map((label) =>
        [...document.querySelectorAll('.plan-form label')]
          .find(({ textContent }) => textContent === label).control.getBoundingClientRect().top)`,
    );
    assert.equal(new Set(heights).size, 1, heights.join(', '));
  });

  it('what is typed, chosen and focused in the console has run without an error of its scripts and without a fault of its policy', () => {
    assert.deepEqual(console.faults, []);
  });
});
