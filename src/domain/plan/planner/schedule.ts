import { planAmperes } from './amperes.ts';
import type { ScaledPrices } from './decimal.ts';
import {
  ampereDomain,
  type Domain,
  dividedBy,
  divisorOf,
  energyOf,
  greatestCommonDivisor,
  isInterval,
  powerOf,
  wattDomain,
} from './domains.ts';
import { planFewDurations } from './few-durations.ts';
import { aboveOf, type Found, planManyDurations } from './many-durations.ts';
import { type Market, marketOf, pruned, unpruned } from './market.ts';
import { type CheckedRequest, MOST_MINUTES, type PlanKind } from './request.ts';

/** More durations than this are left to the dynamic programme. */
const FEW_DURATIONS = 4;

interface Goal {
  /** Whole Wh wanted. */
  readonly need: number;
  /** Most whole Wh when the need cannot be hit exactly. */
  readonly room: number;
}

export interface Schedule {
  /** W by slot of the request. */
  readonly powers: Float64Array;
  /** Wh by slot of the request. */
  readonly energies: Float64Array;
  /** Usable slots by (price, index). */
  readonly order: Int32Array;
  /** Most that each usable slot could take, Wh, by rank. */
  readonly mostWh: Float64Array;
  readonly isProven: boolean;
}

/** The usable slots with the sizes each may take. */
interface Field {
  readonly order: Int32Array;
  readonly domains: readonly Domain[];
  readonly domainOf: Int32Array;
  /** Sizes of watts are energies in Wh divided by this; 1 for amperes. */
  readonly scale: number;
  /** For amperes, the minutes of one unit of size. */
  readonly unitMinutes: number;
}

/** The power of each slot: by the closed form, by enumeration or by dynamic programming. */
export function* scheduleOf(request: CheckedRequest, goal: Goal): Generator<void, Schedule> {
  const { minutes, task, kind } = request;
  const field = fieldOf(request);
  yield;
  const { sizes, isProven } = yield* sizesOf(request, field, goal);
  const powers = new Float64Array(minutes.length);
  const energies = new Float64Array(minutes.length);
  const mostWh = new Float64Array(field.order.length);
  const leastPower = kind.type === 'watts' ? task.min_power_w : task.max_power_w;
  for (let rank = 0; rank < field.order.length; rank += 1) {
    const slot = field.order[rank] ?? 0;
    const duration = minutes[slot] ?? 0;
    mostWh[rank] = (field.domains[field.domainOf[rank] ?? 0]?.maxWh ?? 0) * field.scale;
    const size = sizes[rank] ?? 0;
    if (size === 0) continue;
    const power =
      kind.type === 'amperes'
        ? ((size * field.unitMinutes) / duration) * kind.wattsPerAmpere
        : powerOf(size * field.scale, duration, leastPower);
    powers[slot] = power;
    energies[slot] = energyOf(power, duration);
  }
  return { powers, energies, order: field.order, mostWh, isProven };
}

function fieldOf({ minutes, prices, task, kind }: CheckedRequest): Field {
  const usable = Math.min(minutes.length, task.deadline_slot_index + 1);
  const lengths = lengthsOf(minutes, usable);
  const unitMinutes = lengths.reduce(greatestCommonDivisor, 0);
  const all = lengths.map((length) => domainOfLength(length, unitMinutes, { task, kind }));
  // A slot too short for one Wh cannot be used.
  const useful = all.filter(({ maxWh }) => maxWh > 0);
  const scale = kind.type === 'amperes' || useful.length === 0 ? 1 : divisorOf(useful);
  const domains = scale === 1 ? useful : useful.map((domain) => dividedBy(domain, scale));
  const ordered = orderOf(prices, usable);
  if (domains.length === 1 && all.length === 1) {
    return { order: ordered, domains, domainOf: new Int32Array(usable), scale, unitMinutes };
  }
  const byLength = new Int32Array(MOST_MINUTES + 1).fill(-1);
  for (const [at, { minutes: length }] of domains.entries()) byLength[length] = at;
  const order = ordered.filter((slot) => (byLength[minutes[slot] ?? 0] ?? -1) >= 0);
  const domainOf = order.map((slot) => byLength[minutes[slot] ?? 0] ?? 0);
  return { order, domains, domainOf, scale, unitMinutes };
}

/** The different lengths of the first `count` slots. */
function lengthsOf(minutes: Int32Array, count: number): number[] {
  const lengths: number[] = [];
  const included = new Set<number>();
  let last = 0;
  for (let slot = 0; slot < count; slot += 1) {
    const length = minutes[slot] ?? 0;
    if (length === last || included.has(length)) continue;
    last = length;
    included.add(length);
    lengths.push(length);
  }
  return lengths;
}

interface Permitted {
  readonly task: { readonly min_power_w: number; readonly max_power_w: number };
  readonly kind: PlanKind;
}

function domainOfLength(length: number, unitMinutes: number, { task, kind }: Permitted): Domain {
  if (kind.type === 'amperes') return ampereDomain(length, unitMinutes, kind);
  const least = kind.type === 'switched' ? task.max_power_w : task.min_power_w;
  return wattDomain(length, least, task.max_power_w);
}

function* sizesOf(request: CheckedRequest, field: Field, goal: Goal): Generator<void, Found> {
  const { order, domains, domainOf } = field;
  const room = Math.floor(goal.room / field.scale);
  // A need that is no multiple of the scale cannot be hit; the next multiple is an overshoot that may not fit.
  const above = Math.ceil(goal.need / field.scale);
  const isHit = above * field.scale === goal.need;
  const need = isHit || above <= room ? above : above - 1;
  if (need === 0) return { sizes: new Float64Array(order.length), isProven: true };
  let most = 0;
  for (let rank = 0; rank < order.length; rank += 1) most += domains[domainOf[rank] ?? 0]?.maxWh ?? 0;
  if (most <= need)
    return { sizes: Float64Array.from(domainOf, (at) => domains[at]?.max ?? 0), isProven: true };
  const [first] = domains;
  const { kind } = request;
  if (domains.length === 1 && first !== undefined && isInterval(first)) {
    // Here an ampere is a whole number of Wh, or there is one current only.
    const asked = { need: Math.ceil((need * first.max) / first.maxWh), room };
    const sizes = planOneDuration({ count: order.length, min: first.min, max: first.max, ...asked });
    return { sizes, isProven: true };
  }
  const widest = Math.max(...domains.map(({ maxWh }) => maxWh));
  const market = marketOf({
    ...field,
    prices: request.prices,
    mostWh: need + widest,
    isSumFixed: kind.type !== 'amperes',
  });
  const asked = { kind, need, room, unitMinutes: field.unitMinutes };
  return yield* market.exact === 'number' ? uneven(market.market, asked) : uneven(market.market, asked);
}

interface Asked extends Goal {
  readonly kind: PlanKind;
  readonly unitMinutes: number;
}

/** Slots that differ in length, or whose energies have gaps. */
function* uneven<C>(market: Market<C>, asked: Asked): Generator<void, Found> {
  const { kind, need, room, unitMinutes } = asked;
  const { count } = market;
  if (kind.type === 'amperes') {
    return yield* planAmperes(market, { need, wattsPerAmpere: kind.wattsPerAmpere, unitMinutes });
  }
  const useful = pruned(market, aboveOf(market, { need, room }).high);
  if (useful.market.count === 0) return { sizes: new Float64Array(count), isProven: true };
  yield;
  const found = yield* wattsOf(useful.market, { need, room });
  return { ...found, sizes: unpruned(useful, found.sizes, count) };
}

function* wattsOf<C>(market: Market<C>, goal: Goal): Generator<void, Found> {
  const { domains } = market;
  if (domains.length <= FEW_DURATIONS && domains.every(isInterval)) {
    const sizes = yield* planFewDurations(market, goal);
    if (sizes !== undefined) return { sizes, isProven: true };
  }
  return yield* planManyDurations(market, goal);
}

/**
 * The first `count` slots by (price, index): `order[rank]` is a slot's index. Where price and index fit one number
 * together they are sorted as plain numbers, without a function that compares.
 */
function orderOf({ values }: ScaledPrices, count: number): Int32Array {
  return (values instanceof Float64Array ? packed(values, count) : undefined) ?? compared(values, count);
}

function packed(values: Float64Array, count: number): Int32Array | undefined {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (let slot = 0; slot < count; slot += 1) {
    const value = values[slot] ?? 0;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  if ((most - least + 1) * count > Number.MAX_SAFE_INTEGER) return undefined;
  const keys = new Float64Array(count);
  for (let slot = 0; slot < count; slot += 1) keys[slot] = ((values[slot] ?? 0) - least) * count + slot;
  keys.sort();
  const order = new Int32Array(count);
  for (let rank = 0; rank < count; rank += 1) order[rank] = (keys[rank] ?? 0) % count;
  return order;
}

function compared(values: Float64Array | readonly bigint[], count: number): Int32Array {
  const order = Int32Array.from({ length: count }, (_, slot) => slot);
  return order.sort((a, b) => {
    const left = values[a] ?? 0;
    const right = values[b] ?? 0;
    return left < right ? -1 : left > right ? 1 : a - b;
  });
}

/** The problem for slots of one duration; sizes are whole Wh, or whole ampere-slots. */
interface OneDuration {
  /** Slots, in order of (price, index). */
  readonly count: number;
  /** Least and largest size of a slot that is on. */
  readonly min: number;
  readonly max: number;
  readonly need: number;
  /** Most energy when the need cannot be hit exactly; Infinity when the device stops by itself. */
  readonly room: number;
}

/**
 * Slots of one duration: the closed form, O(n) once they are sorted.
 *
 * Lemma. Let every slot take 0 or a whole number from l to h, let the sum be D with k = ⌈D/h⌉ and k·l ≤ D ≤ n·h. Then this is
 * a cheapest choice: the k cheapest slots are on, each takes l, and the rest D − k·l goes to them in order of price, at most
 * h − l each.
 *
 * Proof. Fewer than k slots cannot hold D. With more than k on, the dearest can be dropped: the others hold k·h ≥ D, their
 * minimum has only become less, and its energy moves to slots that cost no more. So k are on. Slots of one duration have
 * the same l and h, so a slot that is on can be exchanged for a cheaper one that is off: the k cheapest are on. With these
 * fixed, energy moves from a dearer slot above l to a cheaper one below h without raising the cost, until none is left to move.
 * Every step also keeps or improves the order of (price, index), so ties go to the earlier slot. ∎
 *
 * If k·l > D, then D lies in the gap between (k−1)·h and k·l, which no choice reaches: j slots hold j·l … j·h. The next totals are
 * k·l above and (k−1)·h below, and the lemma holds for either.
 */
function planOneDuration({ count, min, max, need, room }: OneDuration): Float64Array {
  const sizes = new Float64Array(count);
  if (count * max <= need) return sizes.fill(max);
  let on = Math.ceil(need / max);
  let total = need;
  if (on * min > need) {
    const overshoots = on * min <= room;
    if (!overshoots) on -= 1;
    total = overshoots ? on * min : on * max;
  }
  let rest = total - on * min;
  for (let rank = 0; rank < on; rank += 1) {
    const more = Math.min(max - min, rest);
    sizes[rank] = min + more;
    rest -= more;
  }
  return sizes;
}
