import { planAmperes } from './amperes.ts';
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
import { planOneDuration } from './one-duration.ts';
import { orderOf } from './order.ts';
import type { PlanKind } from './profile.ts';
import { type CheckedRequest, MOST_MINUTES } from './request.ts';

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
