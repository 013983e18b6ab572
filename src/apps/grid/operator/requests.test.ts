import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { ADMIN, accountsWorld } from '../../../../test/kit/accounts.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { type OperatorBrowser, openOperatorPages } from '../../../../test/kit/operator-pages.ts';
import { HOUR_MS } from '../../../core/durations.ts';
import { systemRandom } from '../../../core/ids.ts';
import { silentLog } from '../../../core/log.ts';
import { createMetrics } from '../../../core/metrics.ts';
import type { RequestFacts } from '../../../core/traces.ts';
import { createRequests, type Requests } from '../../../domain/records/requests/index.ts';

const BAD = `"><script>alert(1)</script>\u202e`;

onEachEngine("requests on the operator's pages", (engine) => {
  const world = accountsWorld(engine);
  let requests: Requests;
  let browser: OperatorBrowser;
  let account: number;
  before(async () => {
    const { database, clock } = world;
    requests = createRequests({
      host: { database, clock, random: systemRandom, log: silentLog, metrics: createMetrics() },
      instance: 'here:1',
      keptDays: 7,
    });
    browser = await (await openOperatorPages(world, { requests })).signedIn();
    account = (await world.accounts.users.create({ email: 'r@example.com', name: '', tier: 'free' }, ADMIN))
      .id;
  });

  /** A request that has failed, with two calls to a vendor. */
  function send(id: string, status: number, more: Partial<RequestFacts> = {}): void {
    const begun = { service: 'connect', method: 'POST', route: '/devices/:id/command', headers: {} } as const;
    const work = requests.traces?.request({ ...begun, id, kept: 'all' });
    work?.run(() => {
      for (const [call, outcome] of [
        ['read', 'ok'],
        ['command', 'vendor.refused'],
      ] as const)
        requests.traces?.call({ vendor: 'easee', call, link: 'l' })?.end({ outcome, status: 409 });
    });
    const facts = {
      ...{ account, keyId: 'key-1', caller: 'c', device: null, link: null, vendor: null },
      error: { code: 'vendor.refused', sentence: `it is paused ${BAD}` } as const,
      ...more,
    };
    work?.end({ status, durationMs: 812, facts: () => facts });
    world.clock.turn(1_000);
  }

  it("requests on the operator's pages has a field for an id, which takes it with blanks around it and says what an id looks like", async () => {
    send('found-1', 502);
    const home = await browser.get('/operator/requests');
    assert.equal(home.status, 200);
    assert.match(home.text, /<label for="id">Id of a request<\/label>/);
    assert.match(home.text, /v7Qm3kXz0a-4f/);
    const found = await browser.get('/operator/requests?id=%20%20found-1%0A');
    assert.equal(found.status, 200);
    assert.match(found.text, /<h1>Request found-1<\/h1>/);
    const malformed = await browser.get(`/operator/requests?id=${encodeURIComponent(BAD)}`);
    assert.equal(malformed.status, 422);
    assert.match(malformed.text, /1 to 128 letters and digits/);
    assert.match(malformed.text, /aria-invalid="true"/);
    assert.ok(!malformed.text.includes('<script>alert'));
    const unknown = await browser.get('/operator/requests?id=nobody-sent-it');
    assert.match(unknown.text, /No request with this id is kept/);
    assert.equal((await browser.get('/operator/requests/nobody-sent-it')).status, 404);
  });

  it("requests on the operator's pages shows what became of a request, its account and its calls with their bars", async () => {
    send('shown-1', 502);
    const { text } = await browser.get('/operator/requests/shown-1');
    for (const part of [
      '<strong>502</strong>',
      'vendor.refused',
      'key-1',
      'here:1',
      '812 ms',
      'easee command',
      '409',
    ])
      assert.ok(text.includes(part), part);
    assert.match(text, new RegExp(`href="/operator/accounts/${account}"`));
    const ofAccount = await browser.get(`/operator/accounts/${account}`);
    assert.ok(ofAccount.text.includes(`href="/operator/requests?account=${account}"`));
    assert.equal(text.match(/<rect /g)?.length, 2);
    assert.equal(text.match(/class="call-bar call-bar-bad"/g)?.length, 1);
    assert.ok(!text.includes('<script>alert'));
  });

  it("requests on the operator's pages shows all requests with an id that several have, the newest first", async () => {
    send('twice', 500);
    send('twice', 503, { account: null });
    const { text } = await browser.get('/operator/requests/twice');
    assert.match(text, /Several requests have this id/);
    assert.ok(text.indexOf('<strong>503</strong>') < text.indexOf('<strong>500</strong>'));
  });

  it("requests on the operator's pages leads on to all requests with an id, however many have come since", async () => {
    send('often', 500);
    for (let later = 0; later < 20; later += 1) send('often', 404, { account: null });
    const first = await browser.get('/operator/requests/often');
    assert.ok(!first.text.includes('<strong>500</strong>'));
    const next = /href="([^"]+)" rel="next"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    assert.match(next, /^\/operator\/requests\?id=often&cursor=/);
    assert.match((await browser.get(next)).text, /<strong>500<\/strong>/);
  });

  it("requests on the operator's pages lists, filters and pages requests", async () => {
    for (let index = 0; index < 53; index += 1) send(`listed-${index}`, index % 2 === 0 ? 404 : 201);
    const links = (text: string) =>
      [...text.matchAll(/href="\/operator\/requests\/([^"?]+)"/g)].map(([, id]) => id);
    const first = await browser.get(
      `/operator/requests?account=${account}&route=POST+/devices/%7Bid%7D/command`,
    );
    assert.equal(links(first.text).length, 50);
    assert.equal(links(first.text)[0], 'listed-52');
    const next = /href="([^"]+)" rel="next"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    assert.match(next, /account=\d+&route=.*cursor=/);
    const second = await browser.get(next);
    assert.ok(links(second.text).includes('listed-0'));
    assert.ok(!second.text.includes('rel="next"'));
    const created = links((await browser.get('/operator/requests?status=2xx')).text);
    assert.equal(created.length, 26);
    assert.match((await browser.get('/operator/requests?status=418')).text, /No request matches/);
    assert.match((await browser.get('/operator/requests?status=418')).text, /<option value="418" selected/);
    for (let half = 0; half < 2; half += 1) {
      world.clock.turn(HOUR_MS / 2);
      // The session ends where it is not used for an hour.
      assert.equal((await browser.get('/operator')).status, 200);
    }
    send('an-hour-later', 404);
    assert.deepEqual(links((await browser.get('/operator/requests?since=hour')).text), ['an-hour-later']);
    assert.equal(links((await browser.get('/operator/requests?since=constructor')).text).length, 50);
    for (const query of ['account=x', 'status=bad']) {
      const wrong = await browser.get(`/operator/requests?${query}`);
      assert.equal(wrong.status, 422, query);
      assert.match(wrong.text, /The filter is not right/);
    }
  });
});
