import { MINUTE_MS, QUARTER_MS } from '../src/core/durations.ts';
import type { Database } from '../src/db/database.ts';
import { valuesOf } from '../src/domain/records/history/fields.ts';
import { advance, applied, openBefore, type Quarter } from '../src/domain/records/history/fold.ts';
import type { Step } from '../src/domain/records/history/steps.ts';
import type { Followed } from '../src/domain/records/history/store.ts';

/** A charger whose power and meter change every five minutes. */
const CHANGE_MS = 5 * MINUTE_MS;
/** The newest changes, which are kept one by one. */
const KEPT_CHANGES = 25_920;

/** What the projection of history stores for such a charger between two moments. */
export function chargedBetween(from: number, to: number): Omit<Followed, 'number'> {
  let open = openBefore(from);
  const steps: Step[] = [];
  const quarters: Quarter[] = [];
  for (let at = from; at < to; at += CHANGE_MS) {
    const n = (at - from) / CHANGE_MS;
    const state = { connected: true, charging: true, power_w: 11_000 - ((n * 37) % 500), energy_wh: n * 917 };
    const step = { at, values: valuesOf(state) };
    open = applied(open, step, quarters) ?? open;
    steps.push(step);
  }
  open = advance(open, to + 1, quarters);
  return { open, steps: steps.slice(-KEPT_CHANGES), quarters };
}

/** The quarter that is under way begins then. */
export const quarterNow = (): number => Math.floor(Date.now() / QUARTER_MS) * QUARTER_MS;

/** An account whose devices are measured; returns its id. */
export async function addAccount({ queries }: Pick<Database, 'queries'>, number = 0): Promise<number> {
  const { id } = await queries
    .insertInto('accounts')
    .values({
      email: `bench-${number}@example.com`,
      name: '',
      tier: 'pro',
      created_at: 1,
      throttled_until: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
