import { BoundedMap } from '../core/bounded-map.ts';
import type { Plan } from './rate-limit-plan.ts';
import { isSpent, newTally, type Tally, take } from './rate-limit-tally.ts';

/** The result of a call, with the plan it was checked against. */
export interface Taken {
  readonly isWithin: boolean;
  readonly tally: Readonly<Tally>;
  readonly plan: Plan;
}

/** Entries that are checked for each new caller, so that inactive ones are removed without a timer. */
const LOOKED_AT = 4;

/** The tallies of this process, by caller. */
export class MemoryTallies {
  readonly #tallies: BoundedMap<string, Tally>;
  #sweep: MapIterator<[string, Tally]>;

  /** Beyond `capacity` callers the oldest entry is removed. */
  constructor(capacity: number) {
    this.#tallies = new BoundedMap(capacity);
    this.#sweep = this.#tallies.entries();
  }

  get size(): number {
    return this.#tallies.size;
  }

  take(caller: string, plan: Plan, { now, cost }: { readonly now: number; readonly cost: 0 | 1 }): Taken {
    let tally = this.#tallies.get(caller);
    if (tally === undefined) {
      this.#forgetSome(now);
      tally = newTally();
      this.#tallies.set(caller, tally);
    }
    return { isWithin: take(tally, plan, now, cost), tally, plan };
  }

  #forgetSome(now: number): void {
    for (let looked = 0; looked < LOOKED_AT; looked += 1) {
      const next = this.#sweep.next();
      if (next.done === true) {
        this.#sweep = this.#tallies.entries();
        break;
      }
      const [caller, tally] = next.value;
      if (isSpent(tally, now)) this.#tallies.delete(caller);
    }
  }
}
