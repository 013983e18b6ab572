import { describeValue, invalid, isWhole, mustBe } from './checks.ts';
import { PriceList, type ScaledPrices } from './decimal.ts';
import { type PlanKind, type ProfileReading, readProfile } from './profile.ts';

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
