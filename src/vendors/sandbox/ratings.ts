import type { Limits } from '../../adapter/device.ts';

/** Ratings of the devices. Charge currents are per phase, of three phases; 0 A pauses. */
export const CHARGE_LIMITS = { min_a: 6, max_a: 16, min_w: null, max_w: null } satisfies Limits;
export const BATTERY_LIMITS = { min_a: null, max_a: null, min_w: -5_000, max_w: 5_000 } satisfies Limits;
export const PLANT_LIMITS = { min_a: null, max_a: null, min_w: 50_000, max_w: 500_000 } satisfies Limits;

export const TARGET_MILLI_C = { least: 5_000, most: 35_000 };
export const DELAY_SECONDS = { least: 1, most: 86_400 };
export const PROGRAM_SECONDS = 5_400;
