import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { unknownKey } from '../../../../test/kit/accounts.ts';
import { collectGarbage } from '../../../../test/kit/garbage.ts';
import { AppError } from '../../../core/errors.ts';
import type { Principal } from '../../../domain/access/accounts/index.ts';
import { admissionOf } from './admission.ts';

const requestWith = (headers: Record<string, string>) => ({ headers }) as unknown as FastifyRequest;
const principal = { scopes: new Set(['devices:read']) } as unknown as Principal;
const noConsole = () => assert.fail('no session is looked up');

describe('the admission of a stream', () => {
  it('the admission of a stream with a key ends with it, and stays while the database does not respond', async () => {
    let outcome: Principal | Error = principal;
    const accounts = {
      authenticate: () => (outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome)),
    };
    const isAdmitted = admissionOf(
      { accounts, consoleOf: noConsole },
      requestWith({ authorization: `Bearer ${unknownKey()}` }),
    );
    assert.equal(await isAdmitted(), true);
    outcome = new Error('the database does not respond');
    assert.equal(await isAdmitted(), true);
    outcome = { ...principal, scopes: new Set() };
    assert.equal(await isAdmitted(), false);
    for (const code of ['key.invalid', 'account.suspended'] as const) {
      outcome = new AppError(code, 'the key is refused');
      assert.equal(await isAdmitted(), false, code);
    }
  });

  it('the admission of a stream of the console ends with its session', async () => {
    let caller: { principal: Principal; session: string } | undefined = { principal, session: 'a' };
    const accounts = { authenticate: () => assert.fail('no key is looked up') };
    const isAdmitted = admissionOf({ accounts, consoleOf: async () => caller }, requestWith({}));
    assert.equal(await isAdmitted(), true);
    caller = undefined;
    assert.equal(await isAdmitted(), false);
  });

  it('the admission of a stream with a key does not keep the request in memory', async () => {
    const accounts = { authenticate: () => principal };
    const open = () => {
      const request = requestWith({ 'x-api-key': unknownKey() });
      const isAdmitted = admissionOf({ accounts, consoleOf: noConsole }, request);
      return { isAdmitted, held: new WeakRef(request) };
    };
    const { isAdmitted, held } = open();
    // A reference that was made in this task holds until its end.
    await setImmediate();
    collectGarbage();
    assert.equal(held.deref(), undefined);
    assert.equal(await isAdmitted(), true);
  });
});
