import { type Clock, rfc3339 } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import { type Random, randomId } from '../../../core/ids.ts';
import type { Answered, Poster } from './post.ts';
import type { SubscriptionSecrets } from './secrets.ts';
import { type Signature, signaturesOf } from './signing.ts';
import type { AttemptRow, ListedRow, SubscriptionRow } from './store.ts';

/** Tests at a time in this process: their callers wait for receivers. */
const PLACES = 64;
/** Of one account: no slow receiver of another one keeps it from testing its own. */
const PLACES_OF_ACCOUNT = 2;

export interface TestResult extends Omit<Answered, 'retryAfterSeconds'> {
  readonly webhook_id: string;
  readonly duration_ms: number;
}

interface TestingOptions {
  readonly poster: Poster;
  readonly secrets: SubscriptionSecrets;
  readonly clock: Clock;
  readonly random: Random;
}

/** Posts one event of the type `subscription.test`, which is in no log and counts for nothing. */
export function createTesting({ poster, secrets, clock, random }: TestingOptions) {
  /** How many run, by account. */
  const running = new Map<number, number>();
  let inAll = 0;

  /** Counts a test while it runs. */
  async function counted(account: number, test: () => Promise<TestResult>): Promise<TestResult> {
    const own = running.get(account) ?? 0;
    // An account has few of the tests that wait for receivers.
    if (own >= PLACES_OF_ACCOUNT || inAll >= PLACES) {
      const whose = own >= PLACES_OF_ACCOUNT ? `${PLACES_OF_ACCOUNT} tests of yours` : 'too many tests';
      throw new AppError('limit.busy', `${whose} wait for receivers; retry`, { retryAfterSeconds: 2 });
    }
    running.set(account, own + 1);
    inAll += 1;
    try {
      return await test();
    } finally {
      inAll -= 1;
      const left = (running.get(account) ?? 1) - 1;
      if (left > 0) running.set(account, left);
      else running.delete(account);
    }
  }

  return (row: SubscriptionRow): Promise<TestResult> =>
    counted(row.account_id, async () => {
      const id = `msg_test_${randomId(random)}`;
      const now = clock.now();
      const timestamp = Math.floor(now / 1_000);
      const body = JSON.stringify({ events: [eventAt(now, `evt_test_${randomId(random)}`)] });
      const signature = signaturesOf(
        { id, timestamp, body },
        { signature: row.signature as Signature, secrets: secrets.open(row), now },
      );
      const { status, response, error } = await poster.post(
        {
          url: new URL(row.url),
          headers: {
            'webhook-id': id,
            'webhook-timestamp': String(timestamp),
            'webhook-signature': signature,
          },
          body,
        },
        new AbortController().signal,
      );
      return { status, response, error, webhook_id: id, duration_ms: clock.now() - now };
    });
}

const eventAt = (now: number, id: string) => ({
  id,
  type: 'subscription.test',
  version: 1,
  subject: { device: null, vendor: null, link: null, user_ref: null },
  occurred_at: rfc3339(now),
  recorded_at: rfc3339(now),
  data: {},
});

/** A subscription as its owner sees it. */
export interface Listed {
  readonly id: string;
  readonly url: string;
  readonly status: string;
  readonly reason: string | null;
  readonly types: readonly string[] | null;
  readonly device: string | null;
  readonly user_ref: string | null;
  readonly version: number;
  readonly signature: string;
  readonly public_key: string | null;
  readonly created_at: string;
  readonly lag_seconds: number;
  readonly failures: number;
  readonly failing_since: string | null;
  readonly next_attempt_at: string | null;
  readonly lost: { readonly from: string; readonly to: string } | null;
}

export interface ListedAttempt {
  readonly at: string;
  readonly duration_ms: number;
  readonly webhook_id: string;
  readonly events: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly response: string | null;
}

export function shown(row: ListedRow, now: number): Listed {
  const { waiting_since: since, lost_from: from, lost_until: until } = row;
  const isRetried = row.status === 'active' && row.failures > 0;
  return {
    id: row.id,
    url: row.url,
    status: row.status,
    reason: row.reason,
    types: row.types_json === null ? null : (JSON.parse(row.types_json) as string[]),
    device: row.device_id,
    user_ref: row.user_ref,
    version: row.version,
    signature: row.signature,
    public_key: row.public_key,
    created_at: rfc3339(row.created_at),
    lag_seconds: since === null ? 0 : Math.max(0, now - since) / 1_000,
    failures: row.failures,
    failing_since: row.failing_since === null ? null : rfc3339(row.failing_since),
    // What was removed is skipped between two attempts: the next one is due at once then.
    next_attempt_at: isRetried ? rfc3339(row.retry_at === 0 ? now : row.retry_at) : null,
    lost: from === null || until === null ? null : { from: rfc3339(from), to: rfc3339(until) },
  };
}

export const shownAttempt = (row: AttemptRow): ListedAttempt => ({
  at: rfc3339(row.at),
  duration_ms: row.duration_ms,
  webhook_id: row.message_id,
  events: row.events,
  status: row.status,
  error: row.error,
  response: row.response,
});
