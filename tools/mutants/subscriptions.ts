import type { Mutant } from './mutant.ts';

const DELIVERY = 'src/domain/subscriptions/delivery.ts';
const tests = ['test/journeys/subscriptions.test.ts'];

export const mutants: readonly Mutant[] = [
  {
    control: 'what a receiver has not taken is sent again',
    file: DELIVERY,
    from: `      cursor: { tx: row.cursor_tx, id: row.cursor_id },
      coveredAt: row.covered_at,`,
    to: '',
    tests,
  },
  {
    control: 'a batch is repeated as it was',
    file: DELIVERY,
    from: 'const limit = pending > 0 ? pending : MOST_EVENTS;',
    to: 'const limit = pending > 0 ? MOST_EVENTS : MOST_EVENTS;',
    tests,
  },
  {
    control: 'a receiver that is gone is not called again',
    file: DELIVERY,
    from: 'const isGone = answered.status === GONE;',
    to: 'const isGone = answered.status === GONE + 1;',
    tests,
  },
  {
    control: 'a subscription that has failed for 72 hours is paused',
    file: DELIVERY,
    from: 'const isGivenUp = now - failingSince >= GIVEN_UP_MS;',
    to: 'const isGivenUp = now - failingSince >= GIVEN_UP_MS * 2;',
    tests,
  },
  {
    control: 'a receiver cannot ask for more than an hour',
    file: 'src/domain/subscriptions/back-off.ts',
    from: 'Math.min(LONGEST_MS, retryAfterSeconds * 1_000)',
    to: 'retryAfterSeconds * 1_000',
    tests,
  },
  {
    control: 'a receiver that asks for more time has it',
    file: DELIVERY,
    from: '{ failures, retryAfterSeconds: answered.retryAfterSeconds }',
    to: '{ failures }',
    tests,
  },
  {
    control: 'the old secret signs for a day after a rotation',
    file: 'src/domain/subscriptions/signing.ts',
    from: 'before !== undefined && now < before.until',
    to: 'before !== undefined',
    tests,
  },
  {
    control: 'a redirect is a failure',
    file: 'src/outbound/post.ts',
    from: 'if (status >= 200 && status < 300) return null;',
    to: 'if (status >= 200 && status < 400) return null;',
    tests,
  },
  {
    control: 'a receiver that hangs is given up',
    file: 'src/outbound/post.ts',
    from: 'const cancel = clock.after(TIMEOUT_MS, () => late.abort());',
    to: 'const cancel = clock.after(TIMEOUT_MS * 100, () => late.abort());',
    tests,
  },
];
