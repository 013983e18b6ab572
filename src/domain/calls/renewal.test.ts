import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Login, LoginSession, Tokens } from '../../adapter/login.ts';
import { turnedClock } from '../../core/clock.ts';
import { AppError, type ErrorCodeName } from '../../core/errors.ts';
import { renewTokens } from './renewal.ts';

const OLD: Tokens = { access: 'a', refresh: 'r', expiresAt: 0 };
const NEW: Tokens = { access: 'b', refresh: 's', expiresAt: 1 };

const session: LoginSession = {
  http: { send: () => Promise.reject(new Error('no call is expected')) },
  clock: turnedClock(),
  partner: undefined,
};

const renew = (login: Login, tokens = OLD) =>
  renewTokens(tokens, {
    adapter: { name: 'Vendor', login },
    session,
    credentials: {},
    refreshGrant: undefined,
  });

const fails = (code: ErrorCodeName) => () => Promise.reject(new AppError(code, 'no'));
const signsIn = async () => NEW;

describe('renewing tokens', () => {
  it('signs in again only where the refresh is lost, or there is none', async () => {
    assert.equal(await renew({ signIn: signsIn, refresh: fails('vendor.login_expired') }), NEW);
    assert.equal(await renew({ signIn: signsIn }, { ...OLD, refresh: null }), NEW);
    for (const code of ['vendor.unreachable', 'vendor.rate_limited'] as const)
      await assert.rejects(renew({ signIn: signsIn, refresh: fails(code) }), { code });
  });

  it('gives a sign-in the tokens that have ended, for what they have besides', async () => {
    const old = { ...OLD, refresh: null, extra: { user: 'anna' } };
    const keeps: Login = {
      signIn: async (_session, _given, before) => ({ ...NEW, extra: before?.extra ?? {} }),
    };
    assert.deepEqual((await renew(keeps, old)).extra, { user: 'anna' });
  });

  it('makes a lost login of credentials that are refused by now, and of nothing else', async () => {
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
