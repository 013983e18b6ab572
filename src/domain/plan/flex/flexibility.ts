import { recruit } from './recruit.ts';
import type {
  Dispatched,
  DispatchRequest,
  FleetMember,
  Flexibility,
  Period,
  Setpoint,
  Skipped,
} from './schemas.ts';

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

/** Adds whole numbers within ±(2^53 − 1) exactly, with BigInt only when the sum leaves that range. */
class ExactSum {
  #near = 0;
  #far = 0n;

  add(value: number): void {
    const sum = this.#near + value;
    if (Number.isSafeInteger(sum)) {
      this.#near = sum;
      return;
    }
    this.#far += BigInt(this.#near);
    this.#near = value;
  }

  /** This sum less another one; a bigint only past 2^53 − 1. */
  minus(other: ExactSum): number | bigint {
    return plain(this.#whole() - other.#whole());
  }

  total(): number | bigint {
    return this.#far === 0n ? this.#near : plain(this.#whole());
  }

  #whole(): bigint {
    return this.#far + BigInt(this.#near);
  }
}

function plain(value: bigint): number | bigint {
  const near = Number(value);
  return Number.isSafeInteger(near) ? near : value;
}

/**
 * Spreads a change of power over a fleet: ascending priority, equal ones in the fleet's order, each to the end of its range
 * until the amount is met; the last one takes exactly the remainder. `up` means that more power is drawn (a transmission
 * operator's up-regulation is the opposite).
 *
 * The values are not checked: whole numbers within ±(2^53 − 1), `min_w` at most `max_w`, unique ids, an amount of at least 0.
 * `answer` checks all of that.
 */
export function dispatch(fleet: readonly FleetMember[], request: DispatchRequest): Dispatched {
  const count = fleet.length;
  const rooms = new Float64Array(count);
  const priorities = new Float64Array(count);
  const skipped: Skipped[] = [];
  for (let index = 0; index < count; index += 1) {
    const member = fleet[index];
    if (member === undefined) continue;
    const room = roomOf(request.direction, member);
    rooms[index] = room;
    priorities[index] = member.priority;
    if (room === 0) noteSkipped(member, skipped);
  }
  const { order, shares, delivered } = recruit({ count, rooms, priorities }, request.amount_w);
  const setpoints = setpointsOf(fleet, { order, shares, sign: request.direction === 'up' ? 1 : -1 });
  return {
    setpoints,
    delivered_w: delivered,
    shortfall_w: request.amount_w - delivered,
    ...(skipped.length === 0 ? {} : { skipped }),
  };
}

interface Shares {
  readonly order: Uint32Array;
  readonly shares: Float64Array;
  readonly sign: 1 | -1;
}

/** Iterates in the fleet's order, which for a million members is twice as fast as in the order of recruiting. */
function setpointsOf(fleet: readonly FleetMember[], { order, shares, sign }: Shares): Setpoint[] {
  /** Position of each member among the recruited, from 1; 0 if it is not recruited. */
  const places = new Uint32Array(fleet.length);
  for (let place = 0; place < order.length; place += 1) places[order[place] ?? 0] = place + 1;
  const setpoints: Setpoint[] = new Array(order.length);
  for (let index = 0; index < fleet.length; index += 1) {
    const place = places[index] ?? 0;
    const member = fleet[index];
    if (place === 0 || member === undefined) continue;
    const delta = sign * (shares[place - 1] ?? 0);
    setpoints[place - 1] = { device_id: member.id, target_w: member.baseline_w + delta, delta_w: delta };
  }
  return setpoints;
}

function noteSkipped(member: FleetMember, skipped: Skipped[]): void {
  const reason = reasonToSkip(member);
  if (reason !== null) skipped.push({ device_id: member.id, reason });
}

interface Range {
  readonly baseline_w: number;
  readonly min_w: number;
  readonly max_w: number;
}

/** How far a member can go, watts; 0 when its baseline is outside its range, as its values are then unreliable. */
export function roomOf(direction: DispatchRequest['direction'], { baseline_w, min_w, max_w }: Range): number {
  if (baseline_w < min_w || baseline_w > max_w) return 0;
  return direction === 'up' ? max_w - baseline_w : baseline_w - min_w;
}

/** Why a member is skipped; null when it is not. */
export function reasonToSkip({ baseline_w, min_w, max_w }: Range): string | null {
  if (baseline_w < min_w) return `baseline_w ${baseline_w} is below min_w ${min_w}`;
  if (baseline_w > max_w) return `baseline_w ${baseline_w} is above max_w ${max_w}`;
  return null;
}
