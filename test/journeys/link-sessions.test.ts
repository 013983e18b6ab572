import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type TurnedClock, turnedClock } from '../../src/core/clock.ts';
import { DAY_MS } from '../../src/core/durations.ts';
import { AppError } from '../../src/core/errors.ts';
import { vendors } from '../../src/vendors/index.ts';
import { CookieBrowser } from '../kit/cookie-browser.ts';
import { ENGINES } from '../kit/databases.ts';
import { type TestVendor, testVendor } from '../kit/vendor-for-tests.ts';
import { type Caller, makeWorld, type World } from '../kit/world.ts';

const APP = 'https://app.example.com/linked';
const RIGHT = { user: 'anna', password: 'right' };

interface View {
  readonly session: string;
  readonly status: string;
  readonly link: string | null;
  readonly devices: readonly { readonly id: string; readonly vendor: string; readonly device_type: string }[];
  readonly reason: string | null;
  readonly expires_at: string;
}

for (const engine of ENGINES)
  describe(`how a link session ends, ${engine}`, () => {
    let world: World;
    let vendor: TestVendor;
    let caller: Caller;
    let clock: TurnedClock;
    before(async () => {
      clock = turnedClock();
      vendor = testVendor();
      world = await makeWorld({ engine, clock, adapters: [...vendors, vendor.adapter] });
      caller = await world.newAccount();
    });
    after(() => world.close());

    const begin = async (body: object = {}) => {
      const answer = await caller.call('POST', '/link/sessions', {
        user_ref: 'anna',
        redirect_uri: APP,
        ...body,
      });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body as { session: string; url: string; expires_at: string };
    };
    it(`how a link session ends, ${engine} is not begun for a vendor that a page cannot ask for, and says how it is linked`, async () => {
      const { status, headers, body } = await caller.call('POST', '/link/sessions', {
        user_ref: 'anna',
        vendor: 'opcua',
      });
      assert.deepEqual([status, headers.get('elnav-error')], [400, 'request.invalid']);
      assert.match(
        JSON.stringify(body),
        /vendor is opcua, which has more to say than a page can ask for; link it with POST \/link/,
      );
      const { url } = await begin();
      const browser = CookieBrowser.inLanguage('en');
      assert.doesNotMatch(await (await browser.send(url)).text(), /OPC UA/);
      const form = await browser.send(`${url}/opcua`);
      assert.doesNotMatch(await form.text(), /name="devices"|name="security"/);
    });

    const view = async (session: string): Promise<View> => {
      const answer = await caller.call('GET', `/link/sessions/${session}`);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      return answer.body as View;
    };
    const parametersOf = (answer: Response) => {
      const { origin, pathname, searchParams } = new URL(answer.headers.get('location') ?? '');
      assert.deepEqual([answer.status, `${origin}${pathname}`], [303, APP]);
      return Object.fromEntries(searchParams);
    };

    it(`how a link session ends, ${engine} is open until it is used, then linked with its link and devices`, async () => {
      const { session, url, expires_at } = await begin({ vendor: 'sandbox' });
      const open = { session, status: 'open', link: null, devices: [], reason: null, expires_at };
      assert.deepEqual(await view(session), open);
      const browser = CookieBrowser.inLanguage('en');
      const sent = await browser.post(`${url}/sandbox`, { device_types: 'light', seed: session });
      assert.equal(sent.status, 303, await sent.text());
      const { link, devices, ...linked } = await view(session);
      assert.deepEqual(linked, { session, status: 'linked', reason: null, expires_at });
      const links = (await caller.call('GET', '/links')).body as { id: string }[];
      assert.ok(links.some(({ id }) => id === link));
      assert.deepEqual(
        devices.map(({ vendor, device_type }) => [vendor, device_type]),
        [['sandbox', 'light']],
      );
      clock.turn(DAY_MS);
      assert.equal((await view(session)).status, 'linked', 'what is linked does not expire');
    });

    it(`how a link session ends, ${engine} stays open with the reason while the user may retry on our page`, async () => {
      const { session, url } = await begin();
      const browser = CookieBrowser.inLanguage('en');
      vendor.onLink = async () => {
        const { status } = await view(session);
        throw new AppError('vendor.unreachable', `it is unreachable, and the session is ${status}`);
      };
      const refused = await browser.post(`${url}/testvendor`, RIGHT);
      assert.equal(refused.status, 502);
      assert.match(await refused.text(), /the session is open/);
      const failed = await view(session);
      assert.deepEqual([failed.status, failed.link, failed.reason], ['open', null, 'vendor.unreachable']);
      vendor.onLink = async () => {};
      assert.equal((await browser.post(`${url}/testvendor`, RIGHT)).status, 303);
      const linked = await view(session);
      assert.deepEqual([linked.status, linked.reason], ['linked', null]);
    });

    it(`how a link session ends, ${engine} has failed when the user goes back without a link, and can be opened again`, async () => {
      const { session, url } = await begin({ vendor: 'sandbox' });
      const browser = CookieBrowser.inLanguage('en');
      const parameters = parametersOf(await browser.get(`${url}/cancel`));
      assert.deepEqual(parameters, { status: 'failed', session, reason: 'cancelled' });
      const failed = await view(session);
      assert.deepEqual([failed.status, failed.reason], ['failed', 'cancelled']);
      const sent = await browser.post(`${url}/sandbox`, { device_types: 'light', seed: session });
      assert.equal(sent.status, 303, await sent.text());
      const linked = await view(session);
      assert.deepEqual([linked.status, linked.reason], ['linked', null]);
      const late = await browser.get(`${url}/cancel`);
      assert.deepEqual([late.status, late.headers.get('location')], [303, `${new URL(url).pathname}/done`]);
      assert.equal((await view(session)).status, 'linked');
    });

    it(`how a link session ends, ${engine} leads nowhere when there is no app to return to`, async () => {
      const { session, url } = await begin({ redirect_uri: undefined });
      const browser = CookieBrowser.inLanguage('en');
      assert.doesNotMatch(await (await browser.get(url)).text(), /\/cancel"/);
      const answer = await browser.get(`${url}/cancel`);
      assert.deepEqual([answer.status, answer.headers.get('location')], [303, new URL(url).pathname]);
      assert.equal((await view(session)).status, 'open');
    });

    it(`how a link session ends, ${engine} expires after a day, can be read for a week, and is then deleted`, async () => {
      const { session } = await begin();
      clock.turn(DAY_MS);
      const { status, devices } = await view(session);
      assert.deepEqual([status, devices], ['expired', []]);
      clock.turn(7 * DAY_MS - 1);
      await begin();
      assert.equal((await view(session)).status, 'expired');
      clock.turn(2);
      await begin();
      const gone = await caller.call('GET', `/link/sessions/${session}`);
      assert.deepEqual([gone.status, gone.headers.get('elnav-error')], [404, 'session.not_found']);
    });

    it(`how a link session ends, ${engine} can be read only by the account that began it; a browser gets a page`, async () => {
      const { session, url } = await begin();
      const stranger = await world.newAccount();
      const [foreign, missing] = await Promise.all(
        [session, 'x'.repeat(43)].map((one) => stranger.call('GET', `/link/sessions/${one}`)),
      );
      assert.deepEqual([foreign?.status, foreign?.body], [missing?.status, missing?.body]);
      assert.deepEqual([foreign?.status, foreign?.body], [404, { error: 'there is no such link session' }]);
      const wrong = await fetch(url, { headers: { 'x-api-key': 'wrong', accept: 'application/json' } });
      assert.deepEqual([wrong.status, wrong.headers.get('elnav-error')], [401, 'key.invalid']);
      for (const headers of [
        {},
        { accept: 'text/html', 'x-api-key': caller.key },
        { accept: '*/*' },
      ] as const) {
        const page = await fetch(url, { headers: { ...headers } });
        assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
      }
    });
  });
