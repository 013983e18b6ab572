import type { Capability, Limits } from '../api/shapes.ts';

/** How the power of charging is set: in whole amperes, on and off, or in watts. */
export const SETTINGS = ['amperes', 'switched', 'watts'] as const;
export type Setting = (typeof SETTINGS)[number];

/** What is typed about a car and its charge, by the name that it has in the address. */
export const FIELDS = ['capacity', 'soc', 'target', 'amps', 'phases', 'power', 'least'] as const;
export type FieldName = (typeof FIELDS)[number];
export type Numbers = Readonly<Record<FieldName, number>>;

interface Range {
  readonly least: number;
  readonly most: number;
  /** Whole numbers alone are right. */
  readonly isWhole: boolean;
}

/** What the planner takes, in the units of the fields: kWh, %, A and kW. */
export const RANGES: Readonly<Record<FieldName, Range>> = {
  capacity: { least: 1, most: 1_000, isWhole: false },
  soc: { least: 0, most: 100, isWhole: true },
  target: { least: 1, most: 100, isWhole: true },
  amps: { least: 6, most: 1_000, isWhole: true },
  phases: { least: 1, most: 3, isWhole: true },
  power: { least: 0.1, most: 1_000, isWhole: false },
  least: { least: 0, most: 1_000, isWhole: false },
};

export const BATTERY_FIELDS = ['capacity', 'soc', 'target'] as const;
/** What limits the power. */
export const POWER_FIELDS: Readonly<Record<Setting, readonly FieldName[]>> = {
  amperes: ['phases', 'amps'],
  switched: ['power'],
  watts: ['power', 'least'],
};

/** What is taken where nothing is known: a usual car at a charger of 11 kW. */
export const USUAL: Numbers = {
  capacity: 60,
  soc: 20,
  target: 80,
  amps: 16,
  phases: 3,
  power: 11,
  least: 0,
};

/** Whether a number is one that the planner takes. */
export function isInRange(name: FieldName, value: number): boolean {
  const { least, most, isWhole } = RANGES[name];
  return value >= least && value <= most && (!isWhole || Number.isInteger(value));
}

/** What a device says of a charge, as far as it does. */
export interface Known {
  readonly setting: Setting;
  readonly numbers: Partial<Numbers>;
}

interface OfDevice {
  readonly capabilities: readonly Capability[];
  readonly state?: { readonly battery_soc?: number | null } | undefined;
  readonly limits?: Limits | undefined;
}

/** What is known of a vehicle or a charger: its level, and what limits its power. */
export function knownOf({ capabilities, state, limits }: OfDevice): Known {
  const has = (capability: Capability) => capabilities.includes(capability);
  const isLimited = limits?.max_a !== null && limits?.max_a !== undefined;
  const setting =
    has('set_current') || (has('load_balancing') && isLimited)
      ? 'amperes'
      : has('charge_control') || has('on_off')
        ? 'switched'
        : 'watts';
  const soc = state?.battery_soc;
  const amps = limits?.max_a;
  const watts = limits?.max_w;
  return {
    setting,
    numbers: {
      ...(typeof soc === 'number' ? { soc: Math.round(soc) } : {}),
      ...(typeof amps === 'number' && amps >= RANGES.amps.least ? { amps: Math.floor(amps) } : {}),
      ...(typeof watts === 'number' && watts > 0 ? { power: watts / 1_000 } : {}),
    },
  };
}
