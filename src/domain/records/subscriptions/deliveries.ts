import type { Clock } from '../../../core/clock.ts';
import { HOUR_MS } from '../../../core/durations.ts';
import type { Log } from '../../../core/log.ts';
import { createLoop } from '../../../core/loop.ts';
import { type EventFilter, type EventLog, type EventRow, matches } from '../events/index.ts';
import type { Deliver, Step } from './delivery.ts';
import { type DeliveryQueue, isSlow, type SubscriptionRow, type SubscriptionStore } from './store.ts';

/** A process that dies leaves its claims for so long; a delivery takes half of it at most. */
const CLAIM_MS = 30_000;
/** What was not said, events that are not wanted, and what another process has left, is found by then. */
const SWEPT_MS = 5_000;
/** Deliveries at a time of a subscription before the next one has its turn. */
const MOST_STEPS = 10;
/**
 * Deliveries at a time, in all and of one account. Subscriptions whose last delivery took long or failed have slots of their own: receivers
 * that hang keep nobody waiting but one another, and no account takes what all have.
 */
const SLOTS: Readonly<Record<DeliveryQueue, { readonly inAll: number; readonly ofAccount: number }>> = {
  first: { inAll: 128, ofAccount: 8 },
  slow: { inAll: 32, ofAccount: 4 },
  retry: { inAll: 32, ofAccount: 4 },
};

interface DeliveriesOptions {
  readonly store: SubscriptionStore;
  readonly eventLog: Pick<EventLog, 'watch' | 'bounds'>;
  readonly deliver: Deliver;
  readonly clock: Clock;
  /** The common one of all processes. */
  readonly moments: Clock;
  readonly log: Log;
}

interface WorkerOptions extends Pick<DeliveriesOptions, 'store' | 'deliver' | 'moments'> {
  readonly isRunning: () => boolean;
  readonly retryAt: (moment: number) => void;
}

/** Delivers to a subscription that is claimed, some steps at a time. */
function createWorker({ store, deliver, moments, isRunning, retryAt }: WorkerOptions) {
  const closing = new AbortController();

  async function workOn(claimed: SubscriptionRow): Promise<void> {
    let row = claimed;
    for (let steps = 1; ; steps += 1) {
      const step = await stepOf(row);
      const isLong = step.attempt !== null && isSlow(step.attempt);
      const goesOn = step.hasMore && steps < MOST_STEPS && !isLong && isRunning();
      const freeAt = goesOn ? moments.now() + CLAIM_MS : 0;
      const isUnchanged = await store.finish({ ...step, freeAt });
      if (step.retryAt > 0) retryAt(step.retryAt);
      if (!goesOn) return;
      if (!isUnchanged) {
        // Its owner has changed it: it is read again.
        await store.finish({ ...unmoved({ ...row, free_at: freeAt }), freeAt: 0 });
        return;
      }
      row = {
        ...{ ...row, free_at: freeAt, covered_at: step.coveredAt },
        ...{ cursor_tx: step.cursor.tx, cursor_id: step.cursor.id },
        ...{ pending: step.pending, failures: step.failures, failing_since: step.failingSince },
      };
    }
  }

  async function stepOf(row: SubscriptionRow): Promise<Step> {
    try {
      return await deliver(row, closing.signal);
    } catch (error) {
      if (!closing.signal.aborted) throw error;
      return unmoved(row);
    }
  }

  return {
    workOn,
    /** Claimed, and not to be worked on now. */
    async giveBack(row: SubscriptionRow): Promise<void> {
      await store.finish({ ...unmoved(row), freeAt: 0 });
    },
    /** Ends what is under way. */
    abort: (): void => closing.abort(),
  };
}

/** The slots of a queue of this process, and which accounts have them. */
function createSlots(queue: DeliveryQueue) {
  const { inAll, ofAccount } = SLOTS[queue];
  const taken = new Map<number, number>();
  let free = inAll;
  return {
    free: (): number => free,
    /** Accounts that have as many as one may have. */
    full: (): number[] => [...taken].filter(([, count]) => count >= ofAccount).map(([account]) => account),
    /** False where the account has as many as one may have. */
    take(account: number): boolean {
      const count = taken.get(account) ?? 0;
      if (count >= ofAccount) return false;
      taken.set(account, count + 1);
      free -= 1;
      return true;
    },
    release(account: number): void {
      const count = (taken.get(account) ?? 0) - 1;
      if (count > 0) taken.set(account, count);
      else taken.delete(account);
      free += 1;
    },
  };
}

interface WatchOptions extends Pick<DeliveriesOptions, 'store' | 'eventLog'> {
  readonly isWoken: (account: number) => boolean;
  readonly wake: (account: number) => void;
}

/** Watches the log of events for accounts of which a subscription wants one. */
function createWatch({ store, eventLog, isWoken, wake }: WatchOptions) {
  let wanted: ReadonlyMap<number, readonly EventFilter[]> = new Map();
  let unwatch: (() => void) | undefined;

  function notice(events: readonly EventRow[]): void {
    for (const event of events) {
      const { account_id: account } = event;
      if (isWoken(account)) continue;
      if (wanted.get(account)?.some((filter) => matches(filter)(event)) === true) wake(account);
    }
  }

  function stop(): void {
    unwatch?.();
    unwatch = undefined;
  }

  return {
    /** Reads anew what is wanted; answers whether anything is. */
    async renew(): Promise<boolean> {
      wanted = await store.wanted();
      if (wanted.size === 0) stop();
      else unwatch ??= eventLog.watch(notice);
      return wanted.size > 0;
    },
    stop,
  };
}

/** Deliveries of this process: of the subscriptions that it claims, each by one process at a time. */
export function createDeliveries(options: DeliveriesOptions) {
  const { store, eventLog, clock, moments, log } = options;
  const slots = { first: createSlots('first'), slow: createSlots('slow'), retry: createSlots('retry') };
  const watch = createWatch({ store, eventLog, isWoken: (account) => woken.has(account), wake });
  const worker = createWorker({ ...options, isRunning: () => isRunning, retryAt });
  const working = new Set<Promise<void>>();
  /** Accounts for which something may have to be delivered. */
  let woken = new Set<number>();
  /** Something may have to be delivered for any account. */
  let isAllWoken = false;
  let isRunning = false;
  let quietPassedAt = Number.NEGATIVE_INFINITY;

  /** Claims subscriptions for the free slots and begins to work on them; true where there may be more. */
  async function claim(queue: DeliveryQueue, accounts?: readonly number[]): Promise<boolean> {
    const own = slots[queue];
    const most = own.free();
    if (!isRunning || most === 0) return true;
    const claimed = await store.claim({
      ...{ queue, most, claimMs: CLAIM_MS, without: own.full() },
      ...(accounts === undefined ? {} : { accounts }),
    });
    for (const row of claimed) {
      const isOurs = own.take(row.account_id);
      const work = (isOurs ? worker.workOn(row) : worker.giveBack(row))
        .catch((error: unknown) =>
          log.warn({ err: error }, 'events could not be delivered to a subscription'),
        )
        .finally(() => {
          working.delete(work);
          if (!isOurs) return;
          own.release(row.account_id);
          // What came meanwhile found it claimed, or the share of its account taken.
          wake(row.account_id);
          if (queue === 'retry') retrying.wake();
        });
      working.add(work);
    }
    return claimed.length === most;
  }

  /** Looks for what nobody has woken, too. */
  async function sweep(): Promise<void> {
    if (!isRunning) return;
    const isAnyWanted = await watch.renew();
    if (clock.now() - quietPassedAt >= HOUR_MS) {
      await store.passQuiet((await eventLog.bounds()).end);
      quietPassedAt = clock.now();
    }
    isAllWoken = isAnyWanted;
    claiming.wake();
  }

  /** A delivery is to be repeated at a moment, ms since 1970. */
  function retryAt(moment: number): void {
    retrying.wake(Math.max(1, moment - moments.now()));
  }

  function wake(account: number): void {
    woken.add(account);
    claiming.wake();
  }

  async function claimWoken(): Promise<void> {
    if (!isAllWoken && woken.size === 0) return;
    const accounts = isAllWoken ? undefined : [...woken];
    isAllWoken = false;
    woken = new Set();
    const areShort = [await claim('first', accounts), await claim('slow', accounts)];
    if (!areShort.includes(true)) return;
    // For the next slot that is free.
    if (accounts === undefined) isAllWoken = true;
    else for (const account of accounts) woken.add(account);
  }

  /** Resolves to when the next one is due, ms. */
  async function claimRetries(): Promise<number> {
    // The next slot that is free.
    if (await claim('retry')) return SWEPT_MS;
    const next = await store.nextRetryAt(slots.retry.full());
    return next === null ? SWEPT_MS : Math.max(1, Math.min(SWEPT_MS, next - moments.now()));
  }

  const failed = (error: unknown) =>
    log.warn({ err: error }, 'subscriptions with events to deliver could not be found');
  const claiming = createLoop({ clock, run: claimWoken, failed });
  const sweeping = createLoop({ clock, run: sweep, everyMs: SWEPT_MS, failed });
  const retrying = createLoop({ clock, run: claimRetries, everyMs: SWEPT_MS, failed });

  return {
    start(): void {
      isRunning = true;
      const wakeAll = () => {
        sweeping.wake();
        retrying.wake();
      };
      void store.freeOfDead().catch(failed).then(wakeAll);
    },

    /** A subscription was made or changed. */
    changed(): void {
      if (isRunning) sweeping.wake();
    },

    /** Begins no deliveries any more. */
    async stop(): Promise<void> {
      isRunning = false;
      watch.stop();
      await Promise.all([claiming.close(), sweeping.close(), retrying.close()]);
    },

    /** Ends those that are under way: they are repeated, by another process or after the next start. */
    async close(): Promise<void> {
      await this.stop();
      worker.abort();
      await Promise.all(working);
    },
  };
}

/** It stays as it was when it was claimed. */
const unmoved = (row: SubscriptionRow): Step => ({
  row,
  cursor: { tx: row.cursor_tx, id: row.cursor_id },
  ...{ coveredAt: row.covered_at, pending: row.pending, failures: row.failures, retryAt: row.retry_at },
  ...{ failingSince: row.failing_since, reason: null, lost: null, attempt: null, hasMore: false },
});
