import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { turnedClock } from '../../../core/clock.ts';
import { systemRandom } from '../../../core/ids.ts';
import type { Answered } from './post.ts';
import type { SubscriptionSecrets } from './secrets.ts';
import { createTesting, shown } from './shown.ts';
import { newKey } from './signing.ts';
import type { ListedRow, SubscriptionRow } from './store.ts';

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

const ROW: ListedRow = {
  ...{
    account_id: 1,
    id: 's',
    url: 'https://example.com',
    types_json: null,
    device_id: null,
    user_ref: null,
  },
  ...{ version: 1, signature: 'hmac-sha256', public_key: null, vault_key: 'k', sealed_secrets: '' },
  ...{ status: 'active', reason: null, created_at: 0, generation: 1, cursor_tx: 0, cursor_id: 0 },
  ...{ covered_at: 0, pending: 0, free_at: 0, retry_at: 0, failures: 0, failing_since: null },
  ...{ lost_from: null, lost_until: null, attempts: 0, is_slow: 0, waiting_since: null },
};

it('the next attempt of a failing subscription is now where removed events were skipped, and never in 1970', () => {
  const now = Date.UTC(2026, 10, 27);
  const nextOf = (row: Partial<ListedRow>) => shown({ ...ROW, ...row }, now).next_attempt_at;
  assert.equal(nextOf({ failures: 3, failing_since: 1 }), '2026-11-27T00:00:00.000Z');
  assert.equal(nextOf({ failures: 3, failing_since: 1, retry_at: now + 1_000 }), '2026-11-27T00:00:01.000Z');
  assert.equal(nextOf({}), null);
});
