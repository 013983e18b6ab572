import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { type AppThatLinks, BACK, openApp, outcomeInApp, signInAtSimulator } from '../kit/app-that-links.ts';
import { assertAccessible } from '../kit/axe.ts';
import { openBrowser, withoutBrowser } from '../kit/chromium.ts';
import { type Caller, makeWorld, type World } from '../kit/world.ts';

interface Device {
  readonly id: string;
  readonly device_type: string;
  readonly name: string;
}

describe('linking a car in a browser', { skip: withoutBrowser }, () => {
  let world: World;
  let caller: Caller;
  let browser: Browser;
  let app: AppThatLinks;
  before(async () => {
    world = await makeWorld({ engine: 'sqlite', env: { ELNAV_SIMULATE: 'tesla' } });
    caller = await world.newAccount();
    app = await openApp();
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    app?.close();
    await world?.close();
  });

  const session = async (more: object = {}) => {
    const body = { user_ref: 'anna', vendor: 'tesla', redirect_uri: app.url, ...more };
    const answer = await caller.call('POST', '/link/sessions', body);
    assert.equal(answer.status, 200);
    return (answer.body as { url: string }).url;
  };

  it('linking a car in a browser leads from the app through the sign-in page of the simulated Tesla to a car that can be read', async () => {
    const page = await browser.newPage();
    await page.goto(await session());
    await page.getByText('An app from example.com wants to read and control the devices').waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Continue to Tesla' }).click();
    await page.waitForURL(`${world.connect}/simulated/tesla/**`);
    assert.match(await page.title(), /Simulated Tesla/);
    assert.match((await page.textContent('body')) ?? '', /simulator inside elnav, not Tesla/);

    await assertAccessible(page);

    await page.getByLabel('User name').fill('home');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    assert.match((await page.getByRole('alert').textContent()) ?? '', /Wrong user name or password/);

    await signInAtSimulator(page, 'home');
    assert.equal((await outcomeInApp(page, app)).status, 'linked');
    assert.equal(await page.textContent('body'), BACK);
    await page.close();

    const devices = (await caller.call('GET', '/devices?user_ref=anna')).body as Device[];
    const car = devices.find(({ device_type }) => device_type === 'vehicle');
    assert.ok(car !== undefined);
    assert.match(car.name, /simulated/i);
    const read = await caller.call('GET', `/devices/${car.id}`);
    assert.equal(read.status, 200);
    const { state } = read.body as { state: { battery_soc: number | null } };
    assert.ok(Number.isInteger(state.battery_soc), JSON.stringify(state));
  });

  it('linking a car in a browser shows what was found before it leads back to the app, where the session says so', async () => {
    const page = await browser.newPage();
    await page.goto(await session({ show_devices: true }));
    await page.getByRole('button', { name: 'Continue to Tesla' }).click();
    await signInAtSimulator(page, 'home');
    await page.getByRole('heading', { name: 'Tesla is connected' }).waitFor();
    await page.getByText(/^We found/).waitFor();
    await assertAccessible(page);
    await page.getByRole('link', { name: 'Back to the app' }).click();
    assert.equal((await outcomeInApp(page, app)).status, 'linked');
    await page.close();
  });

  it('linking a car in a browser leads back to the app when the user cancels', async () => {
    const page = await browser.newPage();
    await page.goto(await session());
    await page.getByRole('button', { name: 'Continue to Tesla' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    const { status, reason } = await outcomeInApp(page, app);
    assert.deepEqual([status, reason], ['failed', 'access_denied']);
    await page.close();
  });
});
