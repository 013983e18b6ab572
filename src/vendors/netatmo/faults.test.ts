import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { kindOf } from '../../adapter/derive.ts';
import { failureOfStatus } from '../../adapter/http.ts';
import { send } from '../../adapter/send.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import { vendorFailure } from '../../adapter/vendor-failure.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { isTokenRefused, failure as netatmoFailure } from './failure.ts';
import { netatmo } from './index.ts';
import { makeWorld, recorded, type World } from './test-world.ts';

const kind = kindOf(netatmo, 'thermostat');
const errors = recorded('errors') as Record<string, JsonObject>;

async function failureOf(work: Promise<unknown>): Promise<AppError> {
  const error: unknown = await work.then(
    () => assert.fail('it did not fail'),
    (cause: unknown) => cause,
  );
  assert.ok(error instanceof AppError, inspect(error));
  return error;
}

const turnOff = (here: World, device: DeviceRef) => send(kind, here.session(), device, { type: 'turn_off' });

describe('netatmo limits', () => {
  it('keep the link, and the calls succeed again after the window', async () => {
    const here = await makeWorld();
    const room = await here.room('Living');
    const renewals = here.renewals;
    const calls = Array.from({ length: 60 }, () =>
      here.state(room).then(
        () => 'read',
        (error) => error.code,
      ),
    );
    const told = await Promise.all(calls);
    assert.equal(told.filter((outcome) => outcome === 'vendor.rate_limited').length, 11);
    assert.equal(here.renewals, renewals);
    await here.pass(11);
    assert.equal((await here.state(room)).online, true);
  });
});

describe('netatmo tokens', () => {
  it('that are refused in the middle of a command are renewed and the command is sent again', async () => {
    const here = await makeWorld();
    const room = await here.room('Living');
    here.instead = ({ path }) => {
      if (path !== '/api/setroomthermpoint') return undefined;
      here.instead = undefined;
      return { status: 401, json: { error: { code: 2, message: 'Invalid access token' } } };
    };
    await turnOff(here, room);
    assert.equal(here.renewals, 1);
    assert.equal((await here.state(room)).power_on, false);
  });

  it('are understood as recorded', async () => {
    const here = await makeWorld();
    const room = await here.room('Living');
    here.simulator.expireTokens();
    here.instead = ({ path }) =>
      path === '/oauth2/token' ? { status: 200, json: recorded('token') } : undefined;
    // The simulator does not know the token that was recorded.
    assert.equal((await failureOf(here.state(room))).code, 'vendor.unreachable');
    assert.deepEqual(here.tokens, {
      access: '000000000000000000000a01|access',
      refresh: '000000000000000000000a01|refresh',
      expiresAt: here.clock.now() + 10_800_000,
    });
  });

  it('are refused by codes 2 and 3, not by quotas, scopes or mere words', () => {
    const refused = (status: number, body: unknown) =>
      isTokenRefused({ status, body: typeof body === 'string' ? body : JSON.stringify(body) });
    for (const code of [2, 3])
      for (const status of [401, 403]) assert.equal(refused(status, { error: { code, message: 'm' } }), true);
    for (const code of [1, 11, 13, 21, 26, '2', null, [2]])
      for (const status of [401, 403, 429])
        assert.equal(refused(status, { error: { code, message: 'access token expired (3)' } }), false);
    assert.equal(refused(401, ''), true);
    assert.equal(refused(401, '<html>'), true);
    for (const body of ['', '<html>', 'null', '[]', '{"error":', '3', { error: 'invalid_grant' }])
      assert.equal(refused(403, body), false);
    assert.equal(refused(200, { error: { code: 3 } }), false);
    assert.equal(refused(400, { error: { code: 3 } }), false);
  });
});

describe("netatmo's refusals", () => {
  const failure = (status: number, body: unknown, retryAfterSeconds?: number) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const cause = failureOfStatus('it', { status, body: text, retryAfterSeconds });
    return netatmoFailure(cause) ?? vendorFailure('Netatmo', cause);
  };

  it('of a refresh token cost the link, as recorded', async () => {
    const here = await makeWorld();
    const room = await here.room('Living');
    here.simulator.expireTokens();
    here.instead = ({ path }) =>
      path === '/oauth2/token' ? { status: 400, json: errors.invalid_grant ?? {} } : undefined;
    assert.equal((await failureOf(here.state(room))).code, 'vendor.login_expired');
    for (const status of [429, 500, 503]) {
      here.instead = ({ path }) =>
        path === '/oauth2/token' ? { status, json: { error: 'busy' } } : undefined;
      assert.notEqual((await failureOf(here.state(room))).code, 'vendor.login_expired');
    }
    here.instead = undefined;
    assert.equal((await here.state(room)).online, true);
  });

  it('are told apart as recorded', () => {
    for (const [name, status, code] of [
      ['scope', 403, 'vendor.refused'],
      ['invalid_id', 400, 'vendor.refused'],
      ['missing_home_id', 400, 'vendor.refused'],
      ['mode_not_authorized', 400, 'vendor.refused'],
      ['mode_is_missing', 400, 'vendor.refused'],
      ['too_many_connections', 403, 'vendor.rate_limited'],
      ['concurrency', 429, 'vendor.rate_limited'],
      ['concurrency', 403, 'vendor.rate_limited'],
    ] as const)
      assert.equal(failure(status, errors[name]).code, code, name);
  });

  it('say what the user must do when a scope is missing', () => {
    assert.match(failure(403, errors.scope).message, /link it again and permit both reading and controlling/);
  });

  it('are quotas by code 26 and by status 429, with the delay that was asked for', () => {
    const quota = failure(403, { error: { code: 26, message: 'User usage reached' } }, 42);
    assert.deepEqual([quota.code, quota.retryAfterSeconds], ['vendor.rate_limited', 42]);
    const bare = failure(429, '', 7);
    assert.deepEqual([bare.code, bare.retryAfterSeconds], ['vendor.rate_limited', 7]);
  });

  it('repeat nothing of the body', () => {
    for (const code of [13, 21, 9, 26, 4_711, 'canary-code'])
      for (const status of [400, 403, 404, 429, 500]) {
        const error = failure(status, { error: { code, message: 'canary-in-the-body' } });
        assert.equal(/canary/.test(inspect(error, { depth: 9, showHidden: true })), false);
      }
  });

  it('come as they are when a scope was not granted', async () => {
    const here = await makeWorld();
    const room = await here.room('Living');
    here.instead = () => ({ status: 403, json: errors.scope ?? {} });
    const error = await failureOf(turnOff(here, room));
    assert.equal(error.code, 'vendor.refused');
    assert.equal(here.renewals, 0);
  });
});
