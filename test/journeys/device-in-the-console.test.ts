import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../../src/core/clock.ts';
import { DAY_MS } from '../../src/core/durations.ts';
import { dayAt } from '../../src/core/swedish-days.ts';
import { createPriceStore } from '../../src/domain/market/prices/store.ts';
import { dayPrices } from '../../src/domain/market/prices/test-prices.ts';
import { vendors } from '../../src/vendors/index.ts';
import { assertAccessible } from '../kit/axe.ts';
import { withoutBrowser } from '../kit/chromium.ts';
import { type ConsolePage, DESK, openConsole, PHONE } from '../kit/console-page.ts';
import { makePlace } from '../kit/databases.ts';
import { until } from '../kit/until.ts';
import { testVendor } from '../kit/vendor-for-tests.ts';
import { makeWorld, type World } from '../kit/world.ts';

interface Linked {
  readonly devices: readonly { readonly id: string }[];
}

/** A browser whose clock is an hour late, which the console must not show. */
const LATE = `{
  const { now } = Date;
  Date.now = () => now() - 3_600_000;
}`;

describe('a device in the console', { skip: withoutBrowser }, () => {
  const vendor = testVendor({ pollSeconds: 0 });
  let world: World;
  let console: ConsolePage;
  let charger = '';
  before(async () => {
    const place = await makePlace('sqlite');
    const database = await place.open(systemClock);
    const store = createPriceStore(database);
    // Cheap, dear, and negative ones.
    for (const day of [-1, 0, 1].map((days) => dayAt(Date.now() + days * DAY_MS)))
      await store.store(dayPrices('SE3', day, { eur: (index) => (index % 24) / 150 - 0.01 }), 1);
    await database.close();
    const paced = { ...vendor.adapter, pace: { active: 600, idle: 600, asleep: 600 } };
    world = await makeWorld({ engine: 'sqlite', place, adapters: [...vendors, paced] });
    console = await openConsole(world, 'anna@example.com');
    await console.page.context().addInitScript(LATE);
    await console.open('');
    const { devices } = (await console.api('POST', '/link', {
      ...{ vendor: 'sandbox', user_ref: 'anna', credentials: { device_types: ['charger', 'thermostat'] } },
    })) as Linked;
    charger = devices.find(({ id }) => id.startsWith('charger'))?.id ?? '';
  });
  after(async () => {
    await console?.close();
    await world?.close();
  });

  const button = (name: string) => console.page.getByRole('button', { name, exact: true });
  const text = (content: string | RegExp) => console.page.getByText(content);

  it('a device in the console says when it is read next, or why it is not', async () => {
    await console.open(`/devices/sandbox/${charger}`);
    await text('It is read when somebody asks for it.').waitFor();
    await console.link(vendor, 'bo', ['light-1']);
    await until('the read of the light is planned', async () => {
      const { next_read_at } = (await console.api('GET', '/devices/light-1')) as { next_read_at: unknown };
      return next_read_at !== null;
    });
    await console.open('/devices/testvendor/light-1');
    await text(/^Measured just now, next read in (9|10) min$/).waitFor();
    await assertAccessible(console.page);
  });

  it('a device in the console is put into conditions where it is simulated, and shows at once what follows', async () => {
    const { page } = console;
    assert.equal(await page.getByRole('heading', { name: 'Simulation' }).count(), 0);
    await console.open(`/devices/sandbox/${charger}`);
    const card = page.getByRole('region', { name: 'Simulation' });
    await card.getByText('This device is simulated.').waitFor();
    assert.equal(await card.getByText('Programs may be started remotely').count(), 0, 'a charger has none');
    await card.getByRole('group', { name: 'Car plugged in' }).getByRole('button', { name: 'Yes' }).click();
    await card.getByText('Car plugged in: Set').waitFor();
    await page.getByRole('region', { name: 'Now' }).getByText('Cable or car connected').waitFor();
    await card.getByLabel('Charge level (%)').fill('101');
    await button('Set Charge level (%)').click();
    assert.equal(await card.getByLabel('Charge level (%)').getAttribute('aria-invalid'), 'true');
    await card.getByLabel('Charge level (%)').fill('40');
    await button('Set Charge level (%)').click();
    await card.getByText('Charge level (%): Set').waitFor();
    await card.getByRole('group', { name: 'Reachable' }).getByRole('button', { name: 'No' }).click();
    await page.locator('.device-title').getByText('Unreachable').waitFor();
    await assertAccessible(page);
    await button('Reachable, without faults, at normal speed').click();
    await page.locator('.device-title').getByText('Unreachable').waitFor({ state: 'detached' });
  });

  it('a device in the console shows what its controls are set to, by whomever', async () => {
    const { page } = console;
    const form = page.getByRole('region', { name: 'Charging current' });
    await console.open(`/devices/sandbox/${charger}`);
    await form.getByText('The current that the charger offers the car.').waitFor();
    assert.equal(await form.getByLabel('Current (A)').inputValue(), '', 'nothing is known yet');
    await console.api('POST', `/devices/${charger}/command`, { type: 'set_current', current_a: 10 });
    await form.getByText('Last set by a command: Charging current 10').waitFor();
    assert.equal(await form.getByLabel('Current (A)').inputValue(), '10');
    await form.getByLabel('Current (A)').fill('12');
    await form.getByRole('button', { name: 'Set' }).click();
    await form.getByRole('status').getByText('Carried out').waitFor();
    await form.getByText('Last set by a command: Charging current 12').waitFor();
    await form.getByLabel('Current (A)').fill('14');
    await form.getByText('Carried out').waitFor({ state: 'detached' });
    await console.open(`/devices/sandbox/${charger}`);
    await form.getByText('Last set by a command: Charging current 12').waitFor();
    assert.equal(await form.getByLabel('Current (A)').inputValue(), '12');
    await assertAccessible(page);
  });

  it('a device in the console has the prices of its area beneath its history, in the colours of the front page', async () => {
    const { page } = console;
    await console.api('POST', `/devices/${charger}/command`, { type: 'start_charge' });
    await console.api('POST', `/sandbox/devices/${charger}`, { time_scale: 60 });
    await until('history has the charger', async () => {
      await console.api('GET', `/devices/${charger}`);
      const { points } = (await console.api('GET', `/devices/${charger}/history?resolution=15m`)) as {
        points: unknown[];
      };
      return points.length > 0;
    });
    await console.open(`/devices/sandbox/${charger}`);
    await text('has no price area').waitFor();
    await page.getByRole('region', { name: 'History' }).getByRole('combobox').selectOption('SE3');
    await text('Spot price, SE3 Stockholm').waitFor();
    await text('Spot prices are without VAT, tax and fees.').first().waitFor();
    const bars = page.locator('.plot-price');
    await bars.first().waitFor();
    assert.ok((await bars.count()) >= 24, 'a bar for each hour or quarter of the day');
    for (const step of [1, 5]) assert.ok((await page.locator(`.plot-price.step-${step}`).count()) > 0);
    await page.getByLabel('Moment in the plot').focus();
    await page.keyboard.press('ArrowLeft');
    assert.match(
      (await page.getByLabel('Moment in the plot').getAttribute('aria-valuetext')) ?? '',
      /öre\/kWh$/,
    );
    await text('The figures').click();
    await page.getByRole('columnheader', { name: 'Spot price' }).waitFor();
    await assertAccessible(page);
    // shot device
  });

  it('a device in the console counts in the sums of today, which say of how many devices they are', async () => {
    const { page } = console;
    await console.open('');
    const today = page.getByRole('region', { name: 'Today' });
    await today.getByText('Drawn').waitFor();
    await today
      .getByText(/^known for 1 of \d devices?$/)
      .first()
      .waitFor();
    await today.getByText('At spot prices, without VAT, tax and fees.').waitFor();
    await assertAccessible(page);
    // shot overview
  });

  for (const size of [PHONE, DESK])
    it(`a device in the console fits a screen ${size.width} px wide`, async () => {
      await console.page.setViewportSize(size);
      for (const path of ['', `/devices/sandbox/${charger}`]) {
        await console.open(path);
        const wider = await console.page.evaluate<number>(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        assert.equal(wider, 0, path);
      }
    });
});
