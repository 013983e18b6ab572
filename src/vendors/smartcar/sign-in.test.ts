import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CookieBrowser } from '../../../test/kit/cookie-browser.ts';
import { type ServedVendor, serveVendor } from '../../../test/kit/served-vendor.ts';
import { type Caller, makeWorld, type World } from '../../../test/kit/world.ts';
import type { VendorRequest } from '../../adapter/http.ts';
import { type TurnedClock, turnedClock } from '../../core/clock.ts';
import type { Json } from '../../core/json.ts';
import { smartcar } from './index.ts';
import { TOKEN_PATH, withoutCode } from './sign-in.ts';
import { CARS, USER_IDS } from './simulated-car.ts';

describe('signing in at Smartcar', () => {
  let world: World;
  let served: ServedVendor;
  let caller: Caller;
  let clock: TurnedClock;
  before(async () => {
    clock = turnedClock();
    served = await serveVendor(smartcar, clock);
    world = await makeWorld({ engine: 'sqlite', clock, env: served.env });
    caller = await world.newAccount();
  });
  after(async () => {
    await world.close();
    await served.close();
  });

  const begin = async (browser: CookieBrowser): Promise<URL> => {
    const response = await browser.get(`${world.connect}/oauth/smartcar/authorize`);
    return new URL(response.headers.get('location') ?? '');
  };
  /** Permits everything on the page of Smartcar; where it sends the browser. */
  const permit = async (page: URL, form: Record<string, string> = {}): Promise<URL> => {
    const body = new URLSearchParams({ username: 'home', password: 'simulated', ...form });
    const response = await fetch(page, { method: 'POST', redirect: 'manual', body });
    assert.equal(response.status, 302, await response.text());
    return new URL(response.headers.get('location') ?? '');
  };
  const errorOf = async (response: Response) => [
    response.headers.get('elnav-error'),
    ((await response.json()) as { error: string }).error,
  ];
  const NOT_CONFIRMED = [
    'oauth.denied',
    'Smartcar does not confirm that this user connected a car; start again',
  ];

  it('signing in at Smartcar opens its page with a reference, and links the cars of the user that it names', async () => {
    const browser = new CookieBrowser();
    const page = await begin(browser);
    const { state, external_id, ...others } = Object.fromEntries(page.searchParams);
    assert.deepEqual(others, {
      response_type: 'none',
      application_id: 'simulated-application_id',
      redirect_uri: `${world.connect}/oauth/smartcar/callback`,
      scope: 'read_vehicle_info read_battery read_charge control_charge',
      mode: 'live',
      approval_prompt: 'force',
    });
    assert.match(external_id ?? '', /^[0-9A-Za-z]{43}$/);
    const back = await permit(page);
    assert.equal(back.searchParams.get('code'), null);
    const { link_code } = (await (await browser.get(back.href)).json()) as { link_code: string };
    const body = { vendor: 'smartcar', user_ref: 'anna', credentials: { link_code } };
    const linked = await caller.call('POST', '/link', body);
    assert.equal(linked.status, 200, JSON.stringify(linked.body));
    const { devices } = linked.body as { devices: { id: string }[] };
    assert.deepEqual(
      devices.map(({ id }) => id),
      [CARS.id4, CARS.polestar],
    );
    const read = await caller.call('GET', `/devices/${CARS.id4}`);
    assert.equal((read.body as { state: { battery_soc: number } }).state.battery_soc, 50);
    const { body: links } = await caller.call('GET', '/links');
    assert.deepEqual((links as { missing_permissions: string[] }[])[0]?.missing_permissions, [
      'control_charge',
    ]);
  });

  it('signing in at Smartcar does not believe an address that names somebody who permitted nothing in this sign-in', async () => {
    const browser = new CookieBrowser();
    const page = await begin(browser);
    const forged = new URL(`${world.connect}/oauth/smartcar/callback`);
    forged.searchParams.set('state', page.searchParams.get('state') ?? '');
    forged.searchParams.set('user_id', USER_IDS.home);
    assert.deepEqual(await errorOf(await browser.get(forged.href)), NOT_CONFIRMED);
  });

  it('signing in at Smartcar does not believe it either where it is somebody else who permitted something', async () => {
    const browser = new CookieBrowser();
    const back = await permit(await begin(browser), { username: 'slow' });
    back.searchParams.set('user_id', USER_IDS.home);
    assert.deepEqual(await errorOf(await browser.get(back.href)), NOT_CONFIRMED);
  });

  it('signing in at Smartcar takes one user who is named once', async () => {
    for (const spoil of [
      (back: URL) => back.searchParams.delete('user_id'),
      (back: URL) => back.searchParams.append('user_id', USER_IDS.slow),
      (back: URL) => back.searchParams.set('user_id', '../users'),
    ]) {
      const browser = new CookieBrowser();
      const back = await permit(await begin(browser));
      spoil(back);
      const [code, sentence] = await errorOf(await browser.get(back.href));
      assert.deepEqual([code, sentence], ['oauth.denied', 'Smartcar did not name the user; start again']);
    }
  });

  it('signing in at Smartcar ends with the reason where the user cancels', async () => {
    const browser = new CookieBrowser();
    const back = await permit(await begin(browser), { cancel: '1' });
    assert.deepEqual(await errorOf(await browser.get(back.href)), [
      'oauth.denied',
      'Smartcar returned: access_denied',
    ]);
  });
});

it('a sign-in believes no connection of an earlier sign-in, should Smartcar not filter them by the reference', async () => {
  const user = { id: USER_IDS.home, externalId: 'reference-1' };
  const relationships = { vehicle: { data: { id: CARS.id4 } }, user: { data: { id: USER_IDS.home } } };
  const session = {
    clock: turnedClock(),
    partner: { clientId: 'id', clientSecret: 'secret' },
    http: {
      async send({ use, path }: VendorRequest) {
        assert.equal(use, 'login');
        const json: Json =
          path === TOKEN_PATH
            ? { access_token: 'token', expires_in: 3_600 }
            : { data: [{ attributes: { user }, relationships }] };
        return { status: 200, headers: {}, bytes: Buffer.from(''), text: () => '', json: () => json };
      },
    },
  };
  const query = new URLSearchParams({ user_id: USER_IDS.home });
  const { extra } = await withoutCode.signIn(session, { query, reference: 'reference-1' });
  assert.deepEqual(extra, { user_id: USER_IDS.home });
  await assert.rejects(withoutCode.signIn(session, { query, reference: 'reference-2' }), /does not confirm/);
});
