import { noteSkipped } from './dispatch.ts';
import { ExactSum } from './exact-sum.ts';
import type { FleetMember, Flexibility, Period, Skipped } from './schemas.ts';

/** The sums for flexibility, watts. */
export class Headroom {
  readonly #baseline = new ExactSum();
  /** Of the members that can be controlled. */
  readonly #controlled = new ExactSum();
  readonly #min = new ExactSum();
  readonly #max = new ExactSum();

  /** Adds a member; returns whether its baseline is within its range. */
  add(baseline: number, min: number, max: number): boolean {
    this.#baseline.add(baseline);
    if (baseline < min || baseline > max) return false;
    this.#controlled.add(baseline);
    this.#min.add(min);
    this.#max.add(max);
    return true;
  }

  totals(): Pick<Flexibility, 'up_w' | 'down_w' | 'baseline_w'> {
    return {
      up_w: this.#max.minus(this.#controlled),
      down_w: this.#controlled.minus(this.#min),
      baseline_w: this.#baseline.total(),
    };
  }
}

/**
 * Flexibility of a fleet: how much more it can draw (`up_w`), how much less (`down_w`), and its baseline. A member outside
 * its own range counts only in the baseline. Values are not checked, as in `dispatch`; `answer` checks them.
 */
export function flexibility(fleet: readonly FleetMember[], period: Period): Flexibility {
  const headroom = new Headroom();
  const skipped: Skipped[] = [];
  for (const member of fleet) {
    if (!headroom.add(member.baseline_w, member.min_w, member.max_w)) noteSkipped(member, skipped);
  }
  return {
    ...headroom.totals(),
    period_index: period.index,
    ...(skipped.length === 0 ? {} : { skipped }),
  };
}
