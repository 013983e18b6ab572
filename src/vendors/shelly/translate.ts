import Type, { type Static } from 'typebox';
import type { Found, Status } from '../../adapter/device.ts';
import type { Capability } from '../../adapter/fields.ts';
import { figure, fits, named, objectIn, unrecognized, word } from '../../adapter/kit/index.ts';
import type { JsonObject } from '../../core/json.ts';

/* The parts of a Shelly that are devices of ours: relays and meters. A device with four relays is four devices. */

/** What is kept of a part: its name in responses, and what it can do. */
export const Details = Type.Object({
  part: Type.String({ pattern: '^[a-z0-9]{1,20}:[0-9]{1,4}$' }),
  can_switch: Type.Boolean(),
  is_metered: Type.Boolean(),
});
type Details = Static<typeof Details>;

/** A part in the status of its device. */
export interface Reading {
  readonly part: string;
  readonly own: JsonObject;
  /** What counts its energy, where that is another part. */
  readonly counter: JsonObject;
}

/** The parts that are read, the fields with their power, and the part and field with their energy, where it is another one. */
const KINDS: Readonly<
  Record<string, { readonly power: string; readonly counter?: string; readonly energy?: string }>
> = {
  switch: { power: 'apower' },
  pm1: { power: 'apower' },
  // Three phases together (Pro 3EM), or each by itself.
  em: { power: 'total_act_power', counter: 'emdata', energy: 'total_act' },
  em1: { power: 'act_power', counter: 'em1data', energy: 'total_act_energy' },
};

const NAME = /^([a-z0-9]{1,20}):([0-9]{1,4})$/;
const kindOf = (part: string) => KINDS[NAME.exec(part)?.[1] ?? ''];
export const numberOf = (part: string): number => Number(NAME.exec(part)?.[2]);
const MOST_W = 1_000_000;
const MOST_WH = 1e12;

/** The part of a device in its status; undefined where it has none of that name. */
export function readingIn(status: JsonObject, part: string): Reading | undefined {
  const counter = kindOf(part)?.counter;
  const number = numberOf(part);
  return fits(Type.Object({}), status[part])
    ? {
        part,
        own: objectIn(status[part]),
        counter: counter === undefined ? {} : objectIn(status[`${counter}:${number}`]),
      }
    : undefined;
}

/** Watt; a meter counts what is given back as negative. */
export function powerOf({ part, own }: Reading): number | null {
  return figure(own[kindOf(part)?.power ?? ''], -MOST_W, MOST_W);
}

/** Watt-hours ever since: `total` is in Wh, while `by_minute` beside it is in mWh. */
export function energyOf({ part, own, counter }: Reading): number | null {
  const of = kindOf(part);
  return figure(of?.energy === undefined ? objectIn(own.aenergy).total : counter[of.energy], 0, MOST_WH);
}

const ERRORS = [
  'overtemp',
  'overpower',
  'overvoltage',
  'undervoltage',
  'power_meter_failure',
  'phase_sequence',
  'no_load',
  'ct_type_not_set',
  'read',
  'out_of_range:apower',
  'out_of_range:act_power',
  'out_of_range:voltage',
  'out_of_range:current',
];

const errorsIn = ({ own }: Reading): readonly unknown[] => (Array.isArray(own.errors) ? own.errors : []);

/** `operation_state` is what is wrong with it in the words of Shelly, such as overpower and overtemp, which also switch a relay off. */
export function statusOf(reading: Reading): Status {
  const { output } = reading.own;
  const errors = errorsIn(reading).flatMap((error) => word(error) ?? []);
  return {
    online: true,
    power_on: typeof output === 'boolean' ? output : null,
    operation_state: word(errors.join(', ')),
  };
}

export const unrecognizedIn = (reading: Reading): string[] =>
  errorsIn(reading).flatMap((error) => unrecognized({ errors: [error, ERRORS] }));

interface Listed {
  readonly id: string;
  /** Of the device that the parts are in. */
  readonly name: string | null;
  readonly status: JsonObject;
  readonly config: JsonObject;
}

/** The relays and meters of a device. The parts beside them have no device type: inputs, covers, sensors. */
export function partsIn({ id, name, status, config }: Listed): Found[] {
  const parts = Object.keys(status).filter(
    (part) => kindOf(part) !== undefined && readingIn(status, part) !== undefined,
  );
  return parts.map((part): Found => {
    const of = kindOf(part);
    const reading = readingIn(status, part);
    const own = word(objectIn(config[part]).name, 200);
    const number = parts.length > 1 ? ` ${numberOf(part) + 1}` : '';
    return {
      id: `${id}-${part.replace(':', '-')}`,
      type: 'smart_home_appliance',
      site: id,
      ...named(own ?? (name === null ? null : `${name}${number}`)),
      details: {
        part,
        can_switch: part.startsWith('switch:'),
        is_metered: of !== undefined && reading !== undefined && of.power in reading.own,
      } satisfies Details,
    };
  });
}

export const kept = ({ details }: Pick<Found, 'details'>): Details | undefined =>
  fits(Details, details) ? details : undefined;

export function withheldFrom(found: Pick<Found, 'details'>): Capability[] {
  const { can_switch = false, is_metered = false } = kept(found) ?? {};
  return [
    ...(is_metered ? [] : (['read_power', 'read_energy'] satisfies Capability[])),
    ...(can_switch ? [] : (['on_off'] satisfies Capability[])),
  ];
}

export const whyWithheld = (found: Pick<Found, 'details'>): string | undefined =>
  withheldFrom(found).includes('on_off') ? 'it measures, and switches nothing' : undefined;
