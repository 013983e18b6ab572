import type { Clock } from '../../../core/clock.ts';
import { HOUR_MS } from '../../../core/durations.ts';
import type { Random } from '../../../core/ids.ts';
import type { Metrics } from '../../../core/metrics.ts';
import { type EventLog, type EventPage, Expired, rendered } from '../events/index.ts';
import type { Answered, Poster } from './post.ts';
import type { SubscriptionSecrets } from './secrets.ts';
import { messageIdOf, type Signature, signaturesOf } from './signing.ts';
import { type Attempt, type Finished, filterOf, type Loss, type SubscriptionRow } from './store.ts';

const FIRST_MS = 1_000;
const LONGEST_MS = HOUR_MS;
/** After so long without a success a subscription is paused. */
const GIVEN_UP_MS = 72 * HOUR_MS;

interface Failures {
  /** In a row. */
  readonly failures: number;
  /** What the receiver asks for, or undefined. */
  readonly retryAfterSeconds?: number | undefined;
}

/**
 * How long to wait after failures: doubled each time up to an hour, of which half is random, so that receivers that come back are not met
 * by all at once. A receiver that asks for more has it, up to an hour.
 */
function retryDelayMs({ failures, retryAfterSeconds = 0 }: Failures, random: Random): number {
  const whole = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 30));
  const ownMs = Math.round(whole / 2 + (whole / 2) * (random(4).readUInt32BE() / 2 ** 32));
  return Math.max(ownMs, Math.min(LONGEST_MS, retryAfterSeconds * 1_000));
}

/** Events of a delivery at most. */
const MOST_EVENTS = 100;
const GONE = 410;

interface DeliveryOptions {
  readonly eventLog: Pick<EventLog, 'page' | 'oldestAt'>;
  readonly poster: Poster;
  readonly secrets: SubscriptionSecrets;
  /** That of the service, which receivers compare with theirs. */
  readonly clock: Clock;
  /** The common one of all processes. */
  readonly moments: Clock;
  readonly random: Random;
  readonly metrics: Pick<Metrics, 'subscriptionDeliveries'>;
}

/** How a step has ended, without its claim. */
export interface Step extends Omit<Finished, 'freeAt'> {
  /** There is more at once. */
  readonly hasMore: boolean;
}

interface FoundPage extends EventPage {
  readonly lost: Loss | null;
}

/** Takes a subscription that this process has claimed one page of the log further: by a delivery, where there is something that it wants. */
export function createDelivery(options: DeliveryOptions) {
  const { eventLog, poster, secrets, clock, moments, random, metrics } = options;

  async function pageOf(row: SubscriptionRow): Promise<FoundPage> {
    const { account_id: account, cursor_tx: tx, cursor_id: id, pending } = row;
    const after = { tx, id };
    // A batch that is repeated has the same events, as the log only grows.
    // control: a batch of events is delivered again as it was [journeys/subscriptions] => MOST_EVENTS
    const limit = pending > 0 ? pending : MOST_EVENTS;
    try {
      return { ...(await eventLog.page({ account, after, filter: filterOf(row), limit })), lost: null };
    } catch (error) {
      if (!(error instanceof Expired)) throw error;
      const lost = { from: row.covered_at, until: await eventLog.oldestAt() };
      return { events: [], end: error.oldest, hasMore: true, lost };
    }
  }

  async function post(
    row: SubscriptionRow,
    { events }: EventPage,
    signal: AbortSignal,
  ): Promise<{ readonly answered: Answered; readonly attempt: Attempt }> {
    const ids = events.map(({ id }) => id);
    const id = messageIdOf([row.account_id, row.id, row.generation, ...ids]);
    const at = clock.now();
    const timestamp = Math.floor(at / 1_000);
    const body = JSON.stringify({ events: events.map(rendered) });
    let answered: Answered;
    const keys = opened(row);
    if (keys === undefined)
      answered = {
        ...{ status: null, response: null },
        error:
          'the secret cannot be decrypted with the vault keys of this server; the operator must restore them',
      };
    else
      answered = await poster.post(
        {
          url: new URL(row.url),
          body,
          headers: {
            'webhook-id': id,
            'webhook-timestamp': String(timestamp),
            'webhook-signature': signaturesOf(
              { id, timestamp, body },
              { signature: row.signature as Signature, secrets: keys, now: at },
            ),
          },
        },
        signal,
      );
    const durationMs = clock.now() - at;
    return { answered, attempt: { ...answered, at, durationMs, messageId: id, events: events.length } };
  }

  function opened(row: SubscriptionRow) {
    try {
      return secrets.open(row);
    } catch {
      return undefined;
    }
  }

  /** What follows of a failure; the same events are sent again. */
  function failed(row: SubscriptionRow, answered: Answered, events: number) {
    const now = moments.now();
    const failures = row.failures + 1;
    const failingSince = row.failing_since ?? now;
    const isGone = answered.status === GONE;
    const isGivenUp = now - failingSince >= GIVEN_UP_MS;
    metrics.subscriptionDeliveries.inc({ outcome: isGone ? 'gone' : 'failed' });
    return {
      ...{ pending: events, failures, failingSince },
      retryAt: now + retryDelayMs({ failures, retryAfterSeconds: answered.retryAfterSeconds }, random),
      reason: isGone ? ('gone' as const) : isGivenUp ? ('failing' as const) : null,
    };
  }

  /** Rejects with the signal's reason once it has fired, and where the log cannot be read. */
  return async (row: SubscriptionRow, signal: AbortSignal): Promise<Step> => {
    const began = moments.now();
    const page = await pageOf(row);
    const last = page.events.at(-1);
    const coveredAt = page.hasMore ? (page.lost?.until ?? last?.recorded_at ?? row.covered_at) : began;
    const moved = {
      ...{ row, cursor: page.end, coveredAt, lost: page.lost, hasMore: page.hasMore, attempt: null },
      ...{ pending: 0, failures: row.failures, failingSince: row.failing_since, retryAt: 0, reason: null },
    };
    if (last === undefined) return moved;
    const { answered, attempt } = await post(row, page, signal);
    if (answered.error === null) {
      metrics.subscriptionDeliveries.inc({ outcome: 'delivered' });
      return { ...moved, attempt, failures: 0, failingSince: null };
    }
    return {
      ...moved,
      ...failed(row, answered, page.events.length),
      ...{ attempt, hasMore: false },
      cursor: { tx: row.cursor_tx, id: row.cursor_id },
      coveredAt: row.covered_at,
    };
  };
}

export type Deliver = ReturnType<typeof createDelivery>;
