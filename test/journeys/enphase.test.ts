import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { needsOf, withAmounts } from '../../src/bin/vendor-needs.ts';
import { turnedClock } from '../../src/core/clock.ts';
import { readSettings } from '../../src/core/settings/index.ts';
import { bearableSeconds } from '../../src/domain/vendor-calls/budgets/window.ts';
import { enphase } from '../../src/vendors/enphase/index.ts';
import { serveVendor } from '../kit/served-vendor.ts';
import { type Answer, type Caller, makeWorld } from '../kit/world.ts';

const HOUR = 3_600;
const HOME = ['solar_inverter', 'battery'] as const;

/** Seconds between two background reads of each device of a home, with a plan and so many links in all. */
function secondsBetween(plan: string, links: number, ofLink: readonly (typeof HOME)[number][] = HOME) {
  const set = readSettings({ ELNAV_ENPHASE_PLAN: plan }, needsOf([enphase])).vendors.get('enphase');
  const readers = { devices: ofLink.length * links, ofLink, ofSite: HOME, links };
  const each = ofLink.map((type) => bearableSeconds(withAmounts(enphase, set), { type, ...readers }));
  return Math.max(...each);
}

/** The service with Enphase's simulator, over real sockets. */
async function open(test: TestContext, env: Readonly<Record<string, string>>) {
  const clock = turnedClock();
  const served = await serveVendor(enphase, clock);
  const world = await makeWorld({ engine: 'sqlite', clock, env: { ...served.env, ...env } });
  test.after(async () => {
    await world.close();
    await served.close();
  });
  const to = (url: string, init: RequestInit = {}) => fetch(url, { redirect: 'manual', ...init });
  return {
    clock,
    async link(user: string): Promise<{ readonly caller: Caller; readonly linked: Answer }> {
      const caller = await world.newAccount(undefined, 'pro');
      const page = (await to(`${world.connect}/oauth/enphase/authorize`)).headers.get('location') ?? '';
      const body = new URLSearchParams({ username: user, password: served.vendor.user.password });
      const back = (await to(page, { method: 'POST', body })).headers.get('location') ?? '';
      const { link_code } = (await (await to(back)).json()) as { link_code: string };
      const credentials = { link_code };
      const linked = await caller.call('POST', '/link', { vendor: 'enphase', user_ref: user, credentials });
      return { caller, linked };
    },
  };
}

interface Budget {
  readonly name: string;
  readonly of: string;
  readonly amount: number;
  readonly remaining: number;
}
const budgetOf = async (caller: Caller) =>
  (await caller.call('GET', '/vendors/enphase/budget')).body as unknown as Budget[];

describe('the plan at Enphase', () => {
  it('the plan at Enphase sets how often systems are read: three calls for a home with a battery', () => {
    const hours = (plan: string, links: number) => Math.round((10 * secondsBetween(plan, links)) / HOUR) / 10;
    assert.deepEqual([hours('watt', 1), hours('watt', 10)], [2.9, 29.4]);
    assert.deepEqual([hours('kilowatt', 10), hours('megawatt', 100), hours('partner', 1_000)], [0.6, 1, 2]);
  });

  it('the plan at Enphase is shared by links, however many systems one of them has', () => {
    const [small, large] = [HOME, Array.from({ length: 500 }, () => 'solar_inverter' as const)];
    const callsAnHour = (ofLink: typeof small | typeof large, each: number) =>
      (each * HOUR) / secondsBetween('kilowatt', 2, ofLink);
    assert.equal(Math.round(callsAnHour(small, 3)), Math.round(callsAnHour(large, 1_000)));
  });

  it('the plan at Enphase is the one that the operator names', async (test) => {
    const { link } = await open(test, { ELNAV_ENPHASE_PLAN: 'megawatt' });
    const { caller } = await link('home');
    const limits = (await budgetOf(caller)).filter(({ of }) => of === 'app');
    assert.deepEqual(
      limits.map(({ name, amount }) => [name, amount]),
      [
        ['app_minute', 100],
        ['app_month', 300_000],
      ],
    );
  });

  it('the plan at Enphase is Watt unless it is named, which two users can link and read with in a minute', async (test) => {
    const { clock, link } = await open(test, {});
    const { caller, linked } = await link('home');
    assert.equal(linked.status, 200, JSON.stringify(linked.body));
    const { devices } = linked.body as { devices: { id: string }[] };
    assert.deepEqual(devices.map(({ id }) => id).toSorted(), ['698906018', '698906018-battery', '698910067']);
    const other = await link('cabin');
    assert.equal(other.linked.status, 200, JSON.stringify(other.linked.body));
    clock.turn(120_000);
    const read = await caller.call('GET', '/devices/698906018-battery');
    assert.equal(read.status, 200, JSON.stringify(read.body));
    const month = (await budgetOf(caller)).filter(({ name }) => name === 'app_month');
    assert.deepEqual(
      month.map(({ of, amount }) => [of, amount]),
      [
        ['app', 1_000],
        ['link', 1_000],
      ],
    );
    const [ofAll, ofLink] = month.map(({ remaining }) => remaining);
    assert.ok((ofLink ?? 0) > 0.75 * (ofAll ?? 0) && (ofLink ?? 0) < 0.85 * (ofAll ?? 0), 'four fifths');
  });
});
