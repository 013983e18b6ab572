import type { Adapter } from '../../adapter/adapter.ts';
import type { BudgetRule, CallUse } from '../../adapter/budget.ts';
import type { LinkKey } from '../../adapter/session.ts';
import { rfc3339 } from '../../core/clock.ts';
import { createLoop } from '../../core/loop.ts';
import type { Host } from '../../db/host.ts';
import { bearableSeconds } from './bearable.ts';
import { createBlocks } from './blocks.ts';
import { type Cost, costsOf, usedUp } from './costs.ts';
import { countBlocks, usedOfShared } from './measured.ts';
import { mostOf, shareLeft, trusted } from './room.ts';
import { createBudgetStore, type Use } from './store.ts';
import type { Block } from './store-blocks.ts';
import { secondsUntil, startOf, type Tally, turn, usedNow } from './window.ts';

export { type Readers, sharingTypes } from './bearable.ts';
export { sharedUse } from './shared-use.ts';
export { activeBlocks } from './store-blocks.ts';

export interface Spending {
  readonly use: CallUse;
  readonly device: string | undefined;
  readonly site?: string | undefined;
  /** What the call takes of limits, by their names, where that is not what its use takes. */
  readonly costs?: Readonly<Record<string, number>> | undefined;
  readonly link: LinkKey;
  readonly adapter: Pick<Adapter, 'slug' | 'name' | 'budgets'>;
  /** Nobody waits for it: it leaves the reserve alone. */
  readonly isBackground: boolean;
}

/** A limit as `GET /vendors/{vendor}/budget` shows it. */
export interface BudgetView {
  readonly name: string;
  readonly of: BudgetRule['of'];
  /** The link, for a limit that is its own. */
  readonly link: string | null;
  /** The site of the link, for a limit that is its own. */
  readonly site: string | null;
  /** What a call of each use takes; 0 is not counted. Some calls take something else. */
  readonly costs: Readonly<Record<CallUse, number>>;
  readonly unit: BudgetRule['unit'];
  readonly amount: number;
  readonly window_seconds: number;
  readonly used: number;
  readonly remaining: number;
  /** Kept for commands and for reads that somebody waits for. */
  readonly reserved: number;
  /** The end of the window that is counted in. */
  readonly resets_at: string;
  readonly source: string;
}

const FLUSH_MS = 1_000;
/** Tallies that are looked at in a flush, to drop those that are of no use any more. */
const LOOKS = 2_000;
/** What has not been used for so long is forgotten; the longest rule is a month, and two windows count. */
const KEPT_MS = 70 * 86_400_000;
const CLEAN_MS = 86_400_000;

interface Counted {
  readonly vendor: string;
  readonly rule: BudgetRule;
  readonly subject: string;
  readonly tally: Tally;
}

/** A cost with what has been used of its limit. */
interface Taken extends Cost {
  readonly counted: Counted;
  /** What the link itself has used, of a limit that links share. */
  readonly ofLink?: Counted;
}

type BudgetsHost = Pick<Host, 'database' | 'clock' | 'log' | 'metrics'>;

/**
 * The limits that vendors set, kept below. Counted in memory, stored every second, and shared through the database: a restart
 * forgets at most a second of calls, and processes know of each other's calls a second later.
 */
export function createBudgets({ database, clock, log, metrics }: BudgetsHost) {
  const store = createBudgetStore(database);
  const blocks = createBlocks({ database, log });
  const counted = new Map<string, Counted>();
  const loading = new Map<string, Promise<Counted>>();
  const dirty = new Set<Counted>();
  let sweep = counted.entries();
  let cleanedAt = clock.now();

  /** How much more of a shared limit a link may use that has used so much. */
  async function shareOf(vendor: string, rule: BudgetRule, used: number): Promise<number> {
    const now = clock.now();
    const { tally } = await countedOf(vendor, rule, 'app');
    turn(tally, rule, now);
    const left = Math.max(0, mostOf(rule, false) - usedNow(tally, rule, now));
    return Math.floor(shareLeft(rule.share ?? 0, { left, used }));
  }

  const linkSubject = ({ account, link }: LinkKey): string => `${account}/${link}`;

  /** Sites are counted for each link: what another account does at the same site is nobody's to see. */
  function subjectOf(rule: BudgetRule, of: Pick<Spending, 'link' | 'device' | 'site'>): string {
    switch (rule.of) {
      case 'app':
      case 'address':
        return 'app';
      case 'link':
        return linkSubject(of.link);
      case 'site':
        return `${linkSubject(of.link)}/${of.site ?? ''}`;
      case 'device':
        return `${linkSubject(of.link)}/${of.device ?? ''}`;
    }
  }

  function countedOf(vendor: string, rule: BudgetRule, subject: string): Counted | Promise<Counted> {
    const key = `${vendor} ${rule.name} ${subject}`;
    const known = counted.get(key);
    if (known !== undefined) return known;
    const running = loading.get(key);
    if (running !== undefined) return running;
    const load = loadOne({ vendor, rule, subject }, key).finally(() => loading.delete(key));
    loading.set(key, load);
    return load;
  }

  async function loadOne(of: Omit<Counted, 'tally'>, key: string): Promise<Counted> {
    const start = startOf(of.rule, clock.now());
    const before = start - of.rule.seconds * 1000;
    const usedAt = await store.used({ ...of, rule: of.rule.name });
    const tally = { start, used: usedAt(start), before: usedAt(before), unstored: 0 };
    const made = { ...of, tally };
    counted.set(key, made);
    return made;
  }

  const flushes = createLoop({
    clock,
    run: flush,
    retryMs: () => FLUSH_MS,
    failed: (error) => log.warn({ err: error }, 'the use of vendor limits was not stored'),
  });

  /** Stores what was used, and learns what others have. */
  async function flush(): Promise<void> {
    const now = clock.now();
    const batch = [...dirty].filter(({ tally }) => tally.unstored > 0);
    dirty.clear();
    const uses = batch.map(
      ({ vendor, rule, subject, tally }): Use => ({
        vendor,
        rule: rule.name,
        subject,
        start: tally.start,
        used: tally.unstored,
      }),
    );
    for (const { tally } of batch) tally.unstored = 0;
    const stored = await Promise.allSettled(uses.map((use) => store.add(use)));
    for (const [index, one] of batch.entries()) {
      const { tally } = one;
      const outcome = stored[index];
      const isSameWindow = uses[index]?.start === tally.start;
      if (outcome?.status === 'fulfilled') {
        // What was used here meanwhile is not in the total yet.
        if (isSameWindow) tally.used = outcome.value + tally.unstored;
        continue;
      }
      if (isSameWindow) tally.unstored += uses[index]?.used ?? 0;
      dirty.add(one);
    }
    const failed = stored.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    dropIdle(now);
    if (now - cleanedAt > CLEAN_MS) {
      cleanedAt = now;
      await store.removeBefore(now - KEPT_MS);
    }
  }

  /**
   * A tally of which two windows have passed is all zeros, and need not be remembered. There is one for every link that was called:
   * some are looked at each time, where the last look ended.
   */
  function dropIdle(now: number): void {
    for (let looks = 0; looks < LOOKS; looks += 1) {
      const next = sweep.next();
      if (next.done === true) {
        sweep = counted.entries();
        return;
      }
      const [key, { rule, tally }] = next.value;
      if (tally.unstored === 0 && now - tally.start > 2 * rule.seconds * 1000) counted.delete(key);
    }
  }

  function take(takes: readonly Taken[], { adapter, isBackground }: Spending): void {
    const now = clock.now();
    for (const {
      rule,
      cost,
      counted: { tally },
      ofLink,
    } of takes) {
      turn(tally, rule, now);
      const most = mostOf(rule, isBackground);
      const left = most - usedNow(tally, rule, now);
      if (left < cost) throw usedUp(adapter, rule, secondsUntil(tally, rule, { cost, most, now }));
      if (ofLink === undefined) continue;
      turn(ofLink.tally, rule, now);
      const used = usedNow(ofLink.tally, rule, now);
      const room = shareLeft(rule.share ?? 0, { left, used });
      // What others use decays meanwhile too, so it is at the latest then.
      if (room < cost)
        throw usedUp(adapter, rule, secondsUntil(ofLink.tally, rule, { cost, most: used + room, now }));
    }
    count(takes.filter(({ rule }) => rule.unit !== 'errors'));
  }

  function count(takes: readonly Taken[]): void {
    for (const { cost, counted: one, ofLink } of takes)
      for (const each of ofLink === undefined ? [one] : [one, ofLink]) {
        each.tally.used += cost;
        each.tally.unstored += cost;
        dirty.add(each);
      }
    flushes.wake(FLUSH_MS);
  }

  /** Puts costs and tallies together: a shared limit has two, of all and of the link. */
  function takesOf(costs: readonly Cost[], tallies: readonly Counted[]): Taken[] {
    const rest = tallies.values();
    return costs.map(({ rule, cost }): Taken => {
      const counted = rest.next().value;
      const ofLink = rule.share === undefined ? undefined : rest.next().value;
      if (counted === undefined) throw new Error('there is a tally for each limit');
      return { rule, cost, counted, ...(ofLink === undefined ? {} : { ofLink }) };
    });
  }

  /** Hands on the tallies of costs: at once where all are in memory. */
  function withTaken(
    costs: readonly Cost[],
    { adapter, ...spending }: Spending,
    use: (takes: readonly Taken[]) => void,
  ): Promise<void> | void {
    if (costs.length === 0) return;
    const tallies = costs.flatMap(({ rule }) => [
      countedOf(adapter.slug, rule, subjectOf(rule, spending)),
      ...(rule.share === undefined ? [] : [countedOf(adapter.slug, rule, linkSubject(spending.link))]),
    ]);
    const ready = tallies.filter((one): one is Counted => !(one instanceof Promise));
    if (ready.length === tallies.length) return use(takesOf(costs, ready));
    return Promise.all(tallies).then((loaded) => use(takesOf(costs, loaded)));
  }

  metrics.watchVendorLimits(async () => ({
    blocks: countBlocks(await blocks.all()),
    budgets: usedOfShared(counted.values(), clock.now()),
  }));

  return {
    /** Takes what a call costs of every limit that it is under, or of none: throws `vendor.rate_limited` with the delay. */
    spend(spending: Spending): Promise<void> | void {
      return withTaken(costsOf(spending), spending, (takes) => take(takes, spending));
    },

    /** Takes what a call costs of limits of errors, since the vendor responded to it with one. */
    failed(spending: Spending): Promise<void> | void {
      const costs = costsOf(spending).filter(({ rule }) => rule.unit === 'errors');
      return withTaken(costs, spending, (takes) => {
        for (const { rule, counted: one } of takes) turn(one.tally, rule, clock.now());
        count(takes);
      });
    },

    /** What vendors refuse for a while. */
    blocks,

    /** Every limit of a vendor that concerns these links, with what is left of it; blocks come last. */
    async view(adapter: Spending['adapter'], links: readonly ViewedLink[]): Promise<BudgetView[]> {
      await flushes.run();
      const now = clock.now();
      const views = (adapter.budgets ?? []).flatMap((rule) =>
        viewed(rule, links).map(async ({ link, site }): Promise<BudgetView> => {
          // What one device has used says little of the others; the limit itself is told.
          const subject =
            rule.of === 'device'
              ? ''
              : link === undefined
                ? 'app'
                : [linkSubject(link), site].flatMap((part) => part ?? []).join('/');
          const { tally } = await countedOf(adapter.slug, rule, subject);
          turn(tally, rule, now);
          const used = Math.ceil(usedNow(tally, rule, now));
          const isShare = rule.of === 'app' && link !== undefined;
          const left = Math.max(0, Math.floor(trusted(rule)) - used);
          return {
            name: rule.name,
            of: isShare ? 'link' : rule.of,
            link: link?.link ?? null,
            site: site ?? null,
            costs: costsByUse(rule),
            unit: rule.unit,
            amount: rule.amount,
            window_seconds: rule.seconds,
            used,
            remaining: isShare ? await shareOf(adapter.slug, rule, used) : left,
            reserved: Math.floor(trusted(rule) * rule.reserve),
            resets_at: rfc3339(tally.start + rule.seconds * 1000),
            source: rule.source,
          };
        }),
      );
      const blocked = await blocks.of(adapter.slug, links);
      return [...(await Promise.all(views)), ...blocked.map((block) => viewOf(adapter, block, now))];
    },

    bearableSeconds,
    /** Resolves when everything used so far is stored. */
    flush: () => flushes.run(),
    /** The same, for the last time. */
    close: flushes.finish,
  };
}

/** A link whose limits are shown, with the sites that it has. */
export interface ViewedLink extends LinkKey {
  readonly sites?: readonly string[];
}

/** Whose use of a limit is shown; none for what is counted of all together, or of each device. */
function viewed(
  { of, share }: BudgetRule,
  links: readonly ViewedLink[],
): readonly { readonly link?: ViewedLink; readonly site?: string }[] {
  const each = links.map((link) => ({ link }));
  if (of === 'site') return links.flatMap((link) => (link.sites ?? []).map((site) => ({ link, site })));
  if (of === 'link') return each;
  return share === undefined ? [{}] : [{}, ...each];
}

const costsByUse = ({ costs }: Pick<BudgetRule, 'costs'>): Record<CallUse, number> => {
  const { login = 0, list = 0, read = 0, command = 0, wake = 0 } = costs;
  return { login, list, read, command, wake };
};

/** A block is a limit of which nothing is left. */
function viewOf({ name, budgets = [] }: Spending['adapter'], block: Block, now: number): BudgetView {
  const [, link] = block.subject.split('/');
  const shared = budgets.some(({ of }) => of === 'address') ? 'address' : 'app';
  return {
    name: 'block',
    of: link === undefined ? shared : 'link',
    link: link ?? null,
    site: null,
    costs: costsByUse({ costs: {} }),
    unit: 'calls',
    amount: 0,
    window_seconds: Math.ceil((block.until - now) / 1000),
    used: 0,
    remaining: 0,
    reserved: 0,
    resets_at: rfc3339(block.until),
    source: `${name} refuses calls to its host "${block.host}" until then`,
  };
}

export type Budgets = ReturnType<typeof createBudgets>;
