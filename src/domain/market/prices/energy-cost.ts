import { setImmediate } from 'node:timers/promises';
import { DAY_MS } from '../../../core/durations.ts';
import type { PriceArea } from '../../../sources/contract/market.ts';
import { createCostSum } from './money.ts';
import type { Energy, EnergyCost, EnergyCostQuery } from './shapes.ts';
import type { PricedSlot, PriceStore } from './store.ts';

/** Of one query: 3,000 slots are some milliseconds of the embedded engine, which blocks the process for that time. */
const PAGE_MS = 31 * DAY_MS;

interface Span {
  readonly start: number;
  readonly end: number;
}

/** What each list of energies has cost at stored prices. Prices are read once for all lists. */
export async function readEnergyCosts(
  store: Pick<PriceStore, 'between'>,
  { area, energies }: EnergyCostQuery,
): Promise<EnergyCost[]> {
  const slots: PricedSlot[] = [];
  for (const span of spansOf(energies.flat())) {
    for (let from = span.start; from < span.end; from += PAGE_MS) {
      const until = Math.min(span.end, from + PAGE_MS);
      // A slot that lies in two pages is taken from the first.
      const read = slots.at(-1)?.end ?? Number.NEGATIVE_INFINITY;
      slots.push(...(await store.between({ area, from, until })).filter(({ start }) => start >= read));
      await setImmediate();
    }
  }
  return energies.map((list) => costOf(list, slots));
}

/** An energy of a moment lies in the slot of that moment. */
const endOf = ({ start, end }: Energy): number => Math.max(end, start + 1);

/** The times that prices are needed of, in order; those less than a day apart are read as one. */
function spansOf(energies: readonly Energy[]): Span[] {
  const spans: { start: number; end: number }[] = [];
  for (const energy of energies.toSorted((a, b) => a.start - b.start)) {
    if (energy.wh === 0) continue;
    const last = spans.at(-1);
    if (last !== undefined && energy.start < last.end + DAY_MS) last.end = Math.max(last.end, endOf(energy));
    else spans.push({ start: energy.start, end: endOf(energy) });
  }
  return spans;
}

/** The cost of energies at the prices of slots, which are in order and do not overlap. An energy is spread evenly over its time. */
export function costOf(energies: readonly Energy[], slots: readonly PricedSlot[]): EnergyCost {
  const sum = createCostSum();
  const missing: Span[] = [];
  for (const energy of energies) {
    if (energy.wh === 0) continue;
    const { start, wh } = energy;
    const end = endOf(energy);
    let at = start;
    for (let index = firstEndingAfter(slots, start); at < end; index += 1) {
      const slot = slots[index];
      const priced = slot === undefined ? end : Math.min(end, Math.max(at, slot.start));
      if (priced > at) missing.push({ start: at, end: priced });
      if (slot === undefined || priced >= end) break;
      at = Math.min(end, slot.end);
      sum.add(slot.sek, wh, { ms: at - priced, of: end - start });
    }
  }
  const currency = 'SEK';
  return missing.length === 0
    ? { cost: sum.total(), currency, missing: [] }
    : { cost: null, currency, missing: joined(missing) };
}

function firstEndingAfter(slots: readonly PricedSlot[], at: number): number {
  let [low, high] = [0, slots.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((slots[middle]?.end ?? 0) > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The same times, in order and as few as possible. */
function joined(spans: readonly Span[]): Span[] {
  const all: { start: number; end: number }[] = [];
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else all.push({ start, end });
  }
  return all;
}

/** Why a cost is not known: the first time without a price; null where it is known. */
export function whyUnpriced(area: PriceArea, { missing }: EnergyCost): string | null {
  const [first, ...others] = missing;
  if (first === undefined) return null;
  const more = others.length === 0 ? '' : `, and ${others.length} more times`;
  return `no price of ${area} is stored from ${minuteText(first.start)} to ${minuteText(first.end)}${more}`;
}

const minuteText = (at: number): string => `${new Date(at).toISOString().slice(0, 16)}Z`;
