import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../core/errors.ts';
import { errorBody, toAppError, ValidationError } from './errors.ts';

describe('an error response', () => {
  it('an error response hides the text of unexpected errors', () => {
    for (const unexpected of [
      new Error('canary'),
      'canary',
      null,
      undefined,
      { statusCode: 500 },
      new TypeError(),
    ]) {
      const error = toAppError(unexpected);
      assert.equal(error.code, 'server.internal');
      assert.ok(!JSON.stringify(errorBody('connect', error)).includes('canary'));
    }
    assert.equal(
      toAppError({ code: 'FST_ERR_CTP_BODY_TOO_LARGE', limit: 5 }).message,
      'the body is larger than 5 bytes',
    );
    assert.equal(toAppError({ statusCode: 400 }).code, 'request.malformed');
  });

  it('an error response has the format of its service', () => {
    const items = [{ loc: ['query', 'q'], msg: 'Field required', type: 'missing', input: null }];
    const invalid = new ValidationError(items);
    assert.deepEqual(errorBody('grid', invalid), { detail: items });
    assert.deepEqual(errorBody('connect', invalid), { error: 'query.q: Field required' });
    const other = new AppError('user.not_found', 'there is no user 1');
    assert.deepEqual(errorBody('grid', other), { detail: 'there is no user 1' });
    assert.deepEqual(errorBody('connect', new ValidationError([])), { error: 'the request is not valid' });
  });
});
