import type { Dispatched, DispatchRequest, FleetMember } from '../src/domain/flex/index.ts';

/** A fleet of chargers with a hundred priorities, the same every time. */
export function fleetOf(members: number): FleetMember[] {
  return Array.from({ length: members }, (_, index) => ({
    id: `charger-${index}`,
    baseline_w: 5_000 + ((index * 7_919) % 3_000),
    min_w: 0,
    max_w: 11_000,
    priority: (index * 7_907) % 100,
  }));
}

/** About half of the fleet's flexibility. */
export function halfOf(members: number): DispatchRequest {
  return { direction: 'up', amount_w: members * 2_250 };
}

/** The opponent: the straightforward implementation. */
export function plainDispatch(fleet: readonly FleetMember[], request: DispatchRequest): Dispatched {
  const setpoints: Dispatched['setpoints'] = [];
  let left = request.amount_w;
  for (const member of fleet.toSorted((a, b) => a.priority - b.priority)) {
    if (left === 0) break;
    const room =
      request.direction === 'up' ? member.max_w - member.baseline_w : member.baseline_w - member.min_w;
    const share = Math.min(room, left);
    if (share <= 0) continue;
    const delta = request.direction === 'up' ? share : -share;
    setpoints.push({ device_id: member.id, target_w: member.baseline_w + delta, delta_w: delta });
    left -= share;
  }
  return { setpoints, delivered_w: request.amount_w - left, shortfall_w: left };
}

/** A body of nearly 96 MiB with a million members; every member is recruited. */
export function largestBody(): Buffer {
  const one = (index: number) =>
    `{"id":"${String(index).padStart(34, 'charger-')}","baseline_w":0,"min_w":0,"max_w":11000,"priority":1}`;
  const members = Array.from({ length: 1_000_000 }, (_, index) => one(index));
  return Buffer.from(`{"fleet":[${members}],"request":{"direction":"up","amount_w":20000000000}}`);
}
