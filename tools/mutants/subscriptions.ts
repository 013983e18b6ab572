import type { Mutant } from './mutant.ts';

const DELIVERY = 'src/domain/subscriptions/delivery.ts';
const tests = ['test/journeys/subscriptions.test.ts'];
const RECEIVER_TESTS = ['test/journeys/receivers.test.ts'];
const TWO_INSTANCES = ['test/faults/deliveries-of-two-instances.test.ts'];

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
  {
    control: 'a receiver whose certificate is not valid gets nothing',
    file: 'src/outbound/agent.ts',
    from: 'connector ?? guardedConnector({ allowH2: false,',
    to: 'connector ?? guardedConnector({ rejectUnauthorized: false, allowH2: false,',
    tests: RECEIVER_TESTS,
  },
  {
    control: 'a name that leads elsewhere later is judged again',
    file: 'src/outbound/address-guard.ts',
    from: 'for (const { address } of addresses) checkAddress(host, address, how);',
    to: '',
    tests: RECEIVER_TESTS,
  },
  {
    control: 'receivers that hang keep nobody waiting but one another',
    file: 'src/domain/subscriptions/store.ts',
    from: ': sql`failures = 0`;',
    to: ': sql`failures >= 0`;',
    tests: RECEIVER_TESTS,
  },
  {
    control: 'secrets of subscriptions are sealed with the new key',
    file: 'src/domain/calls/rotate.ts',
    from: 'page: secrets.sealedWithOtherThan,',
    to: 'page: async () => [],',
    tests: ['test/faults/vault-rotation.test.ts'],
  },
  {
    control: 'a subscription is delivered by one process at a time',
    file: 'src/db/claim.ts',
    from: 'where ${sql.ref(due)} <= ${moments.nowOnce} and ${where}',
    to: 'where ${where}',
    tests: TWO_INSTANCES,
    needs: ['postgres'],
  },
  {
    control: 'a process that has lost its claim moves no cursor',
    file: 'src/domain/subscriptions/store.ts',
    from: ' and subscriptions.free_at = r.claimed',
    to: '',
    tests: TWO_INSTANCES,
    needs: ['postgres'],
  },
];
