import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { limitedSeconds, retryAfterSeconds } from '../adapter/failures.ts';
import { HttpFailure } from '../adapter/http.ts';
import { retryDelayMs } from './client.ts';

const NOW = Date.UTC(2026, 10, 21, 9, 0, 0);

describe('Retry-After', () => {
  it('Retry-After is seconds or an HTTP date', () => {
    const read = (value: string | undefined) => retryAfterSeconds(value, NOW);
    assert.equal(read('0'), 0);
    assert.equal(read(' 120 '), 120);
    assert.equal(read('Sat, 21 Nov 2026 09:00:30 GMT'), 30);
    assert.equal(read('Saturday, 21-Nov-26 09:01:00 GMT'), 60);
    assert.equal(read('Sat Nov 21 09:01:00 2026'), undefined, 'asctime has no zone, and nobody sends it');
    assert.equal(read('Sat, 21 Nov 2026 08:00:00 GMT'), 0, 'in the past');
    assert.equal(read('999999999'), 86_400, 'more than a day is not believed');
    assert.equal(read('Sat, 21 Nov 2099 08:00:00 GMT'), 86_400);
    for (const nothing of [
      undefined,
      '',
      '-5',
      '1.5',
      '1e3',
      'soon',
      '2026-11-21T09:00:30Z',
      '9'.repeat(400),
    ])
      assert.equal(read(nothing), undefined, `${nothing}`);
  });
});

describe('the delay of a call that was one too many', () => {
  const delay = (headers: Record<string, string>) => limitedSeconds(headers, NOW);

  it('the delay of a call that was one too many is what Retry-After asks for, else that of the limit that is used up', () => {
    assert.equal(delay({ 'retry-after': '7', 'ratelimit-reset': '50' }), 7);
    assert.equal(
      delay({
        'ratelimit-data-remaining': '0',
        'ratelimit-data-reset': '12',
        'ratelimit-month-remaining': '900',
        'ratelimit-month-reset': '80000',
      }),
      12,
    );
    assert.equal(delay({ 'ratelimit-reset': '5' }), 5);
  });

  it('the delay of a call that was one too many is seconds or a moment, at most a day, and nothing that is no number', () => {
    assert.equal(delay({ 'ratelimit-reset': String(NOW / 1000 + 90) }), 90);
    assert.equal(delay({ 'ratelimit-reset': String(NOW / 1000 - 90) }), undefined);
    assert.equal(delay({ 'ratelimit-reset': '999999999' }), 86_400);
    for (const odd of ['', '-5', 'soon', '1e3', '5.5'])
      assert.equal(delay({ 'ratelimit-reset': odd }), undefined, odd);
    assert.equal(delay({}), undefined);
  });
});

describe('the wait before a repetition', () => {
  const least = (bytes: number) => Buffer.alloc(bytes);
  const most = (bytes: number) => Buffer.alloc(bytes, 0xff);

  it('the wait before a repetition doubles, is drawn from its upper half, and ends at eight seconds', () => {
    const failure = new HttpFailure('unreachable', '');
    const waits = [1, 2, 3, 4, 5, 6, 20].map((attempt) => retryDelayMs(failure, attempt, least));
    assert.deepEqual(waits, [250, 500, 1000, 2000, 4000, 4000, 4000]);
    const longest = [1, 2, 6].map((attempt) => retryDelayMs(failure, attempt, most));
    assert.deepEqual(longest, [500, 1000, 8000]);
  });

  it('the wait before a repetition comes after what was asked for, and there is none where too much was', () => {
    const asks = (retryAfter: number) =>
      retryDelayMs(new HttpFailure('rate_limited', '', { retryAfterSeconds: retryAfter }), 1, least);
    assert.equal(asks(3), 3_250);
    assert.equal(asks(10), 10_250);
    assert.equal(asks(11), null);
    assert.equal(retryDelayMs(new HttpFailure('refused', ''), 1, least), null);
    assert.equal(retryDelayMs(new HttpFailure('answer_invalid', ''), 1, least), null);
  });
});
