import type { PlanRequest } from '../../src/domain/plan/planner/index.ts';

/** A generator of whole numbers that is the same for the same seed (mulberry32). */
export function seeded(seed: number): (least: number, most: number) => number {
  let state = seed >>> 0;
  return (least, most) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return least + (((mixed ^ (mixed >>> 14)) >>> 0) % (most - least + 1));
  };
}

const PALETTES: readonly (readonly number[])[] = [
  [60],
  [15],
  [15, 60],
  [5, 15, 60],
  [7, 15, 30, 60],
  [1, 14, 60],
  [120],
  [60, 120],
  [75, 90],
  [45, 60, 61, 100],
  [10, 20, 25, 50, 55],
  [1440, 600],
];

const PROFILES = [
  undefined,
  undefined,
  undefined,
  { kind: 'battery' },
  { kind: 'vehicle' },
  { kind: 'charger', voltage_v: 1, phases: 1 },
  { kind: 'charger', voltage_v: 3, phases: 1 },
  { kind: 'set_current', voltage_v: 2, phases: 3 },
];

/** An instance so small that every plan of it can be tried. */
export function tinyInstance(random: (least: number, most: number) => number): PlanRequest {
  const palette = PALETTES[random(0, PALETTES.length - 1)] ?? [60];
  const device_profile = PROFILES[random(0, PROFILES.length - 1)];
  const isCurrent = device_profile?.voltage_v !== undefined;
  const perAmpere = (device_profile?.voltage_v ?? 1) * (device_profile?.phases ?? 1);
  const max_power_w = isCurrent ? perAmpere * random(6, 11) + random(0, perAmpere - 1) : random(1, 14);
  const priceSpan = [0, 1, 3, 30][random(0, 3)] ?? 3;
  const lowest = random(0, 2) === 0 ? -random(0, 3) : 1;
  const prices = Array.from({ length: random(1, 4) }, () => ({
    duration_min: palette[random(0, palette.length - 1)] ?? 60,
    price: random(lowest, lowest + priceSpan),
  }));
  return {
    prices,
    task: {
      current_soc: random(0, 3) === 0 ? random(50, 100) : random(0, 60),
      target_soc: random(0, 3) === 0 ? 100 : random(20, 100),
      capacity_wh: random(1, isCurrent ? 60 * perAmpere : 60),
      max_power_w,
      min_power_w: isCurrent ? random(0, 6 * perAmpere) : random(0, max_power_w),
      deadline_slot_index: random(0, 5),
    },
    ...(device_profile === undefined ? {} : { device_profile }),
  };
}

const POWERS = [
  [1_380, 3_680],
  [1_380, 7_360],
  [4_140, 11_040],
  [4_140, 22_080],
  [0, 5_000],
  [3_000, 3_000],
] as const;

/** A realistic instance: hourly and quarter-hour prices, a first slot that has begun, usual chargers. */
export function realisticInstance(random: (least: number, most: number) => number): PlanRequest {
  const length = random(4, 192);
  const palette = [[60], [15], [15, 60], [15, 30, 60]][random(0, 3)] ?? [60];
  const [min_power_w, max_power_w] = POWERS[random(0, POWERS.length - 1)] ?? [0, 5_000];
  const places = 10 ** random(2, 5);
  const isFlat = random(0, 9) === 0;
  const prices = Array.from({ length }, (_, slot) => {
    const price = isFlat ? places : random(-places / 10, 3 * places);
    const begun = slot === 0 && random(0, 2) === 0;
    const duration_min = begun ? random(1, 14) : (palette[random(0, palette.length - 1)] ?? 60);
    return { duration_min, price: (price / places).toFixed(5) };
  });
  const current_soc = random(0, 90);
  return {
    prices,
    task: {
      current_soc,
      target_soc: random(current_soc, 100),
      capacity_wh: random(20, 100) * 1_000,
      max_power_w,
      min_power_w,
      deadline_slot_index: random(0, 3) === 0 ? random(0, length) : length,
    },
  };
}
