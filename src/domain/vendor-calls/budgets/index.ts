import type { BudgetRule } from '../../../adapter/budget.ts';
import type { Host } from '../../../db/host.ts';
import { linkName } from '../../../db/rows.ts';
import { type Called, createBlocks } from './blocks.ts';
import { type Cost, costsOf, type Spending, usedUp } from './costs.ts';
import { countBlocks, usedOfShared } from './measured.ts';
import { type Patience, patiently } from './patience.ts';
import { type Counted, type Taken, Tallies } from './tallies.ts';
import { type BudgetView, type ViewedLink, viewOf } from './view.ts';
import { bearableSeconds, mostOf, secondsUntil, shareLeft, turn, usedNow } from './window.ts';

export { sharedUse } from './measured.ts';
export { activeBlocks } from './store.ts';
export { type Readers, sharingTypes } from './window.ts';

type BudgetsHost = Pick<Host, 'database' | 'clock' | 'log' | 'metrics'>;

/** Sites are counted for each link: what another account does at the same site is nobody's to see. */
function subjectOf(rule: BudgetRule, of: Pick<Spending, 'link' | 'device' | 'site'>): string {
  switch (rule.of) {
    case 'app':
    case 'address':
      return 'app';
    case 'link':
      return linkName(of.link);
    case 'site':
      return `${linkName(of.link)}/${of.site ?? ''}`;
    case 'device':
      return `${linkName(of.link)}/${of.device ?? ''}`;
  }
}

/** Throws `vendor.rate_limited` where a limit has no room for what a call costs of it. */
function requireRoom(takes: readonly Taken[], spending: Spending, now: number): void {
  const { adapter, isBackground, isOfCommand = false } = spending;
  for (const {
    rule,
    cost,
    counted: { tally, awaited },
    ofLink,
  } of takes) {
    turn(tally, rule, now);
    const most = mostOf(rule, isBackground);
    const left = most - usedNow(tally, rule, now);
    // What commands wait for is left to them.
    const needed = isOfCommand ? cost : cost + awaited;
    if (left < needed) throw usedUp(adapter, rule, secondsUntil(tally, rule, { cost: needed, most, now }));
    if (ofLink === undefined) continue;
    turn(ofLink.tally, rule, now);
    const used = usedNow(ofLink.tally, rule, now);
    const room = shareLeft(rule.share ?? 0, { left, used });
    // What others use decays meanwhile too, so it is at the latest then.
    if (room < cost)
      throw usedUp(adapter, rule, secondsUntil(ofLink.tally, rule, { cost, most: used + room, now }));
  }
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

/**
 * The limits that vendors set, kept below. Counted in memory, stored every second, and shared through the database: a restart
 * forgets at most a second of calls, and processes know of each other's calls a second later.
 */
export function createBudgets({ database, clock, log, metrics }: BudgetsHost) {
  const blocks = createBlocks({ database, log });
  const tallies = new Tallies({ database, clock, log });

  /** Hands on the tallies of costs: at once where all are in memory. */
  function withTaken(
    costs: readonly Cost[],
    { adapter, ...spending }: Spending,
    use: (takes: readonly Taken[]) => void,
  ): Promise<void> | void {
    if (costs.length === 0) return;
    const found = costs.flatMap(({ rule }) => [
      tallies.of(adapter.slug, rule, subjectOf(rule, spending)),
      ...(rule.share === undefined ? [] : [tallies.of(adapter.slug, rule, linkName(spending.link))]),
    ]);
    const ready = found.filter((one): one is Counted => !(one instanceof Promise));
    if (ready.length === found.length) return use(takesOf(costs, ready));
    return Promise.all(found).then((loaded) => use(takesOf(costs, loaded)));
  }

  metrics.watchVendorLimits(async () => ({
    blocks: countBlocks(await blocks.all()),
    budgets: usedOfShared(tallies.all(), clock.now()),
  }));

  /** Takes what a call costs of every limit that it is under, or of none: throws `vendor.rate_limited` with the delay. */
  function spend(spending: Spending): Promise<void> | void {
    return withTaken(costsOf(spending), spending, (takes) => {
      requireRoom(takes, spending, clock.now());
      tallies.count(takes.filter(({ rule }) => rule.unit !== 'errors'));
    });
  }

  /** Leaves to a call what it costs, until what is answered is called. */
  async function leaveTo(spending: Spending): Promise<() => void> {
    let left: readonly Taken[] = [];
    await withTaken(costsOf(spending), spending, (takes) => {
      left = takes;
    });
    for (const { cost, counted } of left) counted.awaited += cost;
    return () => {
      for (const { cost, counted } of left) counted.awaited -= cost;
    };
  }

  return {
    spend,

    /** The same once the vendor takes calls and there is room for it, where that is soon enough. Commands come first. */
    spendInTurn(call: Spending & Called, patience: Patience): Promise<void> {
      return patiently(clock, patience, {
        async take() {
          // control: nothing is sent while a vendor refuses calls [calls/incidents]
          await blocks.check(call);
          await spend(call);
        },
        waits: async () => (call.isOfCommand ? leaveTo(call) : () => {}),
      });
    },

    /** Takes what a call costs of limits of errors, since the vendor responded to it with one. */
    failed(spending: Spending): Promise<void> | void {
      const costs = costsOf(spending).filter(({ rule }) => rule.unit === 'errors');
      return withTaken(costs, spending, (takes) => {
        for (const { rule, counted: one } of takes) turn(one.tally, rule, clock.now());
        tallies.count(takes);
      });
    },

    /** What vendors refuse for a while. */
    blocks,

    /** Every limit of a vendor that concerns these links, with what is left of it; blocks come last. */
    async view(adapter: Spending['adapter'], links: readonly ViewedLink[]): Promise<BudgetView[]> {
      await tallies.flushes.run();
      return viewOf(adapter, links, { tallies, blocks, now: clock.now() });
    },

    bearableSeconds,
    /** Resolves when everything used so far is stored. */
    flush: () => tallies.flushes.run(),
    /** The same, for the last time. */
    close: tallies.flushes.finish,
  };
}

export type Budgets = ReturnType<typeof createBudgets>;
