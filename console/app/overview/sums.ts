import type { Device, DeviceType } from '../api/shapes.ts';
import { CONDITIONS, type Condition, conditionOf } from '../devices/condition.ts';

export interface TypeCount {
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
  readonly types: readonly TypeCount[];
}

/** What all devices do together. Those that cannot be reached count for no power. */
export function sumsOf(list: readonly Device[]): Sums {
  const types = new Map<DeviceType, { all: number; by: Record<Condition, number> }>();
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
    if (typeof state.power_w !== 'number') continue;
    withPower += 1;
    if (state.power_w > 0) drawnW += state.power_w;
    else givenBackW -= state.power_w;
  }
  const counts = [...types].map(([type, counted]) => ({ type, ...counted }));
  return {
    ...{ all: list.length, reachable, withPower, drawnW, givenBackW, producedW },
    types: counts.sort((a, b) => b.all - a.all),
  };
}

const none = () => Object.fromEntries(CONDITIONS.map((one) => [one, 0])) as Record<Condition, number>;
