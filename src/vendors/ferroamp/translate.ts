import Type from 'typebox';
import type { MqttMessage } from '../../adapter/connections.ts';
import { figure, messageIn, objectIn } from '../../adapter/kit/index.ts';
import { BoundedMap } from '../../core/bounded-map.ts';

const DATA = 'extapi/data';
/** Every second, of the EnergyHub itself. */
export const HUB = `${DATA}/ehub`;
/** Every 5 s, of each converter of a battery (ESO) and of each string of panels (SSO). */
export const CONVERTERS = `${DATA}/eso`;
export const STRINGS = `${DATA}/sso`;
/** Every minute, of each battery (ESM). */
export const BATTERIES = `${DATA}/esm`;

const MJ_PER_WH = 3_600_000;
const MOST_W = 1e6;
const MOST_MJ = 1e18;
/** Units of one hub that are told apart; it has some. */
const MOST_UNITS = 32;
/** An id that was not counted up from 1, and so tells one hub from another. */
const SERIAL = /^(?=.*\d{6})[\w-]{6,64}$/;

/** What a hub measures of the house. */
export interface Metered {
  readonly powerW: number | null;
  /** Taken, ever since. */
  readonly energyWh: number | null;
}

/** What a hub says of itself. */
export interface Hub {
  readonly hasPanels: boolean;
  readonly hasBattery: boolean;
  readonly productionW: number | null;
  readonly solarWh: number | null;
  /** Positive charges. */
  readonly batteryW: number | null;
  /** Percent; hubs with older software leave it to the converters. */
  readonly soc: number | null;
  /** What the house takes from the grid, and what it consumes; undefined for a hub that does not measure it. */
  readonly grid: Metered | undefined;
  readonly house: Metered | undefined;
  /** The hub's own time. */
  readonly time: unknown;
}

interface Battery {
  readonly soc: number | null;
  readonly capacityWh: number | null;
  readonly ratedW: number | null;
}

/** The newest of what was heard of a hub and its units. */
export interface Heard {
  hub: Hub | undefined;
  /** State of charge by converter. */
  readonly converters: Map<string, number | null>;
  readonly batteries: Map<string, Battery>;
  readonly strings: Map<string, true>;
}

export const nothingHeard = (): Heard => ({
  hub: undefined,
  converters: new BoundedMap(MOST_UNITS),
  batteries: new BoundedMap(MOST_UNITS),
  strings: new BoundedMap(MOST_UNITS),
});

const AnyObject = Type.Object({});

/**
 * Takes a message in; false for one that says nothing, or nothing of now. Hubs publish nothing retained: what a broker kept is as old as it
 * likes.
 */
export function hear(heard: Heard, message: MqttMessage): boolean {
  const fields = message.isRetained ? undefined : messageIn(message.text(), AnyObject);
  if (fields === undefined) return false;
  if (message.topic === HUB) {
    heard.hub = hubIn(fields);
    return true;
  }
  const id = unitIn(fields);
  if (id === undefined) return false;
  if (message.topic === STRINGS) heard.strings.set(id, true);
  if (message.topic === CONVERTERS) heard.converters.set(id, valueIn(fields, 'soc', 0, 100));
  if (message.topic === BATTERIES)
    heard.batteries.set(id, {
      soc: valueIn(fields, 'soc', 0, 100),
      capacityWh: valueIn(fields, 'ratedCapacity', 1, 1e7),
      ratedW: valueIn(fields, 'ratedPower', 1, MOST_W),
    });
  return true;
}

function hubIn(fields: object): Hub {
  const batteryW = valueIn(fields, 'pbat', -MOST_W, MOST_W);
  const solarMj = valueIn(fields, 'wpv', 0, MOST_MJ);
  return {
    // A hub without them leaves them out.
    hasPanels: 'ppv' in fields,
    hasBattery: 'pbat' in fields,
    productionW: valueIn(fields, 'ppv', -MOST_W, MOST_W),
    solarWh: solarMj === null ? null : solarMj / MJ_PER_WH,
    // Of the hub, positive discharges.
    batteryW: batteryW === null ? null : 0 - batteryW,
    soc: valueIn(fields, 'soc', 0, 100),
    grid: 'pext' in fields ? meteredIn(fields, 'pext', 'wextconsq') : undefined,
    house: 'pload' in fields ? meteredIn(fields, 'pload', 'wloadconsq') : undefined,
    time: objectIn(objectIn(fields).ts).val,
  };
}

function meteredIn(fields: object, power: string, energy: string): Metered {
  const mj = sumIn(fields, energy, MOST_MJ);
  return { powerW: sumIn(fields, power, MOST_W), energyWh: mj === null ? null : mj / MJ_PER_WH };
}

/** The sum of three phases, `{"L1": "1.5", "L2": …, "L3": …}`; null where one is none. */
function sumIn(fields: object, name: string, most: number): number | null {
  const phases = objectIn(objectIn(fields)[name]);
  const values = ['L1', 'L2', 'L3'].map((phase) => numberOf(phases[phase], 0 - most, most));
  return values.includes(null) ? null : values.reduce<number>((sum, one) => sum + (one ?? 0), 0);
}

/** `{"val": "1.5"}`, which some software writes as a number; null for everything else. */
function valueIn(fields: object, name: string, least: number, most: number): number | null {
  return numberOf(objectIn(objectIn(fields)[name]).val, least, most);
}

const numberOf = (value: unknown, least: number, most: number): number | null =>
  figure(typeof value === 'string' && value.trim() !== '' ? Number(value) : value, least, most);

/** Some ids end in a space, and those of strings got a prefix with newer software: `PS00990-A02-S12345678` was `12345678`. */
function unitIn(fields: object): string | undefined {
  const { val } = objectIn(objectIn(fields).id);
  const text = typeof val === 'string' || typeof val === 'number' ? String(val).trim() : '';
  const [, id = text] = /^PS\d+-\w+-S(\d+)$/.exec(text) ?? [];
  return /^[\w-]{1,64}$/.test(id) ? id : undefined;
}

/** What stays of a hub, which does not say its own number: the first of its units that has one. Undefined where none has. */
export function serialOf({ strings, converters }: Heard): string | undefined {
  const serialsOf = (units: ReadonlyMap<string, unknown>) =>
    [...units.keys()].filter((id) => SERIAL.test(id)).toSorted();
  return [...serialsOf(strings), ...serialsOf(converters)][0];
}

/** Percent: as the hub says it, else the mean of its batteries by what they hold, or of their converters. */
export function socOf({ hub, batteries, converters }: Heard): number | null {
  if (hub?.soc != null) return hub.soc;
  let [charge, capacity] = [0, 0];
  for (const { soc, capacityWh } of batteries.values()) {
    charge += soc === null || capacityWh === null ? 0 : soc * capacityWh;
    capacity += soc === null ? 0 : (capacityWh ?? 0);
  }
  if (capacity > 0) return charge / capacity;
  const socs = [...converters.values()].filter((soc) => soc !== null);
  return socs.length === 0 ? null : socs.reduce((sum, soc) => sum + soc, 0) / socs.length;
}

/** What all batteries together may be charged and discharged with, watt; null before they have said it. */
export function ratedWOf({ batteries }: Heard): number | null {
  const rated = [...batteries.values()].flatMap(({ ratedW }) => ratedW ?? []);
  return rated.length === 0 ? null : rated.reduce((sum, watts) => sum + watts, 0);
}
