import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import type { SimulatedRequest } from '../../adapter/simulator.ts';
import { claimsIn } from '../../adapter/tokens.ts';
import { type TurnedClock, turnedClock } from '../../core/clock.ts';
import { systemRandom } from '../../core/ids.ts';
import { createSimulatedOAuth, type SimulatedOAuth } from './oauth.ts';

const PARTNER = { clientId: 'client', clientSecret: 'secret' };
const REDIRECT = 'https://elnav.example/oauth/v/callback';
const VERIFIER = 'a-verifier-of-at-least-forty-three-characters-in-all';

const make = (clock: TurnedClock = turnedClock()): SimulatedOAuth =>
  createSimulatedOAuth({
    clock,
    random: systemRandom,
    partner: PARTNER,
    vendor: 'Vendor',
    users: new Map([['anna', 'right']]),
    accessSeconds: 3_600,
    isRotating: true,
    issuer: 'https://issuer.example',
    claims: (user) => ({ uid: `uid-${user}`, kind: 'never what says what a token is' }),
  });

function request(
  method: string,
  form: Record<string, string>,
  query: Record<string, string> = {},
): SimulatedRequest {
  return {
    method,
    path: '/',
    query: new URLSearchParams(query),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from(new URLSearchParams(form).toString()),
  };
}

const QUERY = {
  response_type: 'code',
  client_id: PARTNER.clientId,
  redirect_uri: REDIRECT,
  scope: 'a b',
  state: 's',
  code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
};
const CLIENT = { client_id: PARTNER.clientId, client_secret: PARTNER.clientSecret };

function signIn(oauth: SimulatedOAuth): URL {
  const answer = oauth.authorize(request('POST', { username: 'anna', password: 'right' }, QUERY));
  assert.equal(answer.status, 302);
  return new URL(answer.headers?.location ?? '');
}
const exchange = (oauth: SimulatedOAuth, form: Record<string, string>) =>
  oauth.token(
    request('POST', { grant_type: 'authorization_code', redirect_uri: REDIRECT, ...CLIENT, ...form }),
  );
const codeOf = (url: URL) => url.searchParams.get('code') ?? '';

interface TokenBody {
  readonly access_token: string;
  readonly refresh_token: string;
}
function tokensFrom(oauth: SimulatedOAuth): TokenBody {
  return exchange(oauth, { code: codeOf(signIn(oauth)), code_verifier: VERIFIER })
    .json as unknown as TokenBody;
}
const refresh = (oauth: SimulatedOAuth, token: string) =>
  oauth.token(request('POST', { grant_type: 'refresh_token', refresh_token: token, ...CLIENT }));

describe('the simulated sign-in', () => {
  it('the simulated sign-in goes from the page to tokens', () => {
    const oauth = make();
    assert.match(oauth.authorize(request('GET', {}, QUERY)).text ?? '', /simulator inside elnav[\s\S]*anna/);
    const back = signIn(oauth);
    assert.equal(back.searchParams.get('state'), 's');
    assert.equal(back.searchParams.get('iss'), 'https://issuer.example');
    const answer = exchange(oauth, { code: codeOf(back), code_verifier: VERIFIER });
    const { access_token } = answer.json as unknown as TokenBody;
    assert.deepEqual(oauth.userOf(access_token)?.scopes, ['a', 'b']);
    assert.deepEqual([claimsIn(access_token)?.sub, claimsIn(access_token)?.uid], ['anna', 'uid-anna']);
    assert.equal(oauth.userOf(`${access_token}x`), undefined);
  });

  it('the simulated sign-in refuses a wrong password, a foreign client, and lets the user cancel', () => {
    const oauth = make();
    const wrong = oauth.authorize(request('POST', { username: 'anna', password: 'no' }, QUERY));
    assert.match(wrong.text ?? '', /Wrong user name or password/);
    assert.equal(oauth.authorize(request('GET', {}, { ...QUERY, client_id: 'other' })).status, 401);
    const cancelled = oauth.authorize(request('POST', { cancel: '1' }, QUERY));
    assert.match(cancelled.headers?.location ?? '', /error=access_denied/);
  });

  it('the simulated sign-in takes a code once, with its verifier, redirect address and client, within a minute', () => {
    const clock = turnedClock();
    const oauth = make(clock);
    const code = codeOf(signIn(oauth));
    assert.equal(exchange(oauth, { code, code_verifier: VERIFIER }).status, 200);
    assert.equal(exchange(oauth, { code, code_verifier: VERIFIER }).status, 400);
    for (const wrong of [{ code_verifier: 'x' }, { redirect_uri: 'https://evil.example/' }])
      assert.equal(
        exchange(oauth, { code: codeOf(signIn(oauth)), code_verifier: VERIFIER, ...wrong }).status,
        400,
      );
    assert.equal(exchange(oauth, { code: 'any', client_secret: 'no' }).status, 401);
    const late = codeOf(signIn(oauth));
    clock.turn(61_000);
    assert.equal(exchange(oauth, { code: late, code_verifier: VERIFIER }).status, 400);
  });

  it('the simulated sign-in rotates refresh tokens, which outlive a restart, and knows what was taken back', () => {
    const clock = turnedClock();
    const oauth = make(clock);
    const first = tokensFrom(oauth);
    const second = refresh(oauth, first.refresh_token).json as unknown as TokenBody;
    assert.equal(refresh(oauth, first.refresh_token).status, 400, 'it was good once');
    assert.equal(refresh(oauth, `${second.refresh_token}x`).status, 400);
    const restarted = make(clock);
    assert.equal(restarted.userOf(second.access_token)?.user, 'anna');
    const third = refresh(restarted, second.refresh_token).json as unknown as TokenBody;
    restarted.expireAll();
    assert.equal(restarted.userOf(third.access_token), undefined);
    const fourth = refresh(restarted, third.refresh_token).json as unknown as TokenBody;
    assert.equal(restarted.userOf(fourth.access_token)?.user, 'anna');
    restarted.revoke('anna');
    assert.equal(restarted.userOf(fourth.access_token), undefined);
    assert.equal(refresh(restarted, fourth.refresh_token).status, 400);
    assert.equal(restarted.userOf(tokensFrom(restarted).access_token)?.user, 'anna', 'signed in again');
    clock.turn(3_600_001);
    assert.equal(restarted.userOf(fourth.access_token), undefined);
  });
});
