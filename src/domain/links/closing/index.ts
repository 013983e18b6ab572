import type { Adapter } from '../../../adapter/adapter.ts';
import { MINUTE_MS } from '../../../core/durations.ts';
import { createLoop } from '../../../core/loop.ts';
import type { Host } from '../../../db/host.ts';
import { createLease } from '../../../db/lease.ts';
import type { Accounts } from '../../access/accounts/index.ts';
import type { Subscriptions } from '../../records/subscriptions/index.ts';
import type { Gateways } from '../gateways/index.ts';
import type { Links } from '../links/index.ts';
import { createClosingStore, ERASED } from './store.ts';

/** Other work runs between batches. */
const PAUSE_MS = 50;
/** So few that no other write waits noticeably. */
const ROWS_AT_ONCE = 500;
/** Their vendors are called at the same time. */
const LINKS_AT_ONCE = 8;
/** A link that could not be removed so often is erased without a call of its vendor. */
const ATTEMPTS = 3;
/** The deletion of links calls vendors, each for some seconds. */
const LEASE_MS = 2 * MINUTE_MS;
const UNASKED_MS = MINUTE_MS;
const RETRY_MS = 1_000;
/** What was under way when the account began to be deleted has ended then: calls, counters and what readers of the log had read. */
export const SETTLED_MS = 5 * MINUTE_MS;

interface ClosingOptions {
  readonly host: Pick<Host, 'database' | 'clock' | 'random' | 'log'>;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly accounts: Pick<Accounts, 'closing' | 'watchClosing' | 'clearAudit'>;
  readonly links: Pick<Links, 'remove'>;
  readonly gateways: Pick<Gateways, 'removeAll'>;
  readonly subscriptions: Pick<Subscriptions, 'removeAll'>;
}

type ClosingAccount = Awaited<ReturnType<Accounts['closing']>>[number];

/** How far this process is with an account. All of it is found again by another one, which begins with the first table. */
interface Progress {
  /** The place in `ERASED`. */
  table: number;
  /** How often a link could not be removed. */
  readonly failures: Map<string, number>;
}

/**
 * Erases accounts that are being deleted: their links as `DELETE /links/{id}?force=true` does, then table by table, and the account when
 * nothing is left. One process does it, a batch of each account at a time; where it ends, another goes on with what is still there.
 */
export function createClosing({ host, adapters, accounts, links, gateways, subscriptions }: ClosingOptions) {
  const { database, clock, random, log } = host;
  const store = createClosingStore(database);
  const lease = createLease({ database, random, name: 'accounts.closing', lengthMs: LEASE_MS });
  const dialIn = [...adapters.values()].flatMap(({ slug, dialIn: door }) =>
    door === undefined ? [] : [slug],
  );
  const progress = new Map<number, Progress>();

  async function removeLink(account: number, link: string, failures: Progress['failures']): Promise<void> {
    try {
      await links.remove(account, link, { isForced: true });
    } catch (error) {
      const failed = (failures.get(link) ?? 0) + 1;
      failures.set(link, failed);
      if (failed < ATTEMPTS) throw error;
      log.warn(
        { err: error, link },
        'a link of an account that is being deleted is erased without its vendor',
      );
      await store.eraseLink(account, link);
    }
  }

  /** Removes some links; false where there are none. */
  async function removeLinks(account: number, { failures }: Progress): Promise<boolean> {
    const some = await store.links({ account, first: dialIn, most: LINKS_AT_ONCE });
    const removed = await Promise.allSettled(some.map((link) => removeLink(account, link, failures)));
    for (const one of removed) if (one.status === 'rejected') throw one.reason;
    return some.length > 0;
  }

  /** Erases a batch; resolves to when there is more to do, ms. */
  async function erase({ account, since }: ClosingAccount): Promise<number> {
    const here = progress.get(account) ?? { table: 0, failures: new Map() };
    progress.set(account, here);
    if (here.table === 0) {
      await subscriptions.removeAll(account);
      if (await removeLinks(account, here)) return PAUSE_MS;
      await gateways.removeAll(account);
    }
    for (let erased = ERASED[here.table]; erased !== undefined; erased = ERASED[here.table]) {
      if ((await store.eraseSome(erased, account, ROWS_AT_ONCE)) > 0) return PAUSE_MS;
      here.table += 1;
    }
    if ((await accounts.clearAudit(account, ROWS_AT_ONCE)) > 0) return PAUSE_MS;
    // Once more from the start: something may have come meanwhile.
    here.table = 0;
    const waitMs = since + SETTLED_MS - clock.now();
    if (waitMs > 0) return Math.min(waitMs, UNASKED_MS);
    if (!(await store.eraseAccount(account))) return PAUSE_MS;
    progress.delete(account);
    log.info({ account }, 'an account was deleted with all that was stored of it');
    return PAUSE_MS;
  }

  async function run(): Promise<number | undefined> {
    const closing = await accounts.closing();
    if (closing.length === 0) return undefined;
    if (!(await lease.hold())) return undefined;
    let waitMs = UNASKED_MS;
    let failure: { readonly error: unknown } | undefined;
    for (const one of closing) {
      if (loop.isClosed) return undefined;
      try {
        waitMs = Math.min(waitMs, await erase(one));
      } catch (error) {
        // The others go on.
        failure = { error };
      }
    }
    if (failure !== undefined) throw failure.error;
    return waitMs;
  }

  const loop = createLoop({
    clock,
    run,
    everyMs: UNASKED_MS,
    retryMs: (failures) => Math.min(UNASKED_MS, RETRY_MS * 2 ** failures),
    failed: (error) =>
      log.error({ err: error }, 'an account that is being deleted could not be erased; it is tried again'),
  });
  let isStarted = false;
  accounts.watchClosing(() => {
    if (isStarted) loop.wake();
  });

  return {
    start(): void {
      isStarted = true;
      loop.wake();
    },

    /** Resolves when nothing is erased any more. */
    async close(): Promise<void> {
      await loop.close();
      // Without the database, it ends by itself.
      await lease.release().catch(() => {});
    },
  };
}
