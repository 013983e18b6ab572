import type { Point } from '../../../src/pages/plot/shapes.ts';
import type { Plan } from '../api/shapes.ts';
import type { Slot } from './slots.ts';

/** A slot with its price in öre, and the power that is planned in it, W; without a plan there is none. */
export interface PlanPoint extends Point {
  readonly ore: number;
  readonly power_w?: number;
  readonly wh?: number;
  /** kr/kWh */
  readonly price: string;
}

/** Slots with what a plan has in them; its slots may be fewer. */
export function pointsOf(slots: readonly Slot[], plan: Plan | undefined): readonly PlanPoint[] {
  const planned = new Map(plan?.slots.map((slot) => [Date.parse(slot.start ?? ''), slot]));
  return slots.map(({ start, end, price }) => {
    const slot = planned.get(start);
    return {
      start: new Date(start).toISOString(),
      end: new Date(end).toISOString(),
      price,
      ore: Number(price) * 100,
      ...(plan === undefined ? {} : { power_w: slot?.power_w ?? 0, wh: slot?.expected_energy_wh ?? 0 }),
    };
  });
}

/** The point that a moment is in: that which begins with it, of two that meet there. */
export const slotAt = (points: readonly PlanPoint[], at: number): PlanPoint | undefined =>
  points.findLast(({ start }) => Date.parse(start) <= at);

/** The points in which something is charged. */
export const chargingOf = (points: readonly PlanPoint[]): readonly PlanPoint[] =>
  points.filter(({ power_w = 0 }) => power_w > 0);
