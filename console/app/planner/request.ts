import type { PlanRequest, PriceArea } from '../api/shapes.ts';
import type { Numbers, Setting } from './car.ts';
import { minutesOf, type Slot } from './slots.ts';

/** Volts from a phase to neutral. */
const VOLTS = 230;
/** IEC 61851-1: a charger offers a car at least 6 A. */
const LEAST_AMPERES = 6;

/** A charge to plan. */
export interface Charge {
  readonly area: PriceArea;
  readonly setting: Setting;
  readonly numbers: Numbers;
  /** The slots that may be used but for the deadline. */
  readonly slots: readonly Slot[];
  /** Whether these are all that the area has: the service then takes them itself. */
  readonly isFromNow: boolean;
  /** The last of the slots that may be used. */
  readonly lastSlot: number;
}

/** Asks for nothing: the response has the prices of an area. */
export const pricesRequest = (area: PriceArea): PlanRequest => ({
  area,
  task: {
    current_soc: 100,
    target_soc: 100,
    capacity_wh: 1,
    max_power_w: 1,
    min_power_w: 0,
    deadline_slot_index: 0,
  },
});

/** The request for the cheapest plan. */
export function planRequest(charge: Charge): PlanRequest {
  const { area, slots, isFromNow } = charge;
  if (isFromNow) return { area, ...taskOf(charge) };
  return { prices: pricedBy(slots, ({ price }) => price), ...taskOf(charge) };
}

/**
 * The request for a charge at once, or as late as possible: the same under the same rules, at prices that rise, or fall, with
 * time. What it costs follows from the real prices.
 */
export function orderedRequest(charge: Charge, order: 'at once' | 'late'): PlanRequest {
  const { slots } = charge;
  const priceAt = (index: number) => String(order === 'at once' ? index : slots.length - index);
  return { prices: pricedBy(slots, (_, index) => priceAt(index)), ...taskOf(charge) };
}

function pricedBy(slots: readonly Slot[], priceOf: (slot: Slot, index: number) => string) {
  return slots.map((slot, index) => ({
    start: new Date(slot.start).toISOString(),
    duration_min: minutesOf(slot),
    price: priceOf(slot, index),
  }));
}

function taskOf({ setting, numbers, lastSlot }: Charge): Pick<PlanRequest, 'task' | 'device_profile'> {
  const { capacity, soc, target, phases, amps, power, least } = numbers;
  const task = {
    current_soc: soc,
    target_soc: target,
    capacity_wh: Math.round(capacity * 1_000),
    deadline_slot_index: lastSlot,
  };
  const watts = Math.round(power * 1_000);
  switch (setting) {
    case 'amperes':
      return {
        task: {
          ...task,
          max_power_w: amps * phases * VOLTS,
          min_power_w: LEAST_AMPERES * phases * VOLTS,
        },
        device_profile: { kind: 'charger', voltage_v: VOLTS, phases },
      };
    case 'switched':
      return {
        task: { ...task, max_power_w: watts, min_power_w: watts },
        device_profile: { kind: 'vehicle' },
      };
    case 'watts':
      return { task: { ...task, max_power_w: watts, min_power_w: Math.round(least * 1_000) } };
  }
}
