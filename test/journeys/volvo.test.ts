import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { SimulatedAnswer } from '../../src/adapter/simulator.ts';
import { turnedClock } from '../../src/core/clock.ts';
import { volvo } from '../../src/vendors/volvo/index.ts';
import { serveVendor } from '../kit/served-vendor.ts';
import { makeWorld } from '../kit/world.ts';

/** The service with Volvo's simulator over real sockets; `instead` answers calls of the API in its place. */
async function open(test: TestContext, env: Readonly<Record<string, string>> = {}) {
  const clock = turnedClock();
  const served = await serveVendor(volvo, clock);
  const world = await makeWorld({ engine: 'sqlite', clock, env: { ...served.env, ...env } });
  test.after(async () => {
    await world.close();
    await served.close();
  });
  const instead: { answer: SimulatedAnswer | undefined } = { answer: undefined };
  const { handle } = served.vendor;
  served.vendor.handle = async (request) =>
    (request.path.startsWith('/as/') ? undefined : instead.answer) ?? handle(request);
  const caller = await world.newAccount();
  const to = (url: string, init: RequestInit = {}) => fetch(url, { redirect: 'manual', ...init });
  const page = (await to(`${world.connect}/oauth/volvo/authorize`)).headers.get('location') ?? '';
  const body = new URLSearchParams({ username: 'home', password: served.vendor.user.password });
  const back = (await to(page, { method: 'POST', body })).headers.get('location') ?? '';
  const { link_code } = (await (await to(back)).json()) as { link_code: string };
  const credentials = { link_code };
  const linked = await caller.call('POST', '/link', { vendor: 'volvo', user_ref: 'anna', credentials });
  return { clock, served, caller, instead, linked };
}

const errorOf = ({ headers }: { readonly headers: Headers }) => headers.get('elnav-error');

describe('volvo', () => {
  it('volvo is linked with PKCE and HTTP Basic, and read with the API key, over renewed tokens', async (test) => {
    const { clock, served, caller, linked } = await open(test);
    assert.equal(linked.status, 200, JSON.stringify(linked.body));
    const { devices } = linked.body as { devices: { id: string }[] };
    assert.equal(devices.length, 3, 'the diesel is left out');
    clock.turn(300_000);
    const { status, body } = await caller.call('GET', `/devices/${devices[0]?.id}`);
    assert.equal(status, 200, JSON.stringify(body));
    const { state } = body as { state: { battery_soc: number; charging: boolean } };
    assert.ok(state.charging && state.battery_soc >= 50);
    assert.ok(served.asked.filter((call) => call === 'POST /as/token.oauth2').length >= 2);
  });

  it('volvo keeps its link where the quota of a day is used up, and calls no more until it is there again', async (test) => {
    const { clock, served, caller, linked, instead } = await open(test);
    const { devices } = linked.body as { devices: { id: string }[] };
    const read = () => caller.call('GET', `/devices/${devices[0]?.id}`);
    clock.turn(300_000);
    const message = 'Out of call volume quota. Quota will be replenished in 01:00:00.';
    instead.answer = { status: 403, json: { statusCode: 403, message } };
    const first = await read();
    assert.deepEqual([first.status, errorOf(first)], [502, 'vendor.rate_limited']);
    assert.ok(Number(first.headers.get('retry-after')) > 3_000);
    instead.answer = undefined;
    const calls = () => served.asked.filter((call) => !call.includes(' /as/')).length;
    const before = calls();
    clock.turn(3_000_000);
    assert.equal(errorOf(await read()), 'vendor.rate_limited');
    assert.equal(calls(), before, 'nothing is sent but the renewal of tokens');
    const links = (await caller.call('GET', '/links')).body as { status: string }[];
    assert.deepEqual(
      links.map(({ status }) => status),
      ['active'],
    );
    clock.turn(600_000);
    assert.equal((await read()).status, 200);
  });

  it('volvo says to the operator that the API key is wrong', async (test) => {
    const { linked } = await open(test, { ELNAV_VOLVO_API_KEY: 'another' });
    assert.deepEqual([linked.status, errorOf(linked)], [502, 'oauth.not_configured']);
    assert.match(JSON.stringify(linked.body), /ELNAV_VOLVO_API_KEY/);
  });
});
