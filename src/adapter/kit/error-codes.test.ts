import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import type { JsonObject } from '../../core/json.ts';
import { failureOfStatus } from '../http.ts';
import { errorCodes } from './error-codes.ts';
import { objectIn } from './values.ts';

const { failure, isTokenRefused } = errorCodes('Acme', {
  codeIn: ({ error }) => objectIn(error).code ?? error,
  token: [2, 3],
  limited: [26, 'too_many'],
  refused: { 21: 'the value is not allowed' },
});
const textOf = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body));
const of = (status: number, body: unknown, retryAfterSeconds?: number) =>
  failure(failureOfStatus('it', { status, body: textOf(body), retryAfterSeconds }), 'it');

describe('the codes of a vendor', () => {
  it('the codes of a vendor refuse a token with 401 and 403 alone, and never by mere words', () => {
    const refused = (status: number, body: unknown) => isTokenRefused({ status, body: textOf(body) });
    for (const code of [2, 3])
      for (const status of [401, 403]) assert.equal(refused(status, { error: { code, message: 'm' } }), true);
    for (const code of [1, 21, 26, '2', null, [2]])
      for (const status of [401, 403, 429])
        assert.equal(refused(status, { error: { code, message: 'token expired (3)' } }), false, String(code));
    for (const body of ['', '<html>', 'null', '{"error":'])
      assert.deepEqual([refused(401, body), refused(403, body)], [true, false], body);
    for (const status of [200, 400]) assert.equal(refused(status, { error: { code: 3 } }), false);
  });

  it('the codes of a vendor are quotas whatever the status, with the delay that was asked for, or else a minute', () => {
    for (const code of [26, 'too_many'])
      for (const status of [403, 429]) {
        const body = code === 26 ? { error: { code } } : { error: code };
        const quota = of(status, body, 42);
        assert.deepEqual([quota?.code, quota?.retryAfterSeconds], ['vendor.rate_limited', 42]);
        assert.equal(of(status, body)?.retryAfterSeconds, 60);
      }
  });

  it('the codes of a vendor say what a refusal means, and leave what is none to the kit', () => {
    const refusal = of(400, { error: { code: 21 } });
    assert.deepEqual(
      [refusal?.code, refusal?.message],
      ['vendor.refused', 'Acme refused the request: the value is not allowed (error 21)'],
    );
    for (const body of ['', '<html>', { error: { code: [21] } }, { error: { code: 'constructor' } }])
      assert.equal(of(400, body), undefined);
    assert.equal(of(500, { error: { code: 21 } }), undefined, 'an outage is no refusal');
    assert.equal(failure(new Error('broken'), 'it'), undefined);
  });

  it('the codes of a vendor are refusals with a server error where the vendor says them so', () => {
    const codes = { codeIn: ({ Code }: JsonObject) => Code, refused: { 528: 'not now' }, refusedWith: [500] };
    const said = (status: number, Code: number) =>
      errorCodes('Acme', codes).failure(
        failureOfStatus('it', { status, body: JSON.stringify({ Code }) }),
        'it',
      )?.code;
    assert.equal(said(500, 528), 'vendor.refused');
    assert.equal(said(500, 505), undefined, 'a code that is no refusal is an outage');
    assert.equal(said(503, 528), undefined, 'so is another status');
  });

  it('the codes of a vendor repeat nothing of the body', () => {
    for (const code of [21, 26])
      assert.doesNotMatch(
        inspect(of(400, { error: { code, message: 'canary' } }), { depth: 9, showHidden: true }),
        /canary/,
      );
  });
});
