import { createChargerTimes, createMeters, type Role, roleOf } from '../../../src/domain/plan/sums/index.ts';
import type { Device, DeviceType } from '../api/shapes.ts';
import { CONDITIONS, type Condition, conditionOf } from '../devices/condition.ts';

interface TypeCount {
  readonly type: DeviceType;
  readonly all: number;
  readonly by: Readonly<Record<Condition, number>>;
}

export interface Sums {
  readonly all: number;
  readonly reachable: number;
  /** Devices whose power is in the sums. */
  readonly withPower: number;
  /** Watt, neither is negative. */
  readonly drawnW: number;
  readonly givenBackW: number;
  readonly producedW: number | undefined;
  /** Positive: taken from the grid. Undefined where no such meter can be reached. */
  readonly gridW: number | undefined;
  readonly housesW: number | undefined;
  readonly types: readonly TypeCount[];
}

/** What all devices do together, each watt once. Those that cannot be reached count for no power. */
export function sumsOf(list: readonly Device[]): Sums {
  const types = new Map<DeviceType, { all: number; by: Record<Condition, number> }>();
  const chargers = createChargerTimes();
  const meters = { grid_meter: createMeters(), house_meter: createMeters() };
  const powered: { readonly device: Device; readonly role: Role; readonly watts: number }[] = [];
  let [reachable, withPower, drawnW, givenBackW] = [0, 0, 0, 0];
  let producedW: number | undefined;
  for (const device of list) {
    const { device_type: type, state } = device;
    const entry = types.get(type) ?? { all: 0, by: none() };
    types.set(type, entry);
    entry.all += 1;
    entry.by[conditionOf(device)] += 1;
    if (state?.online !== true) continue;
    reachable += 1;
    if (typeof state.production_w === 'number') producedW = (producedW ?? 0) + state.production_w;
    const { power_w: watts } = state;
    if (typeof watts !== 'number') continue;
    const role = roleOf(device);
    powered.push({ device, role, watts });
    if (role === 'charger' && watts !== 0 && state.charging !== false) chargers.add(device.user_ref, NOW);
  }
  for (const { device, role, watts } of powered) {
    if (role === 'grid_meter' || role === 'house_meter') {
      meters[role].add(device.user_ref, watts);
      continue;
    }
    if (role === 'vehicle' && chargers.has(device.user_ref, NOW)) continue;
    withPower += 1;
    if (watts > 0) drawnW += watts;
    else givenBackW -= watts;
  }
  const counts = [...types].map(([type, counted]) => ({ type, ...counted }));
  return {
    ...{ all: list.length, reachable, withPower, drawnW, givenBackW, producedW },
    ...{ gridW: shownBy(meters.grid_meter), housesW: shownBy(meters.house_meter) },
    types: counts.sort((a, b) => b.all - a.all),
  };
}

/** The moment of a sum of powers. */
const NOW = 0;
const shownBy = (meters: ReturnType<typeof createMeters>): number | undefined =>
  meters.values().reduce<number | undefined>((sum, watts) => (sum ?? 0) + (watts ?? 0), undefined);

const none = () => Object.fromEntries(CONDITIONS.map((one) => [one, 0])) as Record<Condition, number>;
