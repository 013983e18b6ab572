import type { Adapter } from '../../../adapter/adapter.ts';
import type { LinkOf } from '../../../adapter/session.ts';
import type { Webhook } from '../../../adapter/webhook.ts';
import type { Clock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import type { Log } from '../../../core/log.ts';
import { createLoop } from '../../../core/loop.ts';
import type { Calls, LinkEvents } from '../../vendor-calls/calls/index.ts';
import type { Subscription, SubscriptionStore } from './store-subscriptions.ts';

const LOOK_MS = 10_000;
/** Longer than a vendor is given for all that are taken at once. */
const CLAIM_MS = 120_000;
const AT_ONCE = 8;
/** It is renewed when this share of its time has passed. */
const RENEWED_AT = 0.8;
const RETRY_MS = 60_000;
const MOST_RETRY_MS = 6 * 3_600_000;

interface SubscriptionsOptions {
  readonly store: SubscriptionStore;
  readonly pushing: readonly (Pick<Adapter, 'slug'> & { readonly webhook: Webhook })[];
  readonly calls: Pick<Calls, 'withVendor'>;
  readonly events: LinkEvents;
  readonly urlOf: (vendor: string) => string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Asks vendors to post what changes in linked accounts, and again before they forget it. */
export function createSubscriptions(options: SubscriptionsOptions) {
  const { store, calls, events, urlOf, clock, log } = options;
  const webhooks = new Map(
    options.pushing.flatMap(({ slug, webhook }) =>
      webhook.subscribe === undefined ? [] : [[slug, webhook] as const],
    ),
  );
  const warnedOf = new Set<string>();

  async function work(): Promise<void> {
    for (const link of await store.missing([...webhooks.keys()], 1_000)) await store.want(link);
    for (;;) {
      if (loop.isClosed) return;
      const due = await store.claim({ claimMs: CLAIM_MS, most: AT_ONCE });
      await Promise.all(due.map(subscribe));
      if (due.length < AT_ONCE) return;
    }
  }

  async function subscribe(one: Subscription): Promise<void> {
    const { vendor, failures } = one;
    const webhook = webhooks.get(vendor);
    const url = urlOf(vendor);
    if (webhook?.subscribe === undefined || url === undefined) {
      if (url === undefined && !warnedOf.has(vendor)) {
        warnedOf.add(vendor);
        log.warn({ vendor }, 'ELNAV_CONNECT_URL is not set, so the vendor is not asked to post what changes');
      }
      return store.put(one, { waitMs: MOST_RETRY_MS, failures: 0 });
    }
    const ask = webhook.subscribe.bind(webhook);
    try {
      await calls.withVendor(one, 'subscribe', (session) => ask(session, url));
      const seconds = webhook.subscribedSeconds;
      const waitMs = seconds === undefined ? undefined : Math.round(seconds * 1000 * RENEWED_AT);
      await store.put(one, { waitMs, failures: 0 });
    } catch (error) {
      log.warn({ err: error, vendor, link: one.link }, 'the vendor was not asked for webhooks');
      const asked = error instanceof AppError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
      const waitMs = Math.max(asked, Math.min(MOST_RETRY_MS, RETRY_MS * 2 ** Math.min(failures, 20)));
      await store.put(one, { waitMs, failures: failures + 1 });
    }
  }

  const loop = createLoop({
    clock,
    run: work,
    everyMs: LOOK_MS,
    failed: (error) => log.warn({ err: error }, 'subscriptions could not be looked at'),
  });

  async function linked(link: LinkOf): Promise<void> {
    if (!webhooks.has(link.vendor)) return;
    await store.want(link);
    loop.wake();
  }

  /** Takes the subscription back, unless others share what it posts; a vendor that fails does not keep the link. */
  async function unlinking({ isLast, ...link }: LinkOf & { readonly isLast: boolean }): Promise<void> {
    const webhook = webhooks.get(link.vendor);
    if (webhook?.unsubscribe === undefined || !isLast) return;
    await calls.withVendor(link, 'subscribe', webhook.unsubscribe.bind(webhook));
  }

  events.on('linked', linked);
  events.on('healed', linked);
  events.on('unlinking', unlinking);

  return {
    start(): void {
      if (webhooks.size > 0) loop.wake();
    },
    settled: loop.settled,
    close: loop.close,
  };
}
