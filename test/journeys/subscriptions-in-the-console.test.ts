import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { assertAccessible } from '../kit/axe.ts';
import { withoutBrowser } from '../kit/chromium.ts';
import { assertNotKept, type ConsolePage, DESK, openConsole, PHONE } from '../kit/console-page.ts';
import { answers, makeReceiver, type Receiver } from '../kit/receiver.ts';
import { until } from '../kit/until.ts';
import { testVendor } from '../kit/vendor-for-tests.ts';
import { makeWorld, type World } from '../kit/world.ts';

const HOSTILE = `<img src=x onerror=alert(1)>\u202e${'x'.repeat(500)}`;

describe('subscriptions in the console', { skip: withoutBrowser }, () => {
  const vendor = testVendor();
  let world: World;
  let console: ConsolePage;
  let receiver: Receiver;
  let secret = '';
  before(async () => {
    world = await makeWorld({ engine: 'sqlite', adapters: [vendor.adapter] });
    receiver = await makeReceiver();
    console = await openConsole(world, 'anna@example.com');
  });
  after(async () => {
    await console?.close();
    await world?.close();
    await receiver?.close();
  });

  const link = (user: string) => console.link(vendor, user, [`light-${user}`]);
  const button = (name: string) => console.page.getByRole('button', { name, exact: true });
  const isAccessible = () => assertAccessible(console.page);
  const again = async () => {
    await console.open('/subscriptions');
    await button('Attempts').waitFor();
  };

  it('subscriptions in the console are none at first', async () => {
    await console.open('/subscriptions');
    await console.page.getByText('No subscriptions yet').waitFor();
    assert.match(await console.page.title(), /^Subscriptions/);
    await isAccessible();
  });

  it('subscriptions in the console are made by keyboard, and their secret is shown this once', async () => {
    const { page } = console;
    const focused = () => page.evaluate('document.activeElement.labels?.[0].textContent');
    await button('New subscription').press('Enter');
    assert.equal(await focused(), 'Address of the receiver');
    await button('Cancel').press('Enter');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'New subscription');
    await page.keyboard.press('Enter');
    await page.keyboard.type('no address');
    await button('Create').press('Enter');
    await page.getByText('Enter a whole address').waitFor();
    assert.equal(await focused(), 'Address of the receiver', 'the field with the fault has the focus');
    await isAccessible();
    await page.getByLabel('Address of the receiver').fill(receiver.url);
    await page.getByText('All types of events').click();
    await page.getByRole('checkbox', { name: /device\.linked/ }).check();
    await isAccessible();
    await page.getByLabel('Address of the receiver').press('Enter');
    await page.getByText('It is shown this once.').waitFor();
    secret = (await page.locator('pre code').textContent()) ?? '';
    assert.match(secret, /^whsec_/);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await button('Copy: Secret').click();
    await page.getByText('Copied', { exact: true }).waitFor();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), secret);
    await isAccessible();
    await link('anna');
    await until('the event is delivered', () => receiver.handled.length === 1);
    const [{ headers = {}, body = '' } = {}] = receiver.received;
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    assert.equal(
      headers['webhook-signature'],
      `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
    );
    await button('Done, hide it').click();
    assert.equal(await page.getByText(secret).count(), 0);
    await again();
    assert.equal(await page.getByText(secret).count(), 0);
    await assertNotKept(console, secret);
  });

  it('subscriptions in the console are edited, and keep their secret and their place', async () => {
    const { page } = console;
    const listed = async () => ((await console.api('GET', '/subscriptions')) as Record<string, unknown>[])[0];
    const before = await listed();
    await button('Edit').press('Enter');
    const url = page.getByLabel('Address of the receiver');
    assert.equal(await url.inputValue(), receiver.url);
    await url.fill('https://10.0.0.1/');
    await button('Save').click();
    await page.getByText('The subscription was not changed').waitFor();
    await page.getByText(/events are not posted to 10\.0\.0\.1/).waitFor();
    await isAccessible();
    await url.fill(receiver.url);
    await page.getByText('1 type of event').click();
    await page.getByRole('checkbox', { name: /device\.linked/ }).uncheck();
    await page.getByLabel('User (user_ref)').fill('clara');
    await button('Save').click();
    await page.getByText('clara').waitFor();
    assert.equal(await button('Edit').getAttribute('aria-expanded'), 'false');
    assert.deepEqual(await listed(), { ...before, types: null, user_ref: 'clara' });
    await button('Edit').click();
    await page.getByLabel('User (user_ref)').fill('');
    await page.getByText('All types of events').last().click();
    await page.getByRole('checkbox', { name: /device\.linked/ }).check();
    await button('Save').click();
    await page.getByText('clara').waitFor({ state: 'detached' });
    await link('dora');
    await until('the same secret signs', () => receiver.handled.length === 2);
  });

  it('subscriptions in the console are tried out, whatever the receiver answers', async () => {
    const { page } = console;
    await button('Send a test').click();
    await page.getByText(/^The receiver answered 204 after/).waitFor();
    receiver.behaviour = answers(500, HOSTILE);
    await button('Send a test').click();
    await page.getByText(/^The receiver answered 500 after/).waitFor();
    await page.getByText(/^<img src=x onerror=alert\(1\)>x+…$/).waitFor();
    await isAccessible();
  });

  it('subscriptions in the console that fail need somebody, and their attempts say why', async () => {
    const { page } = console;
    await link('bo');
    await until('it fails', () => receiver.received.some(({ body }) => body.includes('light-bo')));
    await console.open('');
    await page.getByText('Subscription deliveries fail').click();
    await page.getByRole('heading', { name: 'Subscriptions', level: 1 }).waitFor();
    await page.getByText('Deliveries fail').waitFor();
    await page.getByText(/in a row$/).waitFor();
    await button('Attempts').click();
    const table = page.getByRole('table');
    await table.getByText('500', { exact: true }).first().waitFor();
    await table
      .getByText(/img src=x onerror/)
      .first()
      .waitFor();
    for (const size of [PHONE, DESK]) {
      await page.setViewportSize(size);
      await isAccessible();
    }
  });

  it('subscriptions in the console that are paused need somebody, and go on when they are resumed', async () => {
    const { page } = console;
    receiver.behaviour = answers(410);
    await until('it is paused', async () => {
      const { body } = await console.call('GET', '/subscriptions');
      const [one] = body as { id: string; status: string }[];
      if (one?.status === 'paused') return true;
      await console.call('POST', `/subscriptions/${one?.id}/resume`);
      return false;
    });
    // It is seen without a reload.
    await page.getByText('Paused', { exact: true }).waitFor();
    await page.getByText('The receiver answered 410, gone.').waitFor();
    await isAccessible();
    await console.open('');
    await page.getByText('Subscription is paused').waitFor();
    await isAccessible();
    await again();
    receiver.behaviour = answers(204);
    await button('Resume').click();
    await page.getByText('Active', { exact: true }).waitFor();
    await until('what was missed is delivered', () => receiver.handled.length >= 3);
  });

  it('subscriptions in the console are replayed from the oldest event, or after a cursor', async () => {
    const { page } = console;
    const handled = () => receiver.handled.map(({ subject }) => subject.device);
    receiver.handled.length = 0;
    await button('Replay').click();
    await isAccessible();
    await button('Deliver again').click();
    await until('all are delivered again', () => handled().length === 3);
    const first = await console.call('GET', '/events?types=device.linked&limit=1');
    const { cursor } = first.body as { cursor: string };
    receiver.handled.length = 0;
    await button('Replay').click();
    await page.getByLabel('After a cursor').check();
    await button('Deliver again').click();
    await page.getByText('Enter a cursor.').waitFor();
    await page.getByLabel('Cursor', { exact: true }).fill('no cursor');
    await button('Deliver again').click();
    await page
      .getByRole('alert')
      .getByText(/cursor/)
      .waitFor();
    await page.getByLabel('Cursor', { exact: true }).fill(cursor);
    await button('Deliver again').click();
    await until('the later ones are delivered', () => handled().length === 2);
    assert.deepEqual(handled(), ['light-dora', 'light-bo']);
  });

  it('subscriptions in the console get another secret, and are removed, when that is confirmed', async () => {
    const { page } = console;
    await button('New secret').click();
    await page.getByRole('alertdialog').getByText('Replace the secret?').waitFor();
    await isAccessible();
    await page.keyboard.press('Escape');
    await page.getByRole('alertdialog').waitFor({ state: 'hidden' });
    await until('the focus is where it was', () =>
      page.evaluate<boolean>(`document.activeElement.textContent === 'New secret'`),
    );
    await button('New secret').click();
    await button('Replace it').click();
    await page.getByText('It is shown this once.').waitFor();
    const other = (await page.locator('pre code').textContent()) ?? '';
    assert.match(other, /^whsec_/);
    assert.notEqual(other, secret);
    await assertNotKept(console, other);
    await page.setViewportSize(PHONE);
    await page.emulateMedia({ colorScheme: 'dark' });
    await isAccessible();
    await button('Done, hide it').click();
    await button('Remove').click();
    await isAccessible();
    await button('Cancel').click();
    await button('Remove').click();
    await button('Remove it').click();
    await page.getByText('No subscriptions yet').waitFor();
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Subscriptions');
  });

  it('subscriptions in the console are shown in Swedish, without an error of the scripts', async () => {
    await console.page.goto(
      `${world.connect}/language/sv?next=${encodeURIComponent('/console/subscriptions')}`,
    );
    await console.page.getByRole('heading', { name: 'Prenumerationer', level: 1 }).waitFor();
    await isAccessible();
    assert.deepEqual(console.faults, []);
  });
});
