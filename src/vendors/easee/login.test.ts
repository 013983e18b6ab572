import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Compile } from 'typebox/compile';
import { type HttpAnswer, HttpFailure } from '../../adapter/http.ts';
import type { LoginSession, Tokens } from '../../adapter/login.ts';
import { turnedClock } from '../../core/clock.ts';
import type { Json } from '../../core/json.ts';
import { easee } from './index.ts';
import { makeWorld } from './test-world.ts';

const CREDENTIALS = { username: 'Some.One@Example.com', password: 'canary-password' };
const OLD: Tokens = { access: 'canary-access', refresh: 'canary-refresh', expiresAt: 0 };

const recordedToken = JSON.parse(
  readFileSync(new URL('recorded/token.json', import.meta.url), 'utf8'),
) as Json;

/** A session whose every call is answered so. */
function answering(json: Json): LoginSession & { readonly sent: Json[] } {
  const sent: Json[] = [];
  const answer: HttpAnswer = {
    status: 200,
    headers: {},
    bytes: new Uint8Array(),
    text: () => JSON.stringify(json),
    json: () => json,
  };
  return {
    clock: turnedClock(0),
    partner: undefined,
    sent,
    http: {
      send: async (request) => {
        sent.push(request.json ?? null);
        return answer;
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
    const session = answering(recordedToken);
    await easee.login.signIn(session, { username: '+46 70 123', password: 'p' });
    assert.deepEqual(session.sent, [{ userName: '+4670123', password: 'p' }]);
  });

  it('understands the recorded answer', async () => {
    const tokens = await easee.login.signIn(answering(recordedToken), CREDENTIALS);
    assert.deepEqual(tokens, { access: 'a.b.c', refresh: 'refresh-1', expiresAt: 3_600_000 });
  });

  it('sends both tokens to get new ones', async () => {
    const session = answering(recordedToken);
    assert.equal((await easee.login.refresh(session, OLD)).refresh, 'refresh-1');
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
      [429, '', 'vendor.rate_limited'],
      [503, '', 'vendor.unreachable'],
    ];
    for (const [status, body, code] of cases)
      await assert.rejects(
        easee.login.signIn(failing(status, body), CREDENTIALS),
        { code },
        `${status} ${body}`,
      );
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
      await assert.rejects(easee.login.refresh(failing(status, ''), OLD), { code }, String(status));
  });

  it('does not take any answer for tokens', async () => {
    const strange: Json[] = [
      null,
      [],
      'x',
      {},
      { accessToken: '' },
      { accessToken: 5 },
      { refreshToken: 'r' },
    ];
    for (const one of strange)
      await assert.rejects(easee.login.signIn(answering(one), CREDENTIALS), {
        code: 'vendor.answer_invalid',
      });
    const short = { accessToken: 'a', expiresIn: -1 };
    assert.deepEqual(await easee.login.signIn(answering(short), CREDENTIALS), {
      access: 'a',
      refresh: null,
      expiresAt: 3_600_000,
    });
  });
});

describe('tokens of Easee', () => {
  it('are renewed once for many calls when they expire, by the clock or at the vendor', async () => {
    const world = await makeWorld();
    const ref = world.ref('EH000001');
    const readMany = () => Promise.all(Array.from({ length: 8 }, () => world.state(ref)));
    world.clock.turn(3_600_000);
    await readMany();
    assert.equal(world.renewals, 1);
    await readMany();
    assert.equal(world.renewals, 1, 'a good token is kept');
    world.easee.expireTokens();
    await readMany();
    assert.equal(world.renewals, 2);
    assert.equal(world.asked.filter((call) => call.endsWith('/login')).length, 1, 'never by the password');
  });

  it('are asked for with the password when the refresh token is good no more', async () => {
    const world = await makeWorld();
    world.easee.fault('token_refused');
    await world.state(world.ref('EH000001'));
    assert.deepEqual(world.asked.slice(-4), [
      'GET /state/EH000001/observations',
      'POST /api/accounts/refresh_token',
      'POST /api/accounts/login',
      'GET /state/EH000001/observations',
    ]);
  });

  it('are lost when the password is refused as well', async () => {
    const world = await makeWorld();
    world.easee.fault('login_lost');
    await assert.rejects(world.state(world.ref('EH000001')), { code: 'vendor.login_expired' });
    await assert.rejects(world.signIn(), { code: 'link.credentials_refused' });
    world.easee.fault(null);
    await world.signIn();
    assert.equal((await world.state(world.ref('EH000001'))).online, true);
  });

  it('are not lost when the address is blocked', async () => {
    const world = await makeWorld();
    const ref = world.ref('EH000001');
    world.easee.blockAddress(true);
    world.clock.turn(7_200_000);
    for (const call of [world.state(ref), easee.link(world.session()), world.signIn()])
      await assert.rejects(call, { code: 'vendor.rate_limited', retryAfterSeconds: 900 });
    world.easee.blockAddress(false);
    assert.equal((await world.state(ref)).online, true);
  });
});
