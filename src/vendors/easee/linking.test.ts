import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Compile } from 'typebox/compile';
import { recordedIn } from '../../../test/kit/vendor-world.ts';
import type { SimulatedAnswer } from '../../adapter/simulator.ts';
import type { Json } from '../../core/json.ts';
import { easee } from './index.ts';
import { makeWorld, refTo } from './test-world.ts';

const recorded = recordedIn(import.meta.dirname);

/** Easee that answers so at this path, and what it was sent there. */
async function answering(path: string, answer: SimulatedAnswer) {
  const world = await makeWorld();
  const sent: Json[] = [];
  world.instead = (request) => {
    if (request.path !== path) return undefined;
    sent.push(JSON.parse(Buffer.from(request.body).toString() || 'null'));
    return answer;
  };
  return { world, sent };
}

const LOGIN = '/api/accounts/login';
const REFRESH = '/api/accounts/refresh_token';
const TOKENS = { access: 'a.b.c', refresh: 'refresh-1', expiresAt: 0 };

describe('signing in', () => {
  it('signing in takes e-mail addresses and telephone numbers, without their spaces', async () => {
    const check = Compile(easee.credentials);
    const takes = (username: string) => check.Check({ username, password: 'x' });
    for (const right of ['a@b.se', '+4790000001', '+46 70 123 45 67'])
      assert.equal(takes(right), true, right);
    for (const wrong of ['', 'a', 'a b@c.se', '0701234567', '+', 'a@b@c']) assert.equal(takes(wrong), false);
    const { world, sent } = await answering(LOGIN, { status: 200, json: recorded('token') });
    const tokens = await easee.login.signIn?.(world.loginSession(), {
      username: '+46 70 123',
      password: 'p',
    });
    assert.deepEqual(sent, [{ userName: '+4670123', password: 'p' }]);
    assert.deepEqual(tokens, { ...TOKENS, expiresAt: world.clock.now() + 3_600_000 });
  });

  it('signing in sends both tokens to get new ones', async () => {
    const { world, sent } = await answering(REFRESH, { status: 200, json: recorded('token') });
    const old = { access: 'old', refresh: 'older', expiresAt: 0 };
    assert.equal((await easee.login.refresh?.(world.loginSession(), old, {}))?.refresh, 'refresh-1');
    assert.deepEqual(sent, [{ accessToken: 'old', refreshToken: 'older' }]);
  });

  it('signing in tells wrong credentials and a lost sign-in from trouble', async () => {
    const cases: readonly [string, number, string, string][] = [
      [LOGIN, 400, '{"errorCode":100,"errorCodeName":"InvalidUserPassword"}', 'link.credentials_refused'],
      [LOGIN, 400, '{"errorCode":727}', 'link.credentials_refused'],
      [LOGIN, 400, 'Username or password is invalid', 'link.credentials_refused'],
      [LOGIN, 401, '', 'link.credentials_refused'],
      [LOGIN, 400, '{"errorCode":999}', 'vendor.refused'],
      [LOGIN, 400, 'Bad gateway configuration', 'vendor.refused'],
      [REFRESH, 400, '', 'vendor.login_expired'],
      [REFRESH, 401, '', 'vendor.login_expired'],
      [REFRESH, 403, '', 'vendor.rate_limited'],
      [REFRESH, 404, '', 'vendor.refused'],
      [REFRESH, 500, '', 'vendor.unreachable'],
    ];
    for (const [path, status, text, code] of cases) {
      const { world } = await answering(path, { status, text });
      const session = world.loginSession();
      const call =
        path === LOGIN
          ? easee.login.signIn?.(session, world.credentials)
          : easee.login.refresh?.(session, TOKENS, world.credentials);
      await assert.rejects(Promise.resolve(call), { code }, `${path} ${status} ${text}`);
    }
  });

  it('signing in is tried again with the password when the refresh token is no longer valid', async () => {
    const world = await makeWorld();
    world.easee.revoke();
    await world.state(refTo());
    assert.deepEqual(world.asked.slice(-4, -1), [
      'GET /state/EH000001/observations',
      `POST ${REFRESH}`,
      `POST ${LOGIN}`,
    ]);
  });

  it('signing in says when to come back while the gateway blocks our address', async () => {
    const world = await makeWorld();
    world.cloud.fault('forbidden');
    await assert.rejects(world.state(refTo()), { code: 'vendor.rate_limited', retryAfterSeconds: 900 });
  });
});

describe('the chargers of an account', () => {
  const { withholds } = easee.kinds.charger;

  async function linked(json: Json) {
    const { world } = await answering('/api/accounts/products', { status: 200, json });
    return (await world.link()).devices;
  }

  it('the chargers of an account are found with their places, as recorded', async () => {
    const shared = { site: 55_001, circuit: 66_002, rated_a: 32, alone: false };
    const alone = { site: 55_001, circuit: 66_001, rated_a: 16, alone: true };
    const found = await linked(recorded('products'));
    assert.deepEqual(found, [
      { id: 'EH100001', type: 'charger', name: 'Garage', details: alone },
      { id: 'EH100002', type: 'charger', details: shared },
      { id: 'EH100003', type: 'charger', name: 'Right', details: shared },
    ]);
    assert.deepEqual(
      found.map((one) => withholds?.(one)),
      [[], ['load_balancing'], ['load_balancing']],
    );
  });

  it('the chargers of an account are one account by its name, however it is written', async () => {
    const world = await makeWorld();
    const credentials = { username: ' Some.One@Example.com', password: 'p' };
    const { vendorAccount } = await easee.link({ ...world.session(), credentials });
    assert.equal(vendorAccount, 'some.one@example.com');
  });

  it('the chargers of an account have no load balancing where their place is not known, or one beside them cannot be read', async () => {
    const found = await linked([
      { id: 'x', circuits: [{ id: 2, chargers: [{ id: 'EH1' }] }] },
      { id: 1, circuits: [{ id: null, chargers: [{ id: 'EH2' }] }] },
      { id: 1, circuits: [{ id: 2, chargers: [{ id: 'EH3' }, { id: { odd: true } }] }] },
      { id: 1, circuits: [null, { id: 3, chargers: 'x' }, { id: 3, chargers: [{ id: '../etc' }] }] },
      { id: 1, circuits: [{ id: 3, chargers: [{ id: 'EH4' }] }] },
    ]);
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
});
