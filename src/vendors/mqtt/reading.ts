import type { MqttMessage } from '../../adapter/connections.ts';
import { type AvailableCapacity, type Limits, NO_LIMITS, type Status } from '../../adapter/device.ts';
import { detailsOf, figure, jsonIn } from '../../adapter/kit/index.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import { BoundedMap } from '../../core/bounded-map.ts';
import type { Json } from '../../core/json.ts';
import { Mapping, type ReadName } from './schemas.ts';

const MOST = 1e12;
const MOST_SHOWN = 64;
const FACTORS: Readonly<Record<string, number>> = {
  kW: 1_000,
  mW: 0.001,
  kWh: 1_000,
  MWh: 1_000_000,
  mWh: 0.001,
  C: 1_000,
};

/** What a message says of a value; undefined where it does not have it. */
function valueAt(message: Pick<MqttMessage, 'text'>, pointer = ''): Json | undefined {
  const text = message.text();
  if (pointer === '') return text;
  let value: Json | undefined = jsonIn(text);
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as { readonly [key: string]: Json })[key];
  }
  return value;
}

/** A number, also as text; several are summed up: meters of three phases publish one for each. Null for everything else. */
function numberOf(value: Json): number | null {
  if (Array.isArray(value)) {
    const numbers = value.map(numberOf);
    return numbers.length === 0 || numbers.includes(null)
      ? null
      : numbers.reduce<number>((sum, one) => sum + (one ?? 0), 0);
  }
  if (typeof value === 'string' && /^\s*-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\s*$/.test(value))
    return figure(Number(value), 0 - MOST, MOST);
  return figure(value, 0 - MOST, MOST);
}

const isSame = (value: Json, wanted: string | number | boolean): boolean =>
  (typeof value === 'string' ? value.trim() : String(value)) === String(wanted);

/** What a source of a mapping makes of a message: null is a value that was not understood, undefined none at all. */
export function readIn(
  name: ReadName,
  source: NonNullable<Mapping['reads'][ReadName]>,
  message: Pick<MqttMessage, 'text'>,
): number | boolean | null | undefined {
  const value = valueAt(message, source.pointer);
  if (value === undefined || value === null) return undefined;
  if ('on' in source) return isSame(value, source.on) ? true : isSame(value, source.off) ? false : null;
  const number = numberOf(value);
  if (number === null) return null;
  const { unit, scale = 1 } = source;
  const scaled = number * scale;
  if (unit === 'F') return ((scaled - 32) / 1.8) * 1_000;
  // Degrees are the one figure whose usual unit is not the one of the state.
  const isCelsius = (name === 'read_temperature' || name === 'target') && unit === undefined;
  return figure(scaled * (isCelsius ? 1_000 : (FACTORS[unit ?? ''] ?? 1)), 0 - MOST, MOST);
}

/** Whether a message says that the device is there; undefined where it says neither. */
function isOnlineIn(
  { pointer, online, offline }: NonNullable<Mapping['availability']>[number],
  message: Pick<MqttMessage, 'text'>,
): boolean | undefined {
  const value = valueAt(message, pointer);
  if (value === undefined) return undefined;
  return isSame(value, online) ? true : isSame(value, offline) ? false : undefined;
}

/** A value that was not understood, for the log. */
function shownIn(
  name: ReadName,
  { pointer }: { readonly pointer?: string },
  message: Pick<MqttMessage, 'text'>,
) {
  return `${name} ${JSON.stringify(valueAt(message, pointer) ?? null)
    .slice(0, MOST_SHOWN)
    .toWellFormed()}`;
}

/** Devices whose last values a process has in memory: most of them are never asked for. */
const MOST_DEVICES = 20_000;
/** Nobody knows when a retained message was published: before all times that are known. */
const UNKNOWN_TIME = 0;

interface Value {
  readonly value: number | boolean | null;
  /** When it was heard, ms since 1970; null for what the broker had retained. */
  readonly at: number | null;
  /** Number of its message. */
  readonly number: number;
}

/** What was heard of a device, and what it was heard by. */
export interface Reading {
  readonly mapping: Mapping;
  readonly values: ReadonlyMap<ReadName, Value>;
  /** By its number in the mapping. */
  readonly availability: ReadonlyMap<number, boolean>;
  readonly unrecognized: readonly string[];
}

const nothing = (mapping: Mapping): Reading => ({
  mapping,
  values: new Map(),
  availability: new Map(),
  unrecognized: [],
});

/** The values that devices have published, which cannot be asked for again: not every device publishes everything with each message. */
const heard = new BoundedMap<string, { readonly mapping: string; readonly reading: Reading }>(MOST_DEVICES);
/** Messages taken in so far: two of them may come within one millisecond. */
let count = 0;
/** Number of the newest message. */
export const newestMessage = (): number => count;
const keyOf = ({ account, link, id }: DeviceRef) => `${account}/${link}/${id}`;

/** What this process has heard of a device; of a mapping that is another by now, nothing. */
export function heardOf(device: DeviceRef): Reading {
  const known = heard.get(keyOf(device));
  const text = JSON.stringify(device.details);
  if (known?.mapping === text) return known.reading;
  const reading = nothing(detailsOf(Mapping, device));
  heard.set(keyOf(device), { mapping: text, reading });
  return reading;
}

/** Takes a message in; the same reading where it has nothing of the device. */
export function hear(device: DeviceRef, message: MqttMessage, now: number): Reading {
  const before = heardOf(device);
  if (message.skippedBytes !== undefined) return before;
  const { mapping } = before;
  const values = new Map(before.values);
  const availability = new Map(before.availability);
  const unrecognized: string[] = [];
  let isNews = false;
  count += 1;
  for (const name of Object.keys(mapping.reads) as ReadName[]) {
    const source = mapping.reads[name];
    if (source?.topic !== message.topic) continue;
    const value = readIn(name, source, message);
    if (value === undefined) continue;
    if (value === null) unrecognized.push(shownIn(name, source, message));
    // What a broker kept is never newer than what a device has published.
    if (message.isRetained && values.get(name)?.at != null) continue;
    values.set(name, { value, at: message.isRetained ? null : now, number: count });
    isNews = true;
  }
  for (const [at, one] of (mapping.availability ?? []).entries()) {
    const isOnline = one.topic === message.topic ? isOnlineIn(one, message) : undefined;
    if (isOnline === undefined) continue;
    availability.set(at, isOnline);
    isNews = true;
  }
  if (!isNews) return before;
  const reading = { mapping, values, availability, unrecognized };
  heard.set(keyOf(device), { mapping: JSON.stringify(device.details), reading });
  return reading;
}

/**
 * All topics that tell something of a device. Brokers send what they retained in the order of the subscription, and a read ends with the last
 * value: availability comes before it.
 */
export function topicsOf({ reads, availability = [] }: Mapping): string[] {
  return [...new Set([...availability, ...Object.values(reads)].map(({ topic }) => topic))];
}

/** Whether there is a value for all that is mapped, heard after a message; what the broker retained is as new as it will be. */
export function isWhole({ mapping, values }: Reading, message: number): boolean {
  return (Object.keys(mapping.reads) as ReadName[]).every((name) => {
    const value = values.get(name);
    return value !== undefined && (value.at === null || value.number > message);
  });
}

export const isEmpty = ({ values, availability }: Reading): boolean =>
  values.size === 0 && availability.size === 0;

/** Of the newest value; before all times where all that is known was retained. */
export function observedAt({ values }: Reading): number {
  return Math.max(UNKNOWN_TIME, ...[...values.values()].map(({ at }) => at ?? UNKNOWN_TIME));
}

export function figureOf({ values }: Reading, name: ReadName): number | null {
  const value = values.get(name)?.value;
  return typeof value === 'number' ? value : null;
}

export function statusOf({ mapping, values, availability }: Reading): Status {
  const isOn = values.get('power_on')?.value;
  return {
    online: ![...availability.values()].includes(false),
    ...(mapping.reads.power_on === undefined ? {} : { power_on: typeof isOn === 'boolean' ? isOn : null }),
    ...(mapping.reads.dim === undefined ? {} : { operation_state: dimState(values.get('dim')?.value) }),
  };
}

const dimState = (percent: Value['value'] | undefined): string | null =>
  typeof percent === 'number' ? `${Math.round(percent)} %` : null;

export function limitsOf({ mapping: { controls } }: Reading): Limits {
  const { min_w, max_w } = controls?.set_limit ?? {};
  return min_w === undefined || max_w === undefined ? NO_LIMITS : { ...NO_LIMITS, min_w, max_w };
}

/** What is left below the limit that is in force. */
export function capacityOf(reading: Reading): AvailableCapacity {
  const limit = figureOf(reading, 'limit');
  if (limit === null) return { current_a: null, power_w: null };
  const free = limit - (figureOf(reading, 'read_power') ?? 0);
  return { current_a: null, power_w: Math.max(0, Math.round(free)) };
}
