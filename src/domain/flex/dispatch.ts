import { recruit } from './recruit.ts';
import { reasonToSkip, roomOf } from './room.ts';
import type { Dispatched, DispatchRequest, FleetMember, Setpoint, Skipped } from './schemas.ts';

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

export function noteSkipped(member: FleetMember, skipped: Skipped[]): void {
  const reason = reasonToSkip(member);
  if (reason !== null) skipped.push({ device_id: member.id, reason });
}
