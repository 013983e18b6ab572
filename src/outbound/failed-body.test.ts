import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { HttpFailure } from '../adapter/http.ts';
import { answers, testServer } from './test-server.ts';

describe('the body of a failed answer', () => {
  const failureWith = async (test: Parameters<typeof testServer>[0], body: string): Promise<HttpFailure> => {
    const { http } = await testServer(test, [answers(403, body)]);
    const failure = await http.send({ path: '/' }).catch((error: unknown) => error);
    assert.ok(failure instanceof HttpFailure);
    return failure;
  };

  it('the body of a failed answer can be read by who knows the words of the service, and is in no log', async (test) => {
    const failure = await failureWith(test, '{"error":{"code":26,"message":"canary-7431"}}');
    assert.match(failure.bodyText(), /"code":26/);
    for (const shown of [
      inspect(failure, { depth: 9, showHidden: true }),
      JSON.stringify(failure),
      failure.stack,
    ])
      assert.doesNotMatch(shown ?? '', /canary/);
  });

  it('the body of a failed answer is left out when it is large', async (test) => {
    const failure = await failureWith(test, 'x'.repeat(100_000));
    assert.equal(failure.bodyText(), '');
    assert.equal(failure.status, 403);
  });

  it('the body of a failed answer is cut', async (test) => {
    const failure = await failureWith(test, 'y'.repeat(9_000));
    assert.equal(failure.bodyText().length, 4_096);
  });
});
