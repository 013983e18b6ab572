import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { turnedClock } from '../../../core/clock.ts';
import { systemRandom } from '../../../core/ids.ts';
import type { Answered } from './post.ts';
import type { SubscriptionSecrets } from './secrets.ts';
import { createTesting } from './shown.ts';
import { newKey } from './signing.ts';
import type { SubscriptionRow } from './store.ts';

describe('tests of subscriptions', () => {
  /** Receivers that do not answer until `answer` is called. */
  const testing = () => {
    const answers: ((given: Answered) => void)[] = [];
    const test = createTesting({
      poster: { post: () => new Promise<Answered>((resolve) => answers.push(resolve)), check: () => {} },
      secrets: { open: () => ({ current: newKey(systemRandom) }) } as unknown as SubscriptionSecrets,
      clock: turnedClock(),
      random: systemRandom,
    });
    const of = (account: number) =>
      test({
        account_id: account,
        url: 'https://receiver.example/',
        signature: 'hmac-sha256',
      } as SubscriptionRow);
    const answer = () => answers.shift()?.({ status: 204, response: null, error: null });
    return { of, answer };
  };

  it('two tests of an account wait for receivers, a third is refused, and other accounts test theirs', async () => {
    const { of, answer } = testing();
    const waiting = [of(1), of(1)];
    for (let more = 0; more < 20; more += 1) await assert.rejects(of(1), { code: 'limit.busy' });
    const other = of(2);
    answer();
    assert.equal((await waiting[0])?.status, 204);
    const next = of(1);
    await assert.rejects(of(1), { code: 'limit.busy' });
    for (const _ of [1, 2, 3]) answer();
    for (const one of [waiting[1], other, next]) assert.equal((await one)?.status, 204);
  });
});
