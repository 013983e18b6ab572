import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Compile } from 'typebox/compile';
import type { VendorRequest } from '../http.ts';
import { HttpFailure } from '../http.ts';
import type { LoginSession } from '../login.ts';
import { text } from './credentials.ts';
import { apiKey } from './linking.ts';

describe('an API key', () => {
  const CHECK = { path: '/me', query: { fields: 'id' }, headers: { accept: 'application/json' } };

  /** What the check of a sign-in sends. */
  async function checked({ login }: ReturnType<typeof apiKey>, api_key = 'k1') {
    const requests: VendorRequest[] = [];
    const http = {
      async send(request: VendorRequest) {
        requests.push(request);
        return { json: () => ({}) };
      },
    };
    const tokens = await login.signIn?.({ http } as unknown as LoginSession, { api_key });
    return { request: requests[0], tokens };
  }

  it('an API key is sent in headers', async () => {
    const linking = apiKey({ vendor: 'Tester', check: CHECK, headers: (key) => ({ 'x-key': key }) });
    const { request, tokens } = await checked(linking);
    assert.deepEqual(request, { ...CHECK, use: 'login', headers: { ...CHECK.headers, 'x-key': 'k1' } });
    assert.deepEqual(tokens && linking.login.headers?.(tokens, { method: 'GET', path: '/' }), {
      'x-key': 'k1',
    });
    assert.equal(linking.login.query, undefined);
  });

  it('an API key is taken without the spaces around it', async () => {
    const linking = apiKey({ vendor: 'Tester', check: CHECK, headers: (key) => ({ 'x-key': key }) });
    const { request, tokens } = await checked(linking, ' k1\n');
    assert.equal(request?.headers?.['x-key'], 'k1');
    assert.deepEqual(tokens && linking.login.headers?.(tokens, { method: 'GET', path: '/' }), {
      'x-key': 'k1',
    });
  });

  it('an API key is not taken where the check gets a page instead of an answer', async () => {
    const { login } = apiKey({ vendor: 'Tester', check: CHECK, headers: () => ({}) });
    const page = () => {
      throw new HttpFailure('answer_invalid', 'it is not JSON', { status: 200 });
    };
    const http = { send: async () => ({ json: page }) };
    await assert.rejects(async () => login.signIn?.({ http } as unknown as LoginSession, { api_key: 'k1' }), {
      code: 'vendor.answer_invalid',
    });
  });

  it('an API key that no header can carry is refused with that reason', async () => {
    const { login } = apiKey({ vendor: 'Tester', check: CHECK, headers: (key) => ({ 'x-key': key }) });
    const sentence = 'a call to Tester has a header that cannot be sent';
    const http = {
      send: async () => {
        throw new HttpFailure('refused', sentence, { wasSent: false });
      },
    };
    await assert.rejects(async () => login.signIn?.({ http } as unknown as LoginSession, { api_key: '€' }), {
      code: 'vendor.refused',
      message: sentence,
    });
  });

  it('an API key is sent in the query', async () => {
    const linking = apiKey({ vendor: 'Tester', check: CHECK, query: (apiKey) => ({ apiKey }) });
    const { request, tokens } = await checked(linking);
    assert.deepEqual(request, { ...CHECK, use: 'login', query: { fields: 'id', apiKey: 'k1' } });
    assert.deepEqual(tokens && linking.login.query?.(tokens), { apiKey: 'k1' });
    assert.equal(linking.login.headers, undefined);
  });

  it('an API key is asked for together with other fields', () => {
    const site = text({ en: { label: 'Site' }, sv: { label: 'Anläggning' } }, { pattern: '^\\d+$' });
    const { credentials, words } = apiKey({
      vendor: 'Tester',
      check: CHECK,
      headers: () => ({}),
      fields: { site },
    });
    const schema = Compile(credentials);
    assert.ok(schema.Check({ api_key: 'k1', site: '7' }));
    for (const wrong of [{ api_key: 'k1' }, { api_key: 'k1', site: 'seven' }])
      assert.ok(!schema.Check(wrong));
    assert.deepEqual(
      [words.sv.api_key?.label, words.sv.site?.label],
      ['API-nyckel till Tester', 'Anläggning'],
    );
  });
});
