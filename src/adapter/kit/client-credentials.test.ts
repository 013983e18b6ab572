import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { turnedClock } from '../../core/clock.ts';
import { type HttpAnswer, HttpFailure, type HttpRequest } from '../http.ts';
import type { LoginSession, Partner } from '../login.ts';
import { clientCredentials, text } from './index.ts';

const clock = turnedClock();
const site = text({ en: { label: 'Site' }, sv: { label: 'Plats' } });
const CREDENTIALS = { client_id: ' my id ', client_secret: 's:1', site: '7' };
const scope = (given: object) => `read/${(given as { site: string }).site}`;

/** A session whose token endpoint responds so, and what it was asked. */
function sessionOf(respond: () => Promise<unknown>, partner?: Partner) {
  const asked: HttpRequest[] = [];
  const session: LoginSession = {
    clock,
    partner,
    http: {
      async send(request) {
        asked.push(request);
        const body = await respond();
        return { json: () => body } as HttpAnswer;
      },
    },
  };
  return { session, asked };
}

const granted = async () => ({ access_token: 'token', expires_in: 3_600 });
const refusing = (status: number, body: string) => () =>
  Promise.reject(new HttpFailure('refused', 'no', { status, body }));

describe('client credentials', () => {
  it("client credentials are the operator's, in the body, unless the vendor wants others", async () => {
    const { login } = clientCredentials({ vendor: 'Tester', fields: { site }, tokenPath: '/token', scope });
    const partner = { clientId: 'id', clientSecret: 'secret' };
    const { session, asked } = sessionOf(granted, partner);
    await login.signIn?.(session, { site: '7' });
    assert.equal(login.needsPartner, true);
    assert.deepEqual(asked[0]?.form, {
      grant_type: 'client_credentials',
      client_id: 'id',
      client_secret: 'secret',
      scope: 'read/7',
    });
  });

  const ofUser = clientCredentials({
    vendor: 'Tester',
    client: 'user',
    fields: { site },
    tokenPath: '/token',
    clientAuthentication: 'basic',
    scope,
  });

  it("client credentials are the user's where only those prove what is theirs", async () => {
    const { session, asked } = sessionOf(granted);
    const tokens = await ofUser.login.signIn?.(session, CREDENTIALS);
    assert.equal(ofUser.login.needsPartner, undefined);
    assert.deepEqual(Object.keys(ofUser.words.sv), ['client_id', 'client_secret', 'site']);
    const [request] = asked;
    assert.equal(request?.headers?.authorization, `Basic ${Buffer.from('my%20id:s%3A1').toString('base64')}`);
    assert.deepEqual(request?.form, { grant_type: 'client_credentials', scope: 'read/7' });
    assert.deepEqual([tokens?.access, tokens?.refresh], ['token', null]);
  });

  it('client credentials are refused where the vendor says so, and for no other failure', async () => {
    const codeOf = async (respond: () => Promise<unknown>) => {
      const error: unknown = await ofUser.login
        .signIn?.(sessionOf(respond).session, CREDENTIALS)
        .catch((cause: unknown) => cause);
      return error as { code: string; message: string };
    };
    const wrong = await codeOf(refusing(401, ''));
    assert.deepEqual(
      [wrong.code, wrong.message],
      ['link.credentials_refused', 'the Tester client id or secret is wrong'],
    );
    const named = await codeOf(refusing(400, '{"error":"invalid_client"}'));
    assert.equal(named.code, 'link.credentials_refused');
    const scoped = await codeOf(refusing(400, '{"error":"invalid_scope"}'));
    assert.equal(scoped.code, 'link.credentials_refused');
    assert.match(scoped.message, /does not grant this client what is needed: read\/7/);
    for (const [status, body] of [
      [403, '{"message":"Forbidden"}'],
      [400, '<html>'],
      [404, ''],
    ] as const)
      assert.equal((await codeOf(refusing(status, body))).code, 'vendor.refused', `${status}`);
  });
});
