import { noteSkipped } from './dispatch.ts';
import { ExactSum } from './exact-sum.ts';
import type { FleetMember, Flexibility, Period, Skipped } from './shapes.ts';

/** The sums that flexibility is made of, watts. */
export class Headroom {
  readonly #baseline = new ExactSum();
  /** Of the members that can be controlled. */
  readonly #controlled = new ExactSum();
  readonly #min = new ExactSum();
  readonly #max = new ExactSum();

  /** Takes a member in; answers whether its baseline lies within its range. */
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
 * What a fleet can do: how much more it can draw (`up_w`), how much less (`down_w`), and what it draws. A member outside its
 * own range counts in the baseline alone. Values are trusted as in `dispatch`; `answer` checks them.
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
