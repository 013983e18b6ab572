import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/core/durations.ts';
import { dayAt } from '../../src/core/swedish-days.ts';
import { createPriceStore } from '../../src/domain/market/prices/store.ts';
import { dayPrices } from '../../src/domain/market/prices/test-prices.ts';
import { signInAtSimulator } from '../kit/app-that-links.ts';
import { assertAccessible } from '../kit/axe.ts';
import { openBrowser, withoutBrowser } from '../kit/chromium.ts';
import { DESK, faultsOf, PHONE } from '../kit/console-page.ts';
import { makePlace, type Place } from '../kit/databases.ts';
import { nextEmail } from '../kit/people.ts';
import { answers, makeReceiver, type Receiver, verifies } from '../kit/receiver.ts';
import { runningClock } from '../kit/running-clock.ts';
import { until } from '../kit/until.ts';
import { makeWorld, type World } from '../kit/world.ts';

const EMAIL = 'dev@example.com';
/** Time for what is charged: the signatures at the end are verified by the clock of the system. */
const AGO_MS = 3 * HOUR_MS;
/** SEK per kWh, in all quarters. */
const PRICE = 1.1;
/** The type of the event that the subscription is first to deliver, and that a replay comes to last. */
const LAST = 'command.succeeded';

const focusedName = (page: Page) =>
  page.evaluate<string>(
    `(({ labels, textContent }) => (labels?.[0]?.textContent ?? textContent).trim())(document.activeElement)`,
  );

/** Presses Tab until something of this name has the focus. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const isIt = (text: string) => (typeof name === 'string' ? text === name : name.test(text));
  const seen: string[] = [];
  for (let tabs = 0; tabs < 80; tabs += 1) {
    await page.keyboard.press('Tab');
    const focused = await focusedName(page);
    if (isIt(focused)) return;
    seen.push(focused);
  }
  assert.fail(`Tab does not reach ${name}, but ${seen.join(' | ')}`);
}

describe('an account worked by the pages alone', { skip: withoutBrowser }, () => {
  const clock = runningClock(-AGO_MS);
  let place: Place;
  let world: World;
  let browser: Browser;
  let receiver: Receiver;
  /** Of the developer, and of the end user. */
  let page: Page;
  let home: Page;
  let faults: readonly string[];
  before(async () => {
    place = await makePlace('sqlite');
    const database = await place.open(clock);
    for (const hours of [-24, 0, 24]) {
      const day = dayAt(clock.now() + hours * HOUR_MS);
      await createPriceStore(database).store(dayPrices('SE3', day, { eur: () => PRICE / 11 }), 1);
    }
    await database.close();
    world = await makeWorld({ engine: 'sqlite', place, clock, env: { ELNAV_SIMULATE: 'tesla' } });
    receiver = await makeReceiver();
    browser = await openBrowser();
    page = await browser.newPage({ locale: 'en-GB', viewport: DESK });
    home = await browser.newPage({ locale: 'en-GB', viewport: PHONE });
    faults = faultsOf(page);
    // What the page asks for now and then is asked for when the test says so.
    await page.clock.install();
  });
  after(async () => {
    await browser?.close();
    await world?.close();
    await place?.remove();
    await receiver?.close();
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const region = (name: string) => page.getByRole('region', { name, exact: true });
  const row = (name: string) => page.getByRole('row').filter({ hasText: name });
  const connect = region.bind(undefined, 'Connect a device');
  const heading = (name: string) => page.getByRole('heading', { name, level: 1, exact: true }).waitFor();
  const live = () => page.getByText('Live', { exact: true }).waitFor();
  /** By the navigation, without loading the page again. */
  const goTo = async (name: string) => {
    await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name, exact: true }).click();
    await heading(name);
  };
  const openDevice = async (name: string) => {
    await goTo('Devices');
    await page.getByRole('link', { name, exact: true }).click();
    await heading(name);
  };
  /** The number beside a name, in what is shown of the device now. */
  const figure = async (name: string): Promise<number> => {
    // biome-ignore lint/performance/useDomNodeTextContent: what is seen, with its line breaks
    const text = (await region('Now').innerText()).replaceAll(/\s+/g, ' ');
    return Number(new RegExp(`${name} ([\\d.]+)`).exec(text)?.[1] ?? Number.NaN);
  };
  const order = async (name: string) => {
    await button(name).click();
    const outcome = region('Charging').getByRole('status').filter({ hasText: name });
    await outcome.getByText('Carried out').waitFor();
  };
  /** Waits for what no event reports, and the page asks for every so many seconds. */
  const inTime = (shown: Locator) =>
    until(`the page shows ${shown}`, async () => {
      clock.turn(SECOND_MS);
      await page.clock.fastForward(30 * SECOND_MS);
      return (await shown.count()) > 0;
    });
  const addressFor = async (user: string, vendor: string) => {
    await goTo('Links');
    await connect().getByLabel('User (user_ref)').fill(user);
    await connect().getByLabel('Vendor (optional)').selectOption(vendor);
    await button('Create the page').click();
    await connect().getByText('Open: the user has not linked yet').waitFor();
    return (await connect().getByText(/^http/).textContent()) ?? '';
  };

  it('an account worked by the pages alone begins with the form of Grid and the link of the email, and leads to the console', async () => {
    await page.goto(`${world.grid}/auth/signup`);
    await page.getByLabel('Email address').fill(EMAIL);
    await button('Create an account').click();
    await page.getByRole('heading', { name: 'Check your email' }).waitFor();
    await page.goto((await nextEmail(world, EMAIL)).link);
    await button('Create the account').click();
    await heading('Account');
    await page.getByRole('link', { name: 'Open the console' }).click();
    await heading('Overview');
    await page.getByText('No devices yet').waitFor();
    await live();
    await page.evaluate('isSamePage = true');
  });

  it('an account worked by the pages alone shows the sandbox and a car of a cloud as the end user links them', async () => {
    const sandbox = await addressFor('anna', '');
    await assertAccessible(page);
    await goTo('Devices');
    await home.goto(sandbox);
    await home.getByRole('link', { name: /sandbox/i }).click();
    await home.getByRole('button', { name: 'Connect' }).click();
    await home.waitForURL(/\/done$/);
    await page.getByText('10 devices', { exact: true }).waitFor();
    await goTo('Links');
    await button('Create another page').click();
    const tesla = await addressFor('anna', 'tesla');
    await goTo('Devices');
    await home.goto(tesla);
    await home.getByRole('button', { name: 'Continue to Tesla' }).click();
    await signInAtSimulator(home, 'home');
    await home.waitForURL(/\/done$/);
    await row('Simulated Model 3').waitFor();
    await row('Sandbox charger').waitFor();
    await assertAccessible(page);
    assert.equal(await page.evaluate('isSamePage'), true, 'no page was loaded again');
  });

  it('an account worked by the pages alone starts the car, whose power and charge level are followed, and stops it', async () => {
    await openDevice('Simulated Model 3');
    await order('Start charging');
    await assertAccessible(page);
    const before = await figure('Charge level');
    assert.ok(before >= 50, `${before} %`);
    /** It is read every half an hour or so. In one step, since a read that is under way must not take longer than it may. */
    const later = async (what: string, holds: () => Promise<boolean>) => {
      clock.turn(35 * MINUTE_MS);
      await until(what, holds);
    };
    await later('it draws power', async () => (await figure('Power')) === 11);
    const soon = await figure('Charge level');
    assert.ok(soon > before, `${soon} %`);
    await later('it has still more', async () => (await figure('Charge level')) > soon);
    await order('Stop charging');
    await until('it draws nothing', async () => (await figure('Power')) === 0);
    const past = region('Commands').getByRole('listitem');
    for (const name of ['Start charging', 'Stop charging'])
      await past.filter({ hasText: name }).getByText('Carried out').waitFor();
    assert.equal(await page.evaluate('isSamePage'), true, 'no page was loaded again');
  });

  it('an account worked by the pages alone has a session of the charger, with its energy and what that has cost', async () => {
    await goTo('Links');
    await page.getByLabel(/^Price area of anna at Sandbox/).selectOption('SE3');
    await page.getByText('Stored', { exact: true }).waitFor();
    await assertAccessible(page);
    await openDevice('Sandbox charger');
    const id = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1) ?? '');
    /** What is done to the cable at home. */
    const plug = async (plugged_in: boolean) => {
      const response = await page.context().request.post(`${world.connect}/sandbox/devices/${id}`, {
        headers: { 'sec-fetch-site': 'same-origin', origin: world.connect },
        data: { plugged_in },
      });
      assert.equal(response.status(), 200, await response.text());
    };
    const pass = async (minutes: number) => {
      clock.turn(minutes * MINUTE_MS);
      const read = page.waitForResponse((response) => response.url().includes(`/devices/${id}?`));
      await button('Read again').click();
      await read;
    };
    await plug(false);
    await until('no car is there', async () => (await figure('Power')) === 0);
    clock.turn(MINUTE_MS);
    await plug(true);
    await order('Stop charging');
    await pass(5);
    await order('Start charging');
    for (let reads = 0; reads < 6; reads += 1) await pass(5);
    const session = region('Charging sessions').getByRole('listitem').first();
    await inTime(session.filter({ hasText: 'Running' }));
    await order('Stop charging');
    await plug(false);
    await inTime(session.filter({ hasText: 'Ended' }));
    // biome-ignore lint/performance/useDomNodeTextContent: what is seen, with its line breaks
    const text = (await session.innerText()).replaceAll(/\s+/g, ' ');
    const energy = Number(/Energy ([\d.]+) kWh/.exec(text)?.[1]);
    const cost = Number(/Cost SEK ([\d.]+)/.exec(text)?.[1]);
    assert.ok(energy > 1, text);
    // Both are rounded to hundredths.
    assert.ok(Math.abs(cost - energy * PRICE) < 0.011, text);
    await assertAccessible(page);
  });

  it('an account worked by the pages alone makes a subscription, sees why it fails, mends its receiver and replays', async () => {
    clock.turn(Date.now() - clock.now());
    receiver.behaviour = answers(503, 'out of order');
    await goTo('Subscriptions');
    await button('New subscription').click();
    await page.getByLabel('Address of the receiver').fill(receiver.url);
    await button('Create').click();
    await page.getByText('It is shown this once.').waitFor();
    const secret = (await page.getByText(/^whsec_/).textContent()) ?? '';
    await button('Done, hide it').click();
    await openDevice('Sandbox light');
    await button('Turn off').click();
    await page.getByRole('status').getByText('Carried out').waitFor();
    await until('a delivery fails', () => receiver.received.length > 0);
    await goTo('Overview');
    await page.getByRole('link', { name: 'Subscription deliveries fail' }).click();
    await page.getByText('Deliveries fail').waitFor();
    await button('Attempts').click();
    await inTime(page.getByRole('cell', { name: '503' }));
    await assertAccessible(page);
    receiver.behaviour = verifies(secret);
    await button('Replay').click();
    await button('Deliver again').click();
    await until('all that has happened is delivered', () => {
      clock.turn(SECOND_MS);
      return receiver.handled.some(
        ({ type, subject }) => type === LAST && String(subject.device).startsWith('light'),
      );
    });
    await button('Attempts').click();
    await inTime(page.getByRole('cell', { name: '204' }));
    await inTime(page.getByText('Active', { exact: true }));
    await assertAccessible(page);
    const types = new Set(receiver.handled.map(({ type }) => type));
    for (const type of ['link.linked', 'device.linked', 'device.state_changed'] as const)
      assert.ok(types.has(type), `${type} is among ${[...types]}`);
  });

  it('an account worked by the pages alone shows what has happened among the events', async () => {
    await goTo('Events');
    for (const text of ['Command carried out', 'Account linked', 'Link session completed'])
      await page.getByRole('listitem').filter({ hasText: text }).first().waitFor();
    await assertAccessible(page);
    assert.equal(await page.evaluate('isSamePage'), true, 'no page was loaded again');
  });

  it('an account worked by the pages alone does the same on a phone', async () => {
    await page.setViewportSize(PHONE);
    await page.goto(`${world.connect}/console/links`);
    await live();
    await connect().getByLabel('User (user_ref)').fill('bo');
    await button('Create the page').click();
    await home.goto((await connect().getByText(/^http/).textContent()) ?? '');
    await assertAccessible(home);
    await home.getByRole('link', { name: /sandbox/i }).click();
    await home.getByRole('button', { name: 'Connect' }).click();
    await connect().getByText('Linked', { exact: true }).waitFor();
    await assertAccessible(page);
    await connect().getByRole('link', { name: /^Car:/ }).click();
    await heading('Sandbox vehicle');
    await order('Stop charging');
    await until('it draws nothing', async () => (await figure('Power')) === 0);
    await assertAccessible(page);
  });

  it('an account worked by the pages alone is done by keyboard alone, from the page for the user to a command', async () => {
    await page.setViewportSize(DESK);
    await page.goto(`${world.connect}/console/links`);
    await tabTo(page, 'User (user_ref)');
    await page.keyboard.type('clara');
    await page.keyboard.press('Enter');
    await connect().getByText('Open: the user has not linked yet').waitFor();
    await home.goto((await connect().getByText(/^http/).textContent()) ?? '');
    await tabTo(home, /sandbox/i);
    await home.keyboard.press('Enter');
    await home.getByRole('button', { name: 'Connect', exact: true }).waitFor();
    await tabTo(home, 'Connect');
    await home.keyboard.press('Enter');
    await connect().getByText('Linked', { exact: true }).waitFor();
    await tabTo(page, /^Lamp:/);
    await page.keyboard.press('Enter');
    await heading('Sandbox light');
    await tabTo(page, 'Turn off');
    await page.keyboard.press('Enter');
    await region('Power').getByRole('status').getByText('Carried out').waitFor();
    assert.equal(await focusedName(page), 'Turn off', 'the focus stays');
    await page.locator('.device-title').getByText('Off', { exact: true }).waitFor();
  });

  it('an account worked by the pages alone has run without an error of its scripts and without a fault of its policy', () => {
    assert.deepEqual(faults, []);
  });
});
