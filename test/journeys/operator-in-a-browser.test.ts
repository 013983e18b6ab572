import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { HttpFailure } from '../../src/adapter/http.ts';
import { systemClock } from '../../src/core/clock.ts';
import { DAY_MS } from '../../src/core/durations.ts';
import { dayAt } from '../../src/core/swedish-days.ts';
import { assertAccessible } from '../kit/axe.ts';
import { openBrowser, withoutBrowser } from '../kit/chromium.ts';
import { DESK, PHONE } from '../kit/console-page.ts';
import { fakeSource } from '../kit/market.ts';
import { nextEmail } from '../kit/people.ts';
import { until } from '../kit/until.ts';
import { testVendor } from '../kit/vendor-for-tests.ts';
import { type WatchedPage, watchedPage } from '../kit/watched-page.ts';
import { ADMIN_TOKEN, callJson, makeWorld, type World } from '../kit/world.ts';

const ERIK = 'erik@example.com';
const VOLTA = 'drift@volta.example';
/** Addresses that guess, behind the proxy of this machine. */
const GUESSER = '203.0.113.7';
const OTHER_GUESSER = '203.0.113.8';
const SECTIONS = ['accounts', 'partners', 'bans', 'usage', 'audit', 'requests', 'health', 'prices'] as const;
const ENGLISH = { locale: 'en-GB', viewport: DESK } satisfies BrowserContextOptions;
/** What browsers print about a page whose status says that something was refused. */
const REFUSED = /^console: Failed to load resource: the server responded with a status of (401|403|409|422) /;

describe("the operator's pages in a browser", { skip: withoutBrowser }, () => {
  const vendor = testVendor();
  const cloud = createServer((_request, response) => {
    response.writeHead(400, { 'content-type': 'application/json' }).end('{}');
  });
  const failing = fakeSource(systemClock, 'elprisetjustnu', {
    answer: () => new HttpFailure('server_error', 'it responded with 500', { status: 500 }),
  });
  const working = fakeSource(systemClock, 'entsoe');
  const watched: WatchedPage[] = [];
  let world: World;
  let browser: Browser;
  let page: Page;
  let key = '';
  let erik = 0;

  before(async () => {
    await new Promise<void>((resolve) => cloud.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(cloud.address() as AddressInfo).port}`;
    vendor.onCommand = async (_device, _command, session) => {
      await session.http.send({ path: '/command', method: 'POST', use: 'command' });
    };
    world = await makeWorld({
      engine: 'sqlite',
      adapters: [{ ...vendor.adapter, hosts: { api: 'https://vendor.example' } }],
      priceSources: [failing, working],
      env: { ELNAV_TESTVENDOR_BASE_URL: url, ELNAV_TRUST_PROXY: '127.0.0.1' },
    });
    browser = await openBrowser();
    page = await open(ENGLISH);
  });
  after(async () => {
    await browser?.close();
    await world?.close();
    cloud.closeAllConnections();
    await new Promise((resolve) => cloud.close(resolve));
  });

  /** A page of a browser of its own, whose faults are looked at in the end. */
  async function open(options: BrowserContextOptions): Promise<Page> {
    const one = await watchedPage(browser, world.grid, options);
    watched.push(one);
    return one.page;
  }
  const goto = (path: string, on = page) => on.goto(`${world.grid}/operator${path}`);
  const heading = (name: string, on = page) => on.getByRole('heading', { name, level: 1 }).waitFor();
  const click = (role: 'link' | 'button', name: string | RegExp, on = page) =>
    on.locator('main').getByRole(role, { name }).first().click();
  const notice = (text: string, on = page) => on.getByRole('status').getByText(text).waitFor();
  const mainOf = async (on: Page) => (await on.locator('main').textContent()) ?? '';
  const devices = async () =>
    (await callJson(`${world.connect}/devices`, { headers: { 'x-api-key': key } })).status;

  const from = (ip: string) => ({ 'x-forwarded-for': ip });
  const statusFor = async (ip: string) =>
    (await fetch(`${world.connect}/vendors`, { headers: from(ip) })).status;
  const guess = async (ip: string, times: number) => {
    for (let count = 0; count < times; count += 1) {
      const headers = { ...from(ip), 'x-admin-token': 'wrong' };
      assert.equal((await fetch(`${world.grid}/admin/users`, { headers })).status, 401);
    }
  };

  const focused = (on: Page) =>
    on.evaluate<string>(
      `(document.activeElement?.labels?.[0] ?? document.activeElement)?.textContent.trim() ?? ''`,
    );
  /** Goes on to a control by the keyboard. */
  async function tabTo(name: string): Promise<void> {
    for (let tabs = 0; tabs < 60; tabs += 1) {
      if ((await focused(page)) === name) return;
      await page.keyboard.press('Tab');
    }
    assert.fail(`Tab does not reach ${name}`);
  }
  async function press(name: string): Promise<void> {
    await tabTo(name);
    await page.keyboard.press('Enter');
  }

  it("the operator's pages in a browser marks a wrong token beside its field, and counts it towards a ban", async () => {
    const stranger = await open({ ...ENGLISH, extraHTTPHeaders: from(GUESSER) });
    await goto('/audit', stranger);
    await stranger.getByText('Please sign in first.').waitFor();
    const field = stranger.getByLabel('Admin token');
    await field.fill('not-the-token');
    await click('button', 'Sign in', stranger);
    await stranger.locator('#token-fault').getByText('That is not the admin token.').waitFor();
    assert.match((await field.getAttribute('aria-describedby')) ?? '', /token-fault/);
    assert.equal(await field.inputValue(), '');
    assert.match(stranger.url(), /\/operator\/sign-in$/);
    await assertAccessible(stranger);

    await guess(GUESSER, 8);
    assert.equal(await statusFor(GUESSER), 200);
    await stranger.getByLabel('Admin token').fill('not-it-either');
    await click('button', 'Sign in', stranger);
    await until('the tenth wrong token bans', async () => (await statusFor(GUESSER)) === 403);
  });

  it("the operator's pages in a browser lets the operator sign in, turn on changes and lift a ban by keyboard alone; then the address is served", async () => {
    await goto('');
    await tabTo('Admin token');
    await page.keyboard.type(ADMIN_TOKEN);
    await page.keyboard.press('Enter');
    await heading('Overview');
    await page.getByText('You are only reading.').waitFor();
    await assertAccessible(page);
    await press('Bans');
    await heading('Bans');
    const row = page.getByRole('row', { name: GUESSER });
    await row.getByText('too many wrong admin tokens').waitFor();
    assert.equal(await page.getByRole('link', { name: /^Lift/ }).count(), 0);
    await press('Turn on changes for 15 minutes');
    await page.getByText('Changes are on until').waitFor();
    await heading('Bans');
    await assertAccessible(page);
    await press(`Lift ${GUESSER}`);
    await page.getByText(`Lift the ban of ${GUESSER}?`).waitFor();
    await assertAccessible(page);
    assert.equal(await statusFor(GUESSER), 403);
    await press('Lift');
    await notice('The ban is lifted.');
    assert.equal(await row.count(), 0);
    assert.equal(await statusFor(GUESSER), 200);
  });

  it("the operator's pages in a browser approves an application with a key that is shown once and works, and rejects another", async () => {
    for (const [company, email] of [
      ['Volta <b>AB</b>', VOLTA],
      ['Nobody', 'nobody@example.com'],
    ]) {
      const sent = await callJson(`${world.connect}/partners/apply`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ company, email, use_case: 'Charging at night', vendors: ['testvendor'] }),
      });
      assert.equal(sent.status, 202);
    }
    await click('link', 'Partners');
    await heading('Partner applications');
    await assertAccessible(page);
    await click('link', 'Approve Volta <b>AB</b>');
    await page.getByText(`(${VOLTA})? An account is created for the address`).waitFor();
    await click('button', 'Approve');
    await heading('The application is approved');
    await assertAccessible(page);
    key = (await page.locator('#key').textContent()) ?? '';
    assert.match(key, /^elnav_/);
    assert.equal(await devices(), 200);
    await page.reload();
    await page.getByText('This was sent already').waitFor();
    assert.ok(!(await page.content()).includes(key));

    await goto('/partners');
    await click('link', 'Reject Nobody');
    await page.getByText('(nobody@example.com)? It cannot be approved afterwards').waitFor();
    await click('button', 'Reject');
    await notice('The application is rejected.');
    await page
      .getByRole('row', { name: /Nobody/ })
      .getByText('Rejected')
      .waitFor();
    assert.ok(!(await mainOf(page)).includes('Reject Nobody'));
  });

  it("the operator's pages in a browser finds the request of a command that failed, with the call below it, and goes on to its account", async () => {
    const call = (path: string, body: object) =>
      callJson(`${world.connect}${path}`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const credentials = { user: 'u', password: 'p' };
    const linked = await call('/link', { vendor: 'testvendor', user_ref: 'anna', credentials });
    assert.ok(linked.status < 300, JSON.stringify(linked.body));
    const failed = await call('/devices/light-1/command', { type: 'turn_on' });
    assert.equal(failed.status, 502);
    const id = failed.headers.get('x-request-id') ?? '';

    await click('link', 'Requests');
    await page.getByRole('searchbox', { name: 'Id of a request' }).fill('no such id!');
    await click('button', 'Find');
    await page.locator('#id-fault').getByText('An id has 1 to 128').waitFor();
    await page.getByRole('searchbox', { name: 'Id of a request' }).fill(` ${id} `);
    await click('button', 'Find');
    await heading(`Request ${id}`);
    await page.getByText('POST /devices/:id/command').waitFor();
    const below = page.getByRole('region', { name: 'Calls to vendors' }).getByRole('row');
    // What came back was not understood, so that the outcome of the command is not known.
    assert.match(
      (await below.nth(1).textContent()) ?? '',
      /testvendor command.*vendor\.answer_invalid.*400/s,
    );
    await assertAccessible(page);
    await page.locator('.operator-request').getByRole('link').click();
    await heading(VOLTA);
    const linkedVendor = page.getByRole('region', { name: 'Links and devices' }).getByRole('row').nth(1);
    assert.deepEqual(await linkedVendor.locator('th, td').allTextContents(), [
      ...['Test vendor', '1', '0', '0', '1', 'Health Test vendor'],
    ]);
    await linkedVendor.getByRole('link').click();
    await page.locator('tr:has(:target)').getByText('Test vendor').waitFor();
    await page.goBack();
    await assertAccessible(page);
  });

  it("the operator's pages in a browser gives the role to a person, who signs in as always, and revokes a key", async () => {
    const own = await open(ENGLISH);
    await own.goto(`${world.grid}/auth/signup`);
    await own.getByLabel('Email address').fill(ERIK);
    await click('button', 'Create an account', own);
    await own.waitForURL(/info=sent/);
    await own.goto((await nextEmail(world, ERIK)).link);
    await own.locator('main form button').click();
    await own.waitForURL(`${world.grid}/account`);
    assert.equal((await goto('/accounts', own))?.status(), 403);

    await click('link', 'Accounts');
    await page.getByLabel('Email address, name or id').fill('erik@');
    await click('button', 'Search');
    await page.getByText('1 account', { exact: true }).waitFor();
    await assertAccessible(page);
    await click('link', ERIK);
    await page.waitForURL(/\/accounts\/\d+$/);
    erik = Number(new URL(page.url()).pathname.split('/').at(-1));
    await click('link', 'Give the role');
    await page.getByText(`to ${ERIK} (account ${erik})?`).waitFor();
    await click('button', 'Give the role');
    await notice('The role is given.');

    await own.goto(`${world.grid}/account`);
    await click('link', 'Operator’s pages', own);
    await own.getByText(`Signed in as ${ERIK}`).waitFor();
    await click('link', 'Accounts', own);
    await click('link', VOLTA, own);
    await own.getByText('Only a session of the admin token may give the role.').waitFor();
    assert.equal(await own.getByRole('link', { name: /^Revoke/ }).count(), 0);
    await click('button', 'Turn on changes', own);
    await click('link', /^Revoke/, own);
    await own.getByText('are refused from the next request on').waitFor();
    assert.equal(await devices(), 200);
    await click('button', 'Revoke key', own);
    await notice('The key is revoked.', own);
    assert.equal(await devices(), 401);

    // The role is taken while the page is open.
    await goto(`/accounts/${erik}`);
    await click('link', 'Take the role');
    await click('button', 'Take the role');
    await notice('The role is taken.');
    const refused = own.waitForResponse((response) => response.url().endsWith('/operator/accounts'));
    await own.getByRole('navigation', { name: 'Operator' }).getByRole('link', { name: 'Accounts' }).click();
    assert.equal((await refused).status(), 403);
    await own.getByText('Your role was taken away').waitFor();
    assert.ok(!(await own.content()).includes(VOLTA));
    await assertAccessible(own);
  });

  it('a fault is shown beside each empty field, and the page goes to the first', async () => {
    await goto('/accounts/new');
    await page.locator('#new-tier').fill('');
    await click('button', 'Create account');
    await page.locator('#new-email-fault').getByText('Write a whole email address').waitFor();
    await page.locator('#new-tier-fault').waitFor();
    assert.equal(await focused(page), 'Email');
    await assertAccessible(page);
  });

  it("the operator's pages in a browser shows what is wrong first with what to do, then instances, sources and vendors", async () => {
    await click('link', 'Health');
    await heading('Health');
    const problem = page.locator('.health-problems li').first();
    await problem.getByText(/The source .+ has failed/).waitFor();
    await problem.getByText('Other sources are used meanwhile.').waitFor();
    const text = await mainOf(page);
    const order = ['has failed', 'shows this page', 'Source entsoe', 'Test vendor'].map((one) =>
      text.indexOf(one),
    );
    assert.ok(order.every((at) => at >= 0));
    assert.deepEqual(
      order.toSorted((one, other) => one - other),
      order,
    );
    await assertAccessible(page);
  });

  it("the operator's pages in a browser starts a back-fill of prices, and shows its result", async () => {
    const day = dayAt(systemClock.now() - 20 * DAY_MS);
    await click('link', 'Prices');
    await heading('Prices');
    await page.getByText('There was no back-fill yet').waitFor();
    await assertAccessible(page);
    await page.getByLabel('First day').fill(day);
    await page.getByLabel('Last day').fill(day);
    await click('button', /^Fetch/);
    await page.getByText(`Fetch one day (${day} to ${day})`).waitFor();
    await click('button', 'Fetch them');
    await notice('The back-fill has begun.');
    const row = page.getByRole('region', { name: 'Back-fills' }).getByRole('row', { name: day });
    await until('the back-fill is done', async () => {
      await goto('/prices');
      return /done/.test((await row.textContent()) ?? '');
    });
    await row.getByText('1 stored, 0 stored before, 0 without a source, 0 failed').waitFor();
    await assertAccessible(page);
  });

  it("the operator's pages in a browser shows in the audit trail who did what", async () => {
    await click('link', 'Audit trail');
    await heading('Audit trail');
    const trail = page.getByRole('region', { name: 'Audit trail' });
    const done = async () => {
      const rows = await trail.locator('tbody tr').all();
      const cells = await Promise.all(rows.map((row) => row.locator('td').allTextContents()));
      return cells.map(([actor, action]) => `${actor} ${action}`);
    };
    const all = await done();
    assert.deepEqual(
      all.filter((one) => !one.startsWith('setup ')),
      [
        'admin backfill.begun',
        'admin role.taken',
        `user/${erik} key.revoked`,
        `user/${erik} operator.changes_on`,
        'admin role.given',
        'user user.created',
        'admin partner.rejected',
        'admin key.created',
        'admin partner.approved',
        'admin ban.lifted',
        'admin operator.changes_on',
        'admin operator.signed_in',
      ],
    );
    await assertAccessible(page);
    await trail
      .locator('td:nth-of-type(1)')
      .getByRole('link', { name: `user/${erik}` })
      .first()
      .click();
    await page.waitForURL(/actor=/);
    assert.deepEqual(await done(), [`user/${erik} key.revoked`, `user/${erik} operator.changes_on`]);
  });

  it('the pages are in English for a Swedish browser, in the dark and on a phone', async () => {
    const phone = await open({
      ...{ viewport: PHONE, locale: 'sv-SE', colorScheme: 'dark' },
      storageState: await page.context().storageState(),
    });
    await goto('', phone);
    await heading('Overview', phone);
    assert.equal(await phone.locator('.other-language').count(), 0);
    await assertAccessible(phone);
    for (const section of SECTIONS) {
      await goto(`/${section}`, phone);
      assert.equal(await phone.locator('html').getAttribute('lang'), 'en');
      await assertAccessible(phone);
    }
    await goto(`/accounts/${erik}`, phone);
    await phone.getByText('This account has no role.').waitFor();
    await assertAccessible(phone);
  });

  it("the operator's pages in a browser works without scripts", async () => {
    await guess(OTHER_GUESSER, 10);
    assert.equal(await statusFor(OTHER_GUESSER), 403);
    const plain = await open({ ...ENGLISH, javaScriptEnabled: false });
    await goto('/bans', plain);
    await plain.getByLabel('Admin token').fill(ADMIN_TOKEN);
    await click('button', 'Sign in', plain);
    await heading('Bans', plain);
    await click('button', 'Turn on changes', plain);
    await click('link', `Lift ${OTHER_GUESSER}`, plain);
    await click('button', 'Lift', plain);
    await notice('The ban is lifted.', plain);
    await plain.getByText('No address is banned.').waitFor();
    assert.equal(await statusFor(OTHER_GUESSER), 200);
    await click('button', 'Sign out', plain);
    await plain.getByText('You are signed out.').waitFor();
    await goto('/bans', plain);
    assert.match(plain.url(), /\/operator\/sign-in\?/);
  });

  it("the operator's pages in a browser has run no script with an error, and broken no policy", () => {
    assert.ok(watched.length >= 4);
    assert.deepEqual(
      watched.flatMap(({ faults }) => faults()).filter((fault) => !REFUSED.test(fault)),
      [],
    );
  });
});
