import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type TurnedClock, turnedClock } from '../../src/core/clock.ts';
import { tierPolicy } from '../../src/domain/access/accounts/index.ts';
import { vendors } from '../../src/vendors/index.ts';
import { netatmo } from '../../src/vendors/netatmo/index.ts';
import { CookieBrowser } from '../kit/cookie-browser.ts';
import { type ServedVendor, serveVendor } from '../kit/served-vendor.ts';
import { type TestVendor, testVendor } from '../kit/vendor-for-tests.ts';
import { type Caller, makeWorld, type World } from '../kit/world.ts';

const AT_ONCE = 20;

describe('an account with as many links as its tier allows', () => {
  let world: World;
  let served: ServedVendor;
  let vendor: TestVendor;
  let caller: Caller;
  let clock: TurnedClock;
  const link = (credentials: object, name = 'testvendor') =>
    caller.call('POST', '/link', { vendor: name, user_ref: 'anna', credentials });
  const refused = [409, 'link.too_many'];

  before(async () => {
    clock = turnedClock();
    vendor = testVendor();
    vendor.devices = [];
    served = await serveVendor(netatmo, clock);
    world = await makeWorld({
      engine: 'sqlite',
      clock,
      adapters: [...vendors, vendor.adapter],
      env: served.env,
    });
    caller = await world.newAccount(undefined, 'free');
    const most = tierPolicy('free').most_links;
    for (let made = 0; made < most; made += AT_ONCE)
      await Promise.all(
        Array.from({ length: AT_ONCE }, (_, index) => link({ user: `u${made + index}`, password: 'p' })),
      );
    assert.equal(((await caller.call('GET', '/links')).body as unknown[]).length, most);
  });
  after(async () => {
    await world.close();
    await served.close();
  });

  /** A link code, for which a user has signed in at the vendor. */
  async function linkCode(): Promise<string> {
    const browser = new CookieBrowser();
    const begun = await browser.get(`${world.connect}/oauth/netatmo/authorize`);
    const back = await browser.get(await signedIn(begun, browser));
    return ((await back.json()) as { link_code: string }).link_code;
  }

  /** Where the vendor redirects the browser, once its user has signed in on the page that this leads to. */
  async function signedIn(leading: Response, browser: CookieBrowser): Promise<string> {
    const { name, password } = served.vendor.user;
    let page = leading.headers.get('location') ?? '';
    // First our own address, which starts the sign-in.
    if (page.startsWith('/') || page.startsWith(world.connect))
      page = (await browser.get(new URL(page, world.connect).href)).headers.get('location') ?? '';
    const done = await fetch(page, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ username: name, password }),
    });
    return done.headers.get('location') ?? '';
  }

  it('an account with as many links as its tier allows is refused before the vendor is called, and keeps its link code', async () => {
    const link_code = await linkCode();
    const asked = served.asked.length;
    const answer = await link({ link_code }, 'netatmo');
    assert.deepEqual([answer.status, answer.headers.get('elnav-error')], refused);
    assert.equal(served.asked.length, asked, 'the vendor was not asked');
    const [one] = (await caller.call('GET', '/links')).body as { id: string }[];
    assert.equal((await caller.call('DELETE', `/links/${one?.id}`)).status, 204);
    const linked = await link({ link_code }, 'netatmo');
    assert.equal(linked.status, 200, JSON.stringify(linked.body));
  });

  it('an account with as many links as its tier allows sends no user of a link session to a vendor', async () => {
    await caller.call('GET', '/links').then(async ({ body }) => {
      const own = (body as { id: string; vendor: string }[]).find((one) => one.vendor === 'netatmo');
      assert.equal((await caller.call('DELETE', `/links/${own?.id}`)).status, 204);
    });
    const { body } = await caller.call('POST', '/link/sessions', { user_ref: 'anna', vendor: 'netatmo' });
    const { url } = body as { url: string };
    const browser = CookieBrowser.inLanguage('en');
    await link({ user: 'the last', password: 'p' });
    const answer = await browser.post(`${url}/netatmo`, {});
    assert.deepEqual([answer.status, answer.headers.get('elnav-error')], refused);
    assert.match(await answer.text(), /<html lang="en"/);
  });

  it('an account with as many links as its tier allows uses no code of a vendor when it became full during the sign-in, and explains what to do', async () => {
    const [own] = (await caller.call('GET', '/links')).body as { id: string }[];
    assert.equal((await caller.call('DELETE', `/links/${own?.id}`)).status, 204);
    const session = await caller.call('POST', '/link/sessions', { user_ref: 'anna', vendor: 'netatmo' });
    const { url } = session.body as { url: string };
    const browser = CookieBrowser.inLanguage('en');
    const back = await signedIn(await browser.post(`${url}/netatmo`, {}), browser);
    await link({ user: 'the very last', password: 'p' });
    const asked = served.asked.length;
    const answer = await browser.get(back);
    const page = await answer.text();
    assert.deepEqual([answer.status, answer.headers.get('elnav-error')], refused);
    assert.equal(served.asked.length, asked, 'the vendor was not asked for tokens');
    assert.match(page, /cannot connect any more accounts/);
    assert.match(page, /Nothing was connected, and trying again will not help/);
    assert.doesNotMatch(page, /on our side/);
  });

  it('an account with as many links as its tier allows can link existing vendor accounts again, which only the vendor can tell', async () => {
    // The first ones were linked at once: which of them the tests above have deleted is not known.
    const again = await link({ user: 'the very last', password: 'new' });
    assert.equal(again.status, 200, JSON.stringify(again.body));
    const other = await link({ user: 'another', password: 'p' });
    assert.deepEqual([other.status, other.headers.get('elnav-error')], refused);
  });
});
