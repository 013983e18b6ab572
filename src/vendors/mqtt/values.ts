import type { MqttMessage } from '../../adapter/connections.ts';
import { figure, jsonIn } from '../../adapter/kit/index.ts';
import type { Json } from '../../core/json.ts';
import type { Mapping, ReadName } from './schemas.ts';

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
  const isCelsius = name === 'read_temperature' && unit === undefined;
  return figure(scaled * (isCelsius ? 1_000 : (FACTORS[unit ?? ''] ?? 1)), 0 - MOST, MOST);
}

/** Whether a message says that the device is there; undefined where it says neither. */
export function isOnlineIn(
  { pointer, online, offline }: NonNullable<Mapping['availability']>[number],
  message: Pick<MqttMessage, 'text'>,
): boolean | undefined {
  const value = valueAt(message, pointer);
  if (value === undefined) return undefined;
  return isSame(value, online) ? true : isSame(value, offline) ? false : undefined;
}

/** A value that was not understood, for the log. */
export function shownIn(
  name: ReadName,
  { pointer }: { readonly pointer?: string },
  message: Pick<MqttMessage, 'text'>,
) {
  return `${name} ${JSON.stringify(valueAt(message, pointer) ?? null)
    .slice(0, MOST_SHOWN)
    .toWellFormed()}`;
}
