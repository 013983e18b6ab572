import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeVendorWorld, refOf } from '../../../test/kit/vendor-world.ts';
import type { Found } from '../../adapter/adapter.ts';
import { enphase } from './index.ts';
import { listenTo } from './test-world.ts';

describe('an account', () => {
  it('is named by the id of its user, and its calls carry token and key', async () => {
    const here = await makeVendorWorld(enphase);
    const calls = listenTo(here);
    assert.equal((await here.link()).vendorAccount, 'uid-home');
    assert.ok(calls.length > 2);
    for (const { headers } of calls) {
      assert.equal(headers.authorization, `Bearer ${here.tokens?.access}`);
      assert.equal(headers.key, 'an-api-key-of-the-tests');
    }
  });

  it('renews its tokens with the client id and secret as Basic, and without the key', async () => {
    const here = await makeVendorWorld(enphase);
    const solar = await here.device('698910067');
    here.cloud.expireTokens();
    const calls = listenTo(here);
    await here.state(solar);
    const [renewal] = calls.filter(({ path }) => path === '/oauth/token');
    assert.match(String(renewal?.headers.authorization), /^Basic /);
    assert.equal(renewal?.headers.key, undefined);
  });

  it('with many systems is asked for four batteries in each list, and what was learnt stays', async () => {
    const here = await makeVendorWorld(enphase, { user: 'large' });
    const { devices } = await here.link();
    const askedIn = (found: readonly Found[]) =>
      found.filter(({ details }) => details?.has_battery !== null).map(({ id }) => id);
    const first = askedIn(devices);
    assert.deepEqual([devices.length, first.length], [500, 4]);
    const next = askedIn(await enphase.list(here.session(), devices.map(refOf)));
    assert.equal(next.length, 8);
    assert.ok(first.every((id) => next.includes(id)));
  });

  it('with many systems that were all asked is asked for others in each list', async () => {
    const here = await makeVendorWorld(enphase, { user: 'large' });
    const { devices } = await here.link();
    const asked = devices
      .slice(0, 13)
      .map((one) => refOf({ ...one, details: { ...one.details, has_battery: false } }));
    const systems = asked.map(({ details }) => ({ system_id: Number(details.system), name: null }));
    const summaries = async () => {
      const calls = listenTo(here, (path) =>
        path.endsWith('/systems') ? { status: 200, json: { total: systems.length, systems } } : undefined,
      );
      await enphase.list(here.session(), asked);
      return calls.filter(({ path }) => path.endsWith('/summary')).map(({ path }) => path);
    };
    const all = new Set<string>();
    for (let list = 0; list < 6; list += 1) {
      for (const path of await summaries()) all.add(path);
      here.clock.turn(7 * 86_400_000);
    }
    assert.equal(all.size, 13);
  });

  it('keeps a battery whose system is refused for once', async () => {
    const here = await makeVendorWorld(enphase);
    const { devices } = await here.link();
    listenTo(here, (path) =>
      path.endsWith('/summary') ? { status: 403, json: { message: 'Forbidden', code: 403 } } : undefined,
    );
    const again = await enphase.list(here.session(), devices.map(refOf));
    assert.deepEqual(again, devices);
    assert.equal(again.length, 3);
  });

  it('is linked within the calls that the smallest plan leaves a link in a minute', async () => {
    const here = await makeVendorWorld(enphase, { user: 'large' });
    const calls = listenTo(here);
    const systems = 5;
    await here.link();
    assert.equal(calls.length - systems, 4, 'pages of 100 besides');
  });
});
