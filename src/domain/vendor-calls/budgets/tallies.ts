import type { BudgetRule } from '../../../adapter/budget.ts';
import { createLoop, type Loop } from '../../../core/loop.ts';
import type { Host } from '../../../db/host.ts';
import type { Cost } from './costs.ts';
import { createBudgetStore, type Use } from './store.ts';
import { mostOf, shareLeft, startOf, type Tally, turn, usedNow } from './window.ts';

const FLUSH_MS = 1_000;
/** Tallies that are looked at in a flush, to drop those that are of no use any more. */
const LOOKS = 2_000;
/** What has not been used for so long is forgotten; the longest rule is a month, and two windows count. */
const KEPT_MS = 70 * 86_400_000;
const CLEAN_MS = 86_400_000;

/** The use of one limit by one subject. */
export interface Counted {
  readonly vendor: string;
  readonly rule: BudgetRule;
  readonly subject: string;
  readonly tally: Tally;
  /** What commands are waiting for; nothing else takes it. */
  awaited: number;
}

/** A cost with what has been used of its limit. */
export interface Taken extends Cost {
  readonly counted: Counted;
  /** What the link itself has used, of a limit that links share. */
  readonly ofLink?: Counted;
}

/** What has been used of limits: counted in memory, and stored every second. */
export class Tallies {
  readonly #clock: Host['clock'];
  readonly #store: ReturnType<typeof createBudgetStore>;
  readonly #counted = new Map<string, Counted>();
  readonly #loading = new Map<string, Promise<Counted>>();
  readonly #dirty = new Set<Counted>();
  #sweep = this.#counted.entries();
  #cleanedAt: number;
  /** Stores what was used, and learns what others have. */
  readonly flushes: Loop;

  constructor({ database, clock, log }: Pick<Host, 'database' | 'clock' | 'log'>) {
    this.#clock = clock;
    this.#store = createBudgetStore(database);
    this.#cleanedAt = clock.now();
    this.flushes = createLoop({
      clock,
      run: () => this.#flush(),
      retryMs: () => FLUSH_MS,
      failed: (error) => log.warn({ err: error }, 'the use of vendor limits was not stored'),
    });
  }

  /** Those that are in memory. */
  all(): Iterable<Counted> {
    return this.#counted.values();
  }

  /** The use of a limit by a subject: at once where it is in memory. */
  of(vendor: string, rule: BudgetRule, subject: string): Counted | Promise<Counted> {
    const key = `${vendor} ${rule.name} ${subject}`;
    const known = this.#counted.get(key);
    if (known !== undefined) return known;
    const running = this.#loading.get(key);
    if (running !== undefined) return running;
    const load = this.#load({ vendor, rule, subject }, key).finally(() => this.#loading.delete(key));
    this.#loading.set(key, load);
    return load;
  }

  /** How much more of a shared limit a link may use that has used so much. */
  async shareLeft(vendor: string, rule: BudgetRule, used: number): Promise<number> {
    const now = this.#clock.now();
    const { tally } = await this.of(vendor, rule, 'app');
    turn(tally, rule, now);
    const left = Math.max(0, mostOf(rule, false) - usedNow(tally, rule, now));
    return Math.floor(shareLeft(rule.share ?? 0, { left, used }));
  }

  /** Adds what calls cost. */
  count(takes: readonly Taken[]): void {
    for (const { cost, counted: one, ofLink } of takes)
      for (const each of ofLink === undefined ? [one] : [one, ofLink]) {
        each.tally.used += cost;
        each.tally.unstored += cost;
        this.#dirty.add(each);
      }
    this.flushes.wake(FLUSH_MS);
  }

  async #load(of: Omit<Counted, 'tally' | 'awaited'>, key: string): Promise<Counted> {
    const start = startOf(of.rule, this.#clock.now());
    const before = start - of.rule.seconds * 1000;
    const usedAt = await this.#store.used({ ...of, rule: of.rule.name });
    const tally = { start, used: usedAt(start), before: usedAt(before), unstored: 0 };
    const made = { ...of, tally, awaited: 0 };
    this.#counted.set(key, made);
    return made;
  }

  async #flush(): Promise<void> {
    const now = this.#clock.now();
    const batch = [...this.#dirty].filter(({ tally }) => tally.unstored > 0);
    this.#dirty.clear();
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
    const stored = await Promise.allSettled(uses.map((use) => this.#store.add(use)));
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
      this.#dirty.add(one);
    }
    const failed = stored.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    this.#dropIdle(now);
    if (now - this.#cleanedAt > CLEAN_MS) {
      this.#cleanedAt = now;
      await this.#store.removeBefore(now - KEPT_MS);
    }
  }

  /**
   * A tally of which two windows have passed is all zeros, and need not be remembered. There is one for every link that was called:
   * some are looked at each time, where the last look ended.
   */
  #dropIdle(now: number): void {
    for (let looks = 0; looks < LOOKS; looks += 1) {
      const next = this.#sweep.next();
      if (next.done === true) {
        this.#sweep = this.#counted.entries();
        return;
      }
      const [key, { rule, tally, awaited }] = next.value;
      if (tally.unstored === 0 && awaited === 0 && now - tally.start > 2 * rule.seconds * 1000)
        this.#counted.delete(key);
    }
  }
}
