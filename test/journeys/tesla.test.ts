import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type TurnedClock, turnedClock } from '../../src/core/clock.ts';
import { tesla } from '../../src/vendors/tesla/index.ts';
import { CARS, SITES, type User } from '../../src/vendors/tesla/simulated-site.ts';
import { type ServedVendor, serveVendor } from '../kit/served-vendor.ts';
import { type Answer, type Caller, makeWorld, type World } from '../kit/world.ts';

interface Place {
  readonly clock: TurnedClock;
  readonly served: ServedVendor;
  readonly world: World;
  /** An account of its own that has linked this user of the simulator, and the response. */
  link(user: User): Promise<{ readonly caller: Caller; readonly linked: Answer }>;
}

/** The service with Tesla's simulator, over real sockets. */
async function open(
  test: TestContext,
  env: (served: ServedVendor) => Readonly<Record<string, string>>,
): Promise<Place> {
  const clock = turnedClock();
  const served = await serveVendor(tesla, clock);
  const world = await makeWorld({ engine: 'sqlite', clock, env: { ...served.env, ...env(served) } });
  test.after(async () => {
    await world.close();
    await served.close();
  });
  const to = (url: string, init: RequestInit = {}) => fetch(url, { redirect: 'manual', ...init });
  return {
    clock,
    served,
    world,
    async link(user) {
      const caller = await world.newAccount(undefined, 'pro');
      const page = (await to(`${world.connect}/oauth/tesla/authorize`)).headers.get('location') ?? '';
      const body = new URLSearchParams({ username: user, password: served.vendor.user.password });
      const back = (await to(page, { method: 'POST', body })).headers.get('location') ?? '';
      const { link_code } = (await (await to(back)).json()) as { link_code: string };
      const linked = await caller.call('POST', '/link', {
        vendor: 'tesla',
        user_ref: user,
        credentials: { link_code },
      });
      assert.equal(linked.status, 200, JSON.stringify(linked.body));
      return { caller, linked };
    },
  };
}

const command = (caller: Caller, id: string, body: object) =>
  caller.call('POST', `/devices/${id}/command`, body);

describe('the monthly budget', () => {
  it("the monthly budget of a large fleet leaves other users' cars their share, and energy sites cost nothing", async (test) => {
    // 95 reads in all; linking asks five times which of 500 cars know our key, and once about one.
    const { link } = await open(test, () => ({ ELNAV_TESLA_MONTHLY_USD: '0.20' }));
    const fleet = await link('large');
    const { devices } = fleet.linked.body as { devices: { id: string }[] };
    assert.equal(devices.length, 500);
    const answers: Answer[] = [];
    for (const { id } of devices.slice(0, 90)) answers.push(await fleet.caller.call('GET', `/devices/${id}`));
    const refused = answers.filter(({ status }) => status === 502);
    assert.equal(answers.filter(({ status }) => status === 200).length, 76 - 5, 'four fifths');
    assert.equal(refused.length, 19);
    for (const { headers } of refused) {
      assert.equal(headers.get('elnav-error'), 'vendor.rate_limited');
      assert.ok(Number(headers.get('retry-after')) > 0);
    }
    const { caller } = await link('home');
    const read = await caller.call('GET', `/devices/${CARS.plain}`);
    assert.equal(read.status, 200, JSON.stringify(read.body));
    const started = await command(caller, CARS.plain, { type: 'set_charge_limit', percent: 70 });
    assert.equal(started.status, 200, JSON.stringify(started.body));
    for (let count = 0; count < 3; count += 1)
      for (const id of Object.values(SITES)) {
        const { status } = await caller.call('GET', `/devices/${id}`);
        assert.equal(status, 200);
      }
    const budget = (await caller.call('GET', '/vendors/tesla/budget')).body as Record<string, unknown>[];
    const credit = budget.filter(({ name }) => name === 'credit').map(({ of, used }) => [of, used]);
    assert.deepEqual(credit, [
      ['app', 76 * 2_000 + 7_000],
      ['link', 7_000],
    ]);
  });

  it('the monthly budget of zero still allows free calls', async (test) => {
    const { link } = await open(test, () => ({ ELNAV_TESLA_MONTHLY_USD: '0' }));
    const { caller } = await link('home');
    assert.equal((await caller.call('GET', `/devices/${SITES.battery}`)).status, 200);
    const car = await caller.call('GET', `/devices/${CARS.plain}`);
    assert.deepEqual([car.status, car.headers.get('elnav-error')], [502, 'vendor.rate_limited']);
  });
});

describe('one Tesla user linked by two accounts', () => {
  it('one Tesla user linked by two accounts stays linked in both: each renews its own tokens', async (test) => {
    const { link, served, clock } = await open(test, () => ({}));
    const callers = [(await link('home')).caller, (await link('home')).caller];
    for (let round = 0; round < 3; round += 1) {
      served.vendor.expireTokens();
      clock.turn(9 * 3_600_000);
      for (const caller of callers) {
        assert.equal((await caller.call('GET', `/devices/${SITES.battery}`)).status, 200);
        const [state] = (await caller.call('GET', '/links')).body as { status: string }[];
        assert.equal(state?.status, 'active');
      }
    }
    const renewals = served.asked.filter((line) => line === 'POST /oauth2/v3/token');
    assert.ok(renewals.length >= 2 + 6, `${renewals.length} calls of the token endpoint`);
  });
});

describe('cars that accept only signed commands', () => {
  it('cars that accept only signed commands have no controls without a proxy, and say why', async (test) => {
    const { link } = await open(test, () => ({}));
    const { caller, linked } = await link('signed');
    assert.equal((linked.body as { next_steps?: unknown }).next_steps, undefined);
    const refused = await command(caller, CARS.signed, { type: 'start_charge' });
    assert.equal(refused.status, 422);
    assert.match(
      JSON.stringify(refused.body),
      /does not have the capability charge_control .*this car accepts signed commands only; the operator must run Tesla's vehicle-command proxy/,
    );
  });

  it('cars that accept only signed commands obey through the proxy once their owner has approved the key, which is the next step', async (test) => {
    const { link, served } = await open(test, ({ url }) => ({
      ELNAV_TESLA_COMMANDS_BASE_URL: `${url}/proxy`,
    }));
    const { caller, linked } = await link('signed');
    const { next_steps } = linked.body as { next_steps: Record<string, unknown>[] };
    assert.deepEqual(
      next_steps.map(({ id, url, devices }) => [id, url, devices]),
      [['pair_key', 'https://tesla.com/_ak/127.0.0.1', [CARS.signed]]],
    );
    served.vendor.arrange(
      { id: CARS.paired, type: 'vehicle', account: 1, link: '', details: {} },
      'charging',
    );
    const stopped = await command(caller, CARS.paired, { type: 'stop_charge' });
    assert.equal(stopped.status, 200, JSON.stringify(stopped.body));
    assert.ok(served.asked.includes(`POST /proxy/api/1/vehicles/${CARS.paired}/command/charge_stop`));
    const refused = await command(caller, CARS.signed, { type: 'start_charge' });
    assert.equal(refused.status, 502);
    assert.match(JSON.stringify(refused.body), /does not have the key of this service/);
  });
});
