import { type Clock, rfc3339 } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import { type Random, randomId } from '../../core/ids.ts';
import { createSemaphore } from '../../core/semaphore.ts';
import type { Answered, Poster } from './post.ts';
import type { SubscriptionSecrets } from './secrets.ts';
import { type Signature, signaturesOf } from './signing.ts';
import type { SubscriptionRow } from './store.ts';

/** Tests at a time in this process: their callers wait for receivers. */
const PLACES = 16;

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
  const places = createSemaphore({ places: PLACES, waiting: 0 });
  return async (row: SubscriptionRow): Promise<TestResult> => {
    if (places.isFull)
      throw new AppError('limit.busy', 'too many tests wait for receivers; retry', { retryAfterSeconds: 2 });
    return places.run(async () => {
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
  };
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
