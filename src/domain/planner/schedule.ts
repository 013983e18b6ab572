import { planAmperes } from './amperes.ts';
import {
  ampereDomain,
  type Domain,
  energyOf,
  greatestCommonDivisor,
  powerOf,
  wattDomain,
} from './domains.ts';
import { planFewDurations } from './few-durations.ts';
import { type Found, planManyDurations } from './many-durations.ts';
import { type AnyMarket, type Market, marketOf } from './market.ts';
import { planOneDuration } from './one-duration.ts';
import { orderOf } from './order.ts';
import type { PlanKind } from './profile.ts';
import type { CheckedRequest } from './request.ts';

/** More durations than this are left to the dynamic programme. */
const FEW_DURATIONS = 4;

interface Goal {
  /** Whole Wh wanted. */
  readonly need: number;
  /** Whole Wh that may be taken at most when the need cannot be hit. */
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

/** The usable slots with what each may take. */
interface Field {
  readonly order: Int32Array;
  readonly domains: readonly Domain[];
  readonly domainOf: Int32Array;
  /** All lengths of watt slots are this many hours' multiples: energies are too. 1 where that says nothing. */
  readonly scale: number;
  /** For amperes, the minutes of one unit of size. */
  readonly unitMinutes: number;
}

/** Which slots charge with how much: by the closed form, by enumeration or by dynamic programming. */
export function* scheduleOf(request: CheckedRequest, goal: Goal): Generator<void, Schedule> {
  const { minutes, prices, task, kind } = request;
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
  void prices;
  return { powers, energies, order: field.order, mostWh, isProven };
}

function fieldOf({ minutes, prices, task, kind }: CheckedRequest): Field {
  const usable = Math.min(minutes.length, task.deadline_slot_index + 1);
  const lengths = [...new Set(minutes.subarray(0, usable))];
  const unitMinutes = lengths.reduce(greatestCommonDivisor, 0);
  const scale = kind.type !== 'amperes' && unitMinutes % 60 === 0 ? unitMinutes / 60 : 1;
  const all = lengths.map((length) => domainOfLength(length / scale, unitMinutes, { task, kind }));
  // A slot too short for one Wh can do nothing.
  const domains = all.filter(({ maxWh }) => maxWh > 0);
  const byLength = new Int32Array(Math.max(...lengths) + 1).fill(-1);
  for (const [at, { minutes: length }] of domains.entries()) byLength[length * scale] = at;
  const ordered = orderOf(prices, usable);
  const order =
    domains.length === all.length
      ? ordered
      : ordered.filter((slot) => (byLength[minutes[slot] ?? 0] ?? -1) >= 0);
  const domainOf = order.map((slot) => byLength[minutes[slot] ?? 0] ?? 0);
  return { order, domains, domainOf, scale, unitMinutes };
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
  const need = Math.ceil(goal.need / field.scale);
  if (need === 0) return { sizes: new Float64Array(order.length), isProven: true };
  const most = domainOf.reduce((sum, at) => sum + (domains[at]?.maxWh ?? 0), 0);
  if (most <= need)
    return { sizes: Float64Array.from(domainOf, (at) => domains[at]?.max ?? 0), isProven: true };
  const room = Math.floor(goal.room / field.scale);
  const [first] = domains;
  const { kind } = request;
  if (domains.length === 1 && first?.isInterval) {
    const whEach = kind.type === 'amperes' ? first.maxWh / first.max : 1;
    const asked = { need: Math.ceil(need / whEach), room };
    const sizes = planOneDuration({ count: order.length, min: first.min, max: first.max, ...asked });
    return { sizes, isProven: true };
  }
  const widest = Math.max(...domains.map(({ maxWh }) => maxWh));
  const market = marketOf({ ...field, prices: request.prices, mostWh: need + widest });
  return yield* solved(market, { kind, need, room, unitMinutes: field.unitMinutes });
}

interface Asked extends Goal {
  readonly kind: PlanKind;
  readonly unitMinutes: number;
}

function solved({ exact, market }: AnyMarket, asked: Asked): Generator<void, Found> {
  return exact === 'number' ? uneven(market, asked) : uneven(market, asked);
}

/** Slots that differ in length, or whose energies have gaps. */
function* uneven<C>(market: Market<C>, asked: Asked): Generator<void, Found> {
  const { kind, need, room, unitMinutes } = asked;
  if (kind.type === 'amperes') {
    return yield* planAmperes(market, { need, wattsPerAmpere: kind.wattsPerAmpere, unitMinutes });
  }
  const { domains } = market;
  if (domains.length <= FEW_DURATIONS && domains.every(({ isInterval }) => isInterval)) {
    const sizes = yield* planFewDurations(market, { need, room });
    if (sizes !== undefined) return { sizes, isProven: true };
  }
  return yield* planManyDurations(market, { need, room });
}
