import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Compile } from 'typebox/compile';
import { type HttpAnswer, HttpFailure } from '../../adapter/http.ts';
import type { LoginSession, Tokens } from '../../adapter/login.ts';
import { turnedClock } from '../../core/clock.ts';
import type { Json } from '../../core/json.ts';
import { refresh } from './client.ts';
import { easee } from './index.ts';
import { makeWorld } from './test-world.ts';

const CREDENTIALS = { username: 'Some.One@Example.com', password: 'canary-password' };
const OLD: Tokens = { access: 'canary-access', refresh: 'canary-refresh', expiresAt: 0 };
const signIn: NonNullable<typeof easee.login.signIn> = (...args) => {
  assert.ok(easee.login.signIn !== undefined);
  return easee.login.signIn(...args);
};

const recorded = (name: string) =>
  JSON.parse(readFileSync(new URL(`recorded/${name}.json`, import.meta.url), 'utf8')) as Json;

const answer = (json: Json): HttpAnswer => ({
  status: 200,
  headers: {},
  bytes: new Uint8Array(),
  text: () => JSON.stringify(json),
  json: () => json,
});

/** A session whose every call is answered so. */
function answering(json: Json): LoginSession & { readonly sent: Json[] } {
  const sent: Json[] = [];
  return {
    clock: turnedClock(0),
    partner: undefined,
    sent,
    http: {
      send: async (request) => {
        sent.push(request.json ?? null);
        return answer(json);
      },
    },
  };
}

function failing(status: number, body: string): LoginSession {
  const kind = status === 429 ? 'rate_limited' : status >= 500 ? 'server_error' : 'refused';
  const failure = new HttpFailure(kind, `it answered ${status}`, { status, body });
  return { clock: turnedClock(0), partner: undefined, http: { send: () => Promise.reject(failure) } };
}

describe('signing in at Easee', () => {
  it('takes e-mail addresses and telephone numbers', async () => {
    const check = Compile(easee.credentials);
    const takes = (username: string) => check.Check({ username, password: 'x' });
    for (const right of ['a@b.se', '+4790000001', '+46 70 123 45 67'])
      assert.equal(takes(right), true, right);
    for (const wrong of ['', 'a', 'a b@c.se', '0701234567', '+', 'a@b@c']) assert.equal(takes(wrong), false);
    const session = answering(recorded('token'));
    await signIn(session, { username: '+46 70 123', password: 'p' });
    assert.deepEqual(session.sent, [{ userName: '+4670123', password: 'p' }]);
  });

  it('understands the recorded response, and sends both tokens to get new ones', async () => {
    const tokens = await signIn(answering(recorded('token')), CREDENTIALS);
    assert.deepEqual(tokens, { access: 'a.b.c', refresh: 'refresh-1', expiresAt: 3_600_000 });
    const session = answering(recorded('token'));
    assert.equal((await refresh(session, OLD)).refresh, 'refresh-1');
    assert.deepEqual(session.sent, [{ accessToken: 'canary-access', refreshToken: 'canary-refresh' }]);
  });

  it('tells wrong credentials from trouble', async () => {
    const cases: [number, string, string][] = [
      [400, '{"errorCode":100,"errorCodeName":"InvalidUserPassword"}', 'link.credentials_refused'],
      [400, '{"errorCode":727}', 'link.credentials_refused'],
      [400, 'Username or password is invalid', 'link.credentials_refused'],
      [401, '', 'link.credentials_refused'],
      [400, '{"errorCode":999}', 'vendor.refused'],
      [400, 'Bad gateway configuration', 'vendor.refused'],
      [403, '{"message":"Forbidden"}', 'vendor.rate_limited'],
      [503, '', 'vendor.unreachable'],
    ];
    for (const [status, body, code] of cases)
      await assert.rejects(signIn(failing(status, body), CREDENTIALS), { code }, `${status} ${body}`);
  });

  it('takes a refresh for lost at 400 and 401 alone', async () => {
    const cases: [number, string][] = [
      [400, 'vendor.login_expired'],
      [401, 'vendor.login_expired'],
      [403, 'vendor.rate_limited'],
      [404, 'vendor.refused'],
      [429, 'vendor.rate_limited'],
      [500, 'vendor.unreachable'],
    ];
    for (const [status, code] of cases)
      await assert.rejects(refresh(failing(status, ''), OLD), { code }, String(status));
  });

  it('does not take any response for tokens', async () => {
    const strange: Json[] = [null, [], 'x', {}, { accessToken: 5 }, { refreshToken: 'r' }];
    for (const one of strange)
      await assert.rejects(signIn(answering(one), CREDENTIALS), { code: 'vendor.answer_invalid' });
  });

  it('signs in with the password when the refresh token is good no more', async () => {
    const world = await makeWorld();
    world.easee.revoke();
    await world.state(world.ref('EH000001'));
    assert.deepEqual(world.asked.slice(-4), [
      'GET /state/EH000001/observations',
      'POST /api/accounts/refresh_token',
      'POST /api/accounts/login',
      'GET /state/EH000001/observations',
    ]);
  });

  it('is not lost while the address is blocked, which is no refusal', async () => {
    const world = await makeWorld();
    const ref = world.ref('EH000001');
    world.cloud.fault('forbidden');
    for (const call of [world.state(ref), easee.link(world.session())])
      await assert.rejects(call, { code: 'vendor.rate_limited', retryAfterSeconds: 900 });
    world.cloud.fault(null);
    assert.equal((await world.state(ref)).online, true);
  });
});

describe('the chargers of an Easee account', () => {
  it('are found with their places', async () => {
    const world = await makeWorld();
    const { vendorAccount, devices } = await easee.link(world.session());
    assert.equal(vendorAccount, 'home@easee.simulated');
    assert.deepEqual(
      devices.map(({ id, details }) => [id, details?.rated_a, details?.alone]),
      [
        ['EH000001', 20, true],
        ['EH000002', 32, false],
        ['EH000003', 32, false],
        ['EC000004', 25, true],
        ['EC000005', 16, true],
      ],
    );
  });

  /** What linking finds in a response. */
  async function linked(json: Json) {
    const world = await makeWorld();
    return (await easee.link({ ...world.session(), http: { send: async () => answer(json) } })).devices;
  }
  const garage = {
    id: 'EH100001',
    type: 'charger',
    name: 'Garage',
    details: { site: 55_001, circuit: 66_001, rated_a: 16, alone: true },
  };
  const shared = { site: 55_001, circuit: 66_002, rated_a: 32, alone: false };

  it('are read from the recorded response', async () => {
    assert.deepEqual(await linked(recorded('products')), [
      garage,
      { id: 'EH100002', type: 'charger', details: shared },
      { id: 'EH100003', type: 'charger', name: 'Right', details: shared },
    ]);
    for (const wrong of [null, {}, 'x'] as Json[])
      await assert.rejects(linked(wrong), { code: 'vendor.answer_invalid' });
  });

  it('are judged one by one: what cannot be read costs the others nothing', async () => {
    const good = { id: 1, circuits: [{ id: 2, ratedCurrent: 16, chargers: [{ id: 'EH1', name: 'A' }] }] };
    const odd: Json[] = [
      null,
      7,
      [],
      {},
      { id: 1, circuits: 5 },
      { id: 1, circuits: [null, { id: 3, chargers: 'x' }] },
      { id: 1, circuits: [{ id: 2, chargers: [{ id: '../etc' }, { name: 'x' }, null, 5] }] },
    ];
    const ids = (await linked([...odd, good])).map(({ id }) => id);
    assert.deepEqual(ids, ['EH1']);
  });

  it('have no load balancing where their place is not known, or one beside them cannot be read', async () => {
    const found = await linked([
      { id: 'x', circuits: [{ id: 2, chargers: [{ id: 'EH1' }] }] },
      { id: 1, circuits: [{ id: null, chargers: [{ id: 'EH2' }] }] },
      { id: 1, circuits: [{ id: 2, chargers: [{ id: 'EH3' }, { id: { odd: true } }] }] },
      { id: 1, circuits: [{ id: 3, chargers: [{ id: 'EH4' }] }] },
    ]);
    const { withholds } = easee.kinds.charger;
    assert.deepEqual(
      found.map((one) => [one.id, withholds?.(one)]),
      [
        ['EH1', ['load_balancing']],
        ['EH2', ['load_balancing']],
        ['EH3', ['load_balancing']],
        ['EH4', []],
      ],
    );
  });

  it('have names that can be stored', async () => {
    const named = (name: Json) => linked([{ id: 1, circuits: [{ id: 2, chargers: [{ id: 'EH1', name }] }] }]);
    assert.equal((await named('x'.repeat(1_000)))[0]?.name?.length, 200);
    assert.equal((await named('\ud800'))[0]?.name, '\ufffd');
    assert.equal((await named(''))[0]?.name, undefined);
  });
});
