import { CONTROL_CAPABILITIES } from '../../adapter/capabilities.ts';
import type { Command } from '../../adapter/commands.ts';
import { DEVICE_TYPES } from '../../adapter/device.ts';
import { describeValue, invalid, isWhole, mustBe } from './checks.ts';
import type { ChargeTask } from './request.ts';

/** An unchecked profile. */
export type ProfileReading = Readonly<Record<string, unknown>>;

/** How a device is controlled, which decides what a plan may contain. */
export type PlanKind =
  /** Any whole watt. `withCommands` for a battery, which takes watts as its command. */
  | { readonly type: 'watts'; readonly withCommands: boolean }
  /** Whole amperes; one ampere is `wattsPerAmpere`. */
  | {
      readonly type: 'amperes';
      readonly wattsPerAmpere: number;
      readonly minAmperes: number;
      readonly maxAmperes: number;
    }
  /** Full power or nothing. */
  | { readonly type: 'switched'; readonly on: Command; readonly off: Command };

/** IEC 61851-1: a charger offers a car at least 6 A. */
const LEAST_AMPERES = 6;
const MOST_VOLTS = 1_000;
const MOST_PHASES = 3;
const KINDS: readonly string[] = [...DEVICE_TYPES, ...CONTROL_CAPABILITIES];

/** The control of a profile's kind; throws when the profile lacks a field that its kind requires. */
export function readProfile(profile: ProfileReading | undefined, task: ChargeTask): PlanKind {
  if (profile === undefined) return { type: 'watts', withCommands: false };
  const { kind, voltage_v, phases } = profile;
  if (typeof kind !== 'string' || !KINDS.includes(kind)) {
    const got = typeof kind === 'string' ? 'this text' : describeValue(kind);
    throw invalid(`device_profile.kind must be one of ${KINDS.join(', ')}, not ${got}`);
  }
  const isCurrent = kind === 'charger' || kind === 'set_current';
  if ((isCurrent || voltage_v !== undefined) && !isWhole(voltage_v, 1, MOST_VOLTS))
    throw invalid(`device_profile.voltage_v ${mustBe(1, MOST_VOLTS, voltage_v)}`);
  if ((isCurrent || phases !== undefined) && !isWhole(phases, 1, MOST_PHASES))
    throw invalid(`device_profile.phases ${mustBe(1, MOST_PHASES, phases)}`);
  if (isCurrent) return amperesOf(Number(voltage_v) * Number(phases), task);
  if (kind === 'battery' || kind === 'set_battery_power') return { type: 'watts', withCommands: true };
  return kind === 'vehicle' || kind === 'charge_control'
    ? { type: 'switched', on: { type: 'start_charge' }, off: { type: 'stop_charge' } }
    : { type: 'switched', on: { type: 'turn_on' }, off: { type: 'turn_off' } };
}

function amperesOf(wattsPerAmpere: number, { min_power_w, max_power_w }: ChargeTask): PlanKind {
  const minAmperes = Math.max(LEAST_AMPERES, Math.ceil(min_power_w / wattsPerAmpere));
  const maxAmperes = Math.floor(max_power_w / wattsPerAmpere);
  if (minAmperes > maxAmperes) {
    throw invalid(
      `task.max_power_w must be at least ${minAmperes * wattsPerAmpere} (${minAmperes} A at ${wattsPerAmpere} W an ampere), not ${max_power_w}: the plan is made in whole amperes`,
    );
  }
  return { type: 'amperes', wattsPerAmpere, minAmperes, maxAmperes };
}

/** The command that makes a device of this kind draw `power_w`, as the device accepts it; undefined without a profile. */
export function commandFor(kind: PlanKind, power_w: number): Command | undefined {
  switch (kind.type) {
    case 'watts':
      return kind.withCommands ? { type: 'set_battery_power', power_w } : undefined;
    case 'amperes':
      return { type: 'set_current', current_a: power_w / kind.wattsPerAmpere };
    case 'switched':
      return power_w > 0 ? kind.on : kind.off;
  }
}
