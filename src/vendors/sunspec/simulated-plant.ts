import type { Situation } from '../../adapter/conformance/witnesses.ts';
import { HOUR_MS } from '../../core/durations.ts';

/** Panels, a battery and their inverter, as far as commands change them. Powers in W. */
export interface Plant {
  /** ms since 1970. */
  at: number;
  /** What the sun gives. */
  readonly sunW: number;
  /** What the battery takes by itself. */
  automaticW: number;
  storedWh: number;
  producedWh: number;
  /** The limit of the AC side, and when it ends. */
  limit: { readonly watt: number; readonly until: number } | undefined;
  /** What the battery has to take: between the two, and when that ends. */
  setPoint: { readonly least: number; readonly most: number; readonly until: number } | undefined;
}

export const PACK_WH = 10_000;
export const RATED_W = 8_000;
export const BATTERY_W = 5_000;
const STEP_MS = 1_000;

export const newPlant = (now: number, { sunW, batteryWh }: { sunW: number; batteryWh: number }): Plant => ({
  at: now,
  sunW,
  automaticW: 0,
  storedWh: batteryWh,
  producedWh: 12_345_678,
  limit: undefined,
  setPoint: undefined,
});

export interface Flows {
  readonly panelsW: number;
  readonly batteryW: number;
  /** What the inverter gives to the grid side. */
  readonly acW: number;
}

/** What flows now. */
export function flowsOf(plant: Plant): Flows {
  const { setPoint, automaticW, storedWh, limit, sunW } = plant;
  const wanted =
    setPoint === undefined ? automaticW : Math.min(setPoint.most, Math.max(setPoint.least, automaticW));
  const isBlocked = (wanted > 0 && storedWh >= PACK_WH) || (wanted < 0 && storedWh <= 0);
  const batteryW = isBlocked ? 0 : Math.min(BATTERY_W, Math.max(-BATTERY_W, wanted));
  const panelsW = Math.max(0, Math.min(sunW, (limit?.watt ?? RATED_W) + batteryW));
  return { panelsW, batteryW, acW: panelsW - batteryW };
}

/** Lets time pass until now; what has a timer ends on the way. */
export function settle(plant: Plant, now: number): void {
  while (plant.at < now) {
    const ends = [plant.limit?.until, plant.setPoint?.until].filter((end) => end !== undefined);
    const next = Math.min(now, ...ends.filter((end) => end > plant.at), plant.at + 60 * STEP_MS);
    const hours = (next - plant.at) / HOUR_MS;
    const { batteryW, acW } = flowsOf(plant);
    plant.storedWh = Math.min(PACK_WH, Math.max(0, plant.storedWh + batteryW * hours));
    plant.producedWh += Math.max(0, acW) * hours;
    plant.at = next;
    if (plant.limit !== undefined && plant.limit.until <= next) plant.limit = undefined;
    if (plant.setPoint !== undefined && plant.setPoint.until <= next) plant.setPoint = undefined;
  }
}

export function arrangePlant(plant: Plant, situation: Situation): void {
  plant.limit = undefined;
  plant.setPoint = undefined;
  plant.storedWh = PACK_WH / 2;
  plant.automaticW = situation === 'battery_automatic' ? 1_500 : 0;
}
