import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertAccessible } from '../kit/axe.ts';
import { withoutBrowser } from '../kit/chromium.ts';
import { openConsole, PHONE } from '../kit/console-page.ts';
import { makeWorld, type World } from '../kit/world.ts';

describe('a console without devices', { skip: withoutBrowser }, () => {
  let world: World;
  before(async () => {
    world = await makeWorld({ engine: 'sqlite' });
  });
  after(() => world?.close());

  it('a console without devices gets ten simulated ones by a button, which live by themselves and say whose they are', async () => {
    const console = await openConsole(world, 'anna@example.com');
    const { page } = console;
    await console.open('/devices');
    await page.getByRole('button', { name: 'Add simulated devices' }).click();
    await page.getByText('10 devices', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    // Nobody has asked for a reading.
    await page.getByText('10 of 10', { exact: true }).waitFor();
    await console.open('/devices?type=charger');
    await page.getByRole('link', { name: 'Sandbox charger' }).click();
    await page.getByRole('region', { name: 'History' }).getByText('3 hours').waitFor();
    await page.getByRole('link', { name: 'demo', exact: true }).click();
    await page.getByText('10 devices', { exact: true }).waitFor();
    assert.equal(await page.getByLabel('Search').inputValue(), 'demo');
    await page.locator('.column-user').getByText('demo', { exact: true }).first().waitFor();
    await console.open('/planner');
    assert.match(
      (await page.locator('form').first().textContent()) ?? '',
      /Sandbox charger \(Car charger\) · demo/,
    );
    assert.deepEqual(console.faults, []);
    await console.close();
  });

  it('a console without devices leads to the page that links a real one, in Swedish on a phone too', async () => {
    const console = await openConsole(world, 'bo@example.com', { locale: 'sv-SE', viewport: PHONE });
    const { page } = console;
    await console.open('');
    await page.getByRole('button', { name: 'Lägg till simulerade enheter' }).waitFor();
    await assertAccessible(page);
    await page.getByRole('link', { name: 'Anslut en riktig enhet' }).click();
    await page.waitForURL(/\/console\/links$/);
    assert.deepEqual(console.faults, []);
    await console.close();
  });
});
