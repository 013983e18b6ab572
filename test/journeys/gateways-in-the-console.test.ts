import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../../src/core/clock.ts';
import { shelly } from '../../src/vendors/shelly/index.ts';
import { assertAccessible } from '../kit/axe.ts';
import { withoutBrowser } from '../kit/chromium.ts';
import { assertNotKept, type ConsolePage, DESK, openConsole, PHONE } from '../kit/console-page.ts';
import { type GatewayProcess, startGatewayProcess } from '../kit/gateways.ts';
import { HOME, type HomeGateway, homeGateway } from '../kit/home-gateway.ts';
import { type ServedVendor, serveVendor } from '../kit/served-vendor.ts';
import { makeWorld, type World } from '../kit/world.ts';

const HOSTILE = '<img src=x onerror=alert(1)>\u202eabc';

describe('gateways in the console', { skip: withoutBrowser }, () => {
  let world: World;
  let console: ConsolePage;
  let cloud: ServedVendor;
  let home: HomeGateway | undefined;
  let gateway: GatewayProcess | undefined;
  before(async () => {
    cloud = await serveVendor(shelly, systemClock);
    world = await makeWorld({
      engine: 'sqlite',
      adapters: [shelly],
      env: { ELNAV_LOCAL_NETWORKS: 'off' },
    });
    console = await openConsole(world, 'anna@example.com');
  });
  after(async () => {
    gateway?.kill('SIGKILL');
    await home?.close();
    await console?.close();
    await world?.close();
    await cloud?.close();
  });

  const button = (name: string) => console.page.getByRole('button', { name, exact: true });
  const card = (name: string) => console.page.getByRole('listitem').filter({ hasText: name });
  const isAccessible = () => assertAccessible(console.page);

  it('gateways in the console are none at first', async () => {
    await console.open('/gateways');
    await console.page.getByText('No gateways yet').waitFor();
    await isAccessible();
  });

  it('gateways in the console are made by keyboard, paired with the code that is shown this once, and seen as they connect', async () => {
    const { page } = console;
    await button('New gateway').press('Enter');
    await page.keyboard.press('Enter');
    await page.getByText('Enter a name.').waitFor();
    await isAccessible();
    await page.keyboard.type(HOSTILE);
    await page.keyboard.press('Enter');
    await page.getByText(/^It is shown this once, and is good for one gateway until \d\d:\d\d/).waitFor();
    const [code = '', command = ''] = await page.locator('pre code').allTextContents();
    assert.equal(command, `ELNAV_GATEWAY_URL=${world.connect} ELNAV_GATEWAY_CODE=${code} npm run gateway`);
    await card('<img src=x onerror=alert(1)>abc').getByText('Not paired yet').waitFor();
    for (const size of [PHONE, DESK]) {
      await page.setViewportSize(size);
      await isAccessible();
    }
    await assertNotKept(console, code);
    gateway = startGatewayProcess({ url: world.connect, code });
    await card('<img src').getByText('Connected').waitFor();
    await button('Done, hide it').click();
    assert.equal(await page.getByText(code).count(), 0);
  });

  it('gateways in the console get another code', async () => {
    const { page } = console;
    await button('New pairing code').click();
    await page.getByText(/^It is shown this once/).waitFor();
    const [code = ''] = await page.locator('pre code').allTextContents();
    await assertNotKept(console, code);
    await isAccessible();
    await button('Done, hide it').click();
  });

  it('gateways in the console say what answers in their network', async () => {
    const { page } = console;
    const places = new Map([['10.9.0.2:80', Number(new URL(cloud.url).port)]]);
    home = await homeGateway(console, { url: world.connect, places });
    await console.open('/gateways');
    await card('Home').getByRole('button', { name: 'Discover devices' }).click();
    await page.getByText('1 device answers').waitFor();
    await page.getByText(`Looked in ${HOME}.`).waitFor();
    const row = page.getByRole('row').filter({ hasText: '10.9.0.2' });
    await row.getByText('Shelly', { exact: true }).waitFor();
    await row.getByText('To be linked it takes password').waitFor();
    for (const size of [PHONE, DESK]) {
      await page.setViewportSize(size);
      await isAccessible();
    }
    await home.close();
    home = undefined;
    await page.getByText('Not connected').waitFor();
    await card('Home').getByRole('button', { name: 'Discover devices' }).click();
    await card('Home').getByRole('alert').waitFor();
  });

  it('gateways in the console are shown in parts where they are many', async () => {
    const { page } = console;
    const address = `${world.connect}/gateways`;
    await page.route(address, async (route) => {
      const [one] = (await (await route.fetch()).json()) as object[];
      const many = Array.from({ length: 60 }, (_, index) => ({
        ...one,
        id: `${index}`,
        name: `Number ${index}`,
      }));
      await route.fulfill({ json: many });
    });
    await console.open('/gateways');
    await page.getByText('Number 49', { exact: true }).waitFor();
    assert.equal(await page.getByText(/^Number /).count(), 50);
    await button('Show more').click();
    await page.getByText('Number 59', { exact: true }).waitFor();
    assert.equal(await button('Show more').count(), 0);
    await page.unroute(address);
    await console.open('/gateways');
  });

  it('gateways in the console are removed when that is confirmed, on a phone and in the dark', async () => {
    const { page } = console;
    await page.setViewportSize(PHONE);
    await page.emulateMedia({ colorScheme: 'dark' });
    await card('Home').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('alertdialog').getByText('Remove this gateway?').waitFor();
    await isAccessible();
    await page.keyboard.press('Escape');
    await page.getByRole('alertdialog').waitFor({ state: 'hidden' });
    await card('Home').getByRole('button', { name: 'Remove' }).click();
    await button('Remove it').click();
    await card('Home').waitFor({ state: 'detached' });
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Gateways');
  });

  it('gateways in the console are shown in Swedish, without an error of the scripts', async () => {
    await console.page.goto(`${world.connect}/language/sv?next=${encodeURIComponent('/console/gateways')}`);
    await console.page.getByRole('heading', { name: 'Gateways', level: 1 }).waitFor();
    await console.page.getByText('Ny gateway').waitFor();
    await isAccessible();
    assert.deepEqual(console.faults, []);
  });
});
