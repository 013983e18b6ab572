import type { Command } from '../../../adapter/commands.ts';
import { DEVICE_TYPES } from '../../../adapter/device.ts';
import { CONTROL_CAPABILITIES } from '../../../adapter/fields.ts';
import { AppError } from '../../../core/errors.ts';
import { PriceList, type ScaledPrices } from './decimal.ts';

export const MOST_SLOTS = 100_000;
export const MOST_MINUTES = 1_440;
export const MOST_WATTS = 10_000_000;
export const MOST_CAPACITY_WH = 10_000_000;

/** The charge to plan; all whole numbers. */
export interface ChargeTask {
  /** Percent. */
  readonly current_soc: number;
  /** Percent. */
  readonly target_soc: number;
  /** Usable battery capacity, Wh. */
  readonly capacity_wh: number;
  /** W. */
  readonly max_power_w: number;
  /** W while it charges. */
  readonly min_power_w: number;
  /** Slots 0 … this one may be used; past the last slot means all. */
  readonly deadline_slot_index: number;
}

export interface PricedSlot {
  readonly duration_min: number;
  /** Per kWh; any finite decimal. */
  readonly price: string | number;
  /** When the slot starts; an RFC 3339 time is echoed in the plan, anything else is ignored. */
  readonly start?: unknown;
}

export interface DeviceProfile {
  /** A device type or a control capability. */
  readonly kind: string;
  /** V from phase to neutral. */
  readonly voltage_v?: number | undefined;
  readonly phases?: number | undefined;
}

export interface PlanRequest {
  readonly prices: readonly PricedSlot[];
  readonly task: ChargeTask;
  readonly device_profile?: DeviceProfile | undefined;
}

/** A validated request. */
export interface CheckedRequest {
  /** Minutes by slot. */
  readonly minutes: Int32Array;
  readonly prices: ScaledPrices;
  /** Each price as a plain decimal. */
  readonly echoes: readonly string[];
  /** When a slot starts, if its price had it. */
  readonly starts: readonly (string | undefined)[];
  readonly task: ChargeTask;
  readonly kind: PlanKind;
}

const MOMENT = /^\d{4}-\d{2}-\d{2}T[\d:.]{5,18}(?:Z|[+-]\d{2}:\d{2})$/;

const RANGES = [
  ['current_soc', 0, 100],
  ['target_soc', 0, 100],
  ['capacity_wh', 1, MOST_CAPACITY_WH],
  ['max_power_w', 1, MOST_WATTS],
  ['min_power_w', 0, MOST_WATTS],
  ['deadline_slot_index', 0, Number.MAX_SAFE_INTEGER],
] as const satisfies readonly (readonly [keyof ChargeTask, number, number])[];

/** Checks every field; throws one sentence that names the first wrong one and says what would be right. */
export function checkRequest(body: unknown): CheckedRequest {
  const { prices, task, device_profile } = objectAt(body, 'body');
  const checkedTask = checkTask(objectAt(task, 'task'));
  const profile = device_profile === undefined ? undefined : objectAt(device_profile, 'device_profile');
  const kind = readProfile(profile satisfies ProfileReading | undefined, checkedTask);
  return { ...checkPrices(prices), task: checkedTask, kind };
}

function checkPrices(prices: unknown): Pick<CheckedRequest, 'minutes' | 'prices' | 'echoes' | 'starts'> {
  if (!Array.isArray(prices)) throw invalid(`prices must be a list, not ${describeValue(prices)}`);
  const { length } = prices;
  if (length === 0) throw invalid('prices must have at least 1 item');
  if (length > MOST_SLOTS) throw invalid(`prices must have at most ${MOST_SLOTS} items, not ${length}`);
  const minutes = new Int32Array(length);
  const list = new PriceList(length);
  const echoes: string[] = [];
  const starts: (string | undefined)[] = [];
  for (let slot = 0; slot < length; slot += 1) {
    const item: unknown = prices[slot];
    if (typeof item !== 'object' || item === null || Array.isArray(item))
      throw invalid(`prices.${slot} must be a JSON object, not ${describeValue(item)}`);
    const { duration_min, price, start } = item as Readonly<Record<string, unknown>>;
    if (!isWhole(duration_min, 1, MOST_MINUTES))
      throw invalid(`prices.${slot}.duration_min ${mustBe(1, MOST_MINUTES, duration_min)}`);
    if (typeof price !== 'string' && typeof price !== 'number') {
      throw invalid(
        `prices.${slot}.price must be a decimal number, as text or number, not ${describeValue(price)}`,
      );
    }
    minutes[slot] = duration_min;
    echoes.push(list.add(price, `prices.${slot}.price`));
    if (typeof start === 'string' && MOMENT.test(start)) starts[slot] = start;
  }
  return { minutes, prices: list.scaled(), echoes, starts };
}

function checkTask(task: Readonly<Record<string, unknown>>): ChargeTask {
  for (const [name, least, most] of RANGES) {
    if (!isWhole(task[name], least, most)) throw invalid(`task.${name} ${mustBe(least, most, task[name])}`);
  }
  // Every field was checked above to be a whole number.
  const { current_soc, target_soc, capacity_wh, max_power_w, min_power_w, deadline_slot_index } =
    task as unknown as ChargeTask;
  if (min_power_w > max_power_w)
    throw invalid(`task.min_power_w must be at most task.max_power_w (${max_power_w}), not ${min_power_w}`);
  return { current_soc, target_soc, capacity_wh, max_power_w, min_power_w, deadline_slot_index };
}

function objectAt(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(`${name} must be a JSON object, not ${describeValue(value)}`);
  return value as Readonly<Record<string, unknown>>;
}

/** An unchecked profile. */
type ProfileReading = Readonly<Record<string, unknown>>;

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
function readProfile(profile: ProfileReading | undefined, task: ChargeTask): PlanKind {
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

function isWhole(value: unknown, least: number, most: number): value is number {
  return Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;
}

function mustBe(least: number, most: number, got: unknown): string {
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  return `must be a whole number ${range}, not ${describeValue(got)}`;
}

/** Describes a given value by its kind; text is not repeated. */
function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return 'text';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

function invalid(sentence: string): AppError {
  return new AppError('request.invalid', sentence);
}
