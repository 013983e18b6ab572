import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpFailure } from '../../../adapter/http.ts';
import type { Login, LoginSession, OAuth, Tokens } from '../../../adapter/login.ts';
import { tokensIn } from '../../../adapter/tokens.ts';
import { turnedClock } from '../../../core/clock.ts';
import { AppError, type ErrorCodeName } from '../../../core/errors.ts';
import type { Json } from '../../../core/json.ts';
import { refreshGrant, renewTokens } from './refresh-grant.ts';

const oauth: OAuth = {
  authorizeUrl: 'https://id.vendor.example/authorize',
  tokenUrl: 'https://id.vendor.example/token',
  scopes: [],
  pkce: true,
  clientAuthentication: 'body',
  lostLoginErrors: ['login_required'],
};
const OLD: Tokens = { access: 'a', refresh: 'r', expiresAt: 0, extra: { region: 'eu' } };
const clock = turnedClock();

const refreshed = (send: LoginSession['http']['send']) =>
  refreshGrant(
    { slug: 'vendor', name: 'Vendor', oauth },
    { http: { send }, clock, partner: { clientId: 'id', clientSecret: 'secret' } },
    OLD,
  );
const failing = (status: number, body: Json) =>
  refreshed(() => {
    const kind = status === 429 ? 'rate_limited' : status >= 500 ? 'server_error' : 'refused';
    return Promise.reject(new HttpFailure(kind, 'no', { status, body: JSON.stringify(body) }));
  });

describe('the refresh grant', () => {
  it('the refresh grant loses the login only where the vendor says that the grant is lost', async () => {
    for (const error of ['invalid_grant', 'login_required'])
      for (const status of [400, 401, 403])
        await assert.rejects(failing(status, { error }), { code: 'vendor.login_expired' });
    for (const status of [429, 500, 503])
      await assert.rejects(failing(status, { error: 'invalid_grant' }), { name: 'HttpFailure', status });
    for (const body of [
      { error: 'invalid_request' },
      { error: 'invalid_request', error_description: 'invalid_grant' },
      { error: { code: 'invalid_grant' } },
      ['invalid_grant'],
      null,
    ])
      await assert.rejects(failing(400, body), { name: 'HttpFailure', status: 400 });
  });

  it('the refresh grant names the operator where the vendor does not know the client: the user can do nothing', async () => {
    for (const [status, error] of [
      [401, 'invalid_client'],
      [400, 'invalid_client'],
      [400, 'unauthorized_client'],
    ] as const)
      await assert.rejects(failing(status, { error }), {
        code: 'oauth.not_configured',
        message: /the operator must check ELNAV_VENDOR_CLIENT_ID and ELNAV_VENDOR_CLIENT_SECRET/,
      });
  });
});

describe('a token answer', () => {
  const read = (told: Json) => tokensIn('Vendor', told, { now: 1_000, before: OLD });

  it('a token answer keeps what the vendor does not say', () => {
    assert.deepEqual(read({ access_token: 'b', expires_in: 60 }), {
      access: 'b',
      refresh: 'r',
      expiresAt: 61_000,
      extra: { region: 'eu' },
    });
  });

  it('a token answer has an end that can be stored, whatever the vendor says', () => {
    for (const expires_in of [59.123456, 1e300, '86400', -1, 0, 'soon', null, {}]) {
      const { expiresAt } = read({ access_token: 'b', expires_in });
      assert.ok(Number.isSafeInteger(expiresAt) && expiresAt > 1_000, `${expires_in}: ${expiresAt}`);
    }
  });

  it('a token answer without a token that a header can carry is none', () => {
    for (const access_token of ['', null, 7, 'a\r\nx-injected: 1', 'a\0', 'å'])
      assert.throws(() => read({ access_token }), { code: 'vendor.answer_invalid' });
    for (const told of [null, [], 'text', 7])
      assert.throws(() => read(told), { code: 'vendor.answer_invalid' });
  });
});

const EXPIRED: Tokens = { access: 'a', refresh: 'r', expiresAt: 0 };
const NEW: Tokens = { access: 'b', refresh: 's', expiresAt: 1 };

const session: LoginSession = {
  http: { send: () => Promise.reject(new Error('no call is expected')) },
  clock: turnedClock(),
  partner: undefined,
};

const renew = (login: Login, tokens = EXPIRED) =>
  renewTokens(tokens, {
    adapter: { name: 'Vendor', login },
    session,
    credentials: {},
    refreshGrant: undefined,
  });

const fails = (code: ErrorCodeName) => () => Promise.reject(new AppError(code, 'no'));
const signsIn = async () => NEW;

describe('renewing tokens', () => {
  it('renewing tokens signs in again only where the refresh is lost, or there is none', async () => {
    assert.equal(await renew({ signIn: signsIn, refresh: fails('vendor.login_expired') }), NEW);
    assert.equal(await renew({ signIn: signsIn }, { ...EXPIRED, refresh: null }), NEW);
    for (const code of ['vendor.unreachable', 'vendor.rate_limited'] as const)
      await assert.rejects(renew({ signIn: signsIn, refresh: fails(code) }), { code });
  });

  it('renewing tokens gives a sign-in the tokens that have ended, for what they have besides', async () => {
    const old = { ...EXPIRED, refresh: null, extra: { user: 'anna' } };
    const keeps: Login = {
      signIn: async (_session, _given, before) => ({ ...NEW, extra: before?.extra ?? {} }),
    };
    assert.deepEqual((await renew(keeps, old)).extra, { user: 'anna' });
  });

  it('renewing tokens makes a lost login of credentials that are refused by now, and of nothing else', async () => {
    const again = (code: ErrorCodeName) =>
      renew({ signIn: fails(code), refresh: fails('vendor.login_expired') });
    await assert.rejects(again('link.credentials_refused'), {
      code: 'vendor.login_expired',
      message:
        'Vendor no longer accepts the sign-in that the account was linked with; link the account again',
    });
    for (const code of ['vendor.unreachable', 'vendor.rate_limited', 'vendor.refused'] as const)
      await assert.rejects(again(code), { code });
    await assert.rejects(renew({ refresh: fails('vendor.login_expired') }), { code: 'vendor.login_expired' });
  });
});
