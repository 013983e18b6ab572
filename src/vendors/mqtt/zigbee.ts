import Type, { type Static } from 'typebox';
import type { Found } from '../../adapter/device.ts';
import { each, fits, lenient, named } from '../../adapter/kit/index.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { Mapping } from './schemas.ts';

/** Bits of an expose's `access`. */
const PUBLISHED = 1;
const SETTABLE = 2;
const GETTABLE = 4;
const MOST_DEVICES = 200;

const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);
const Feature = Type.Object({
  name: Type.String(),
  property: Type.String({ minLength: 1, maxLength: 64 }),
  access: Type.Integer(),
  unit: Type.Optional(Type.String()),
  value_on: Type.Optional(Scalar),
  value_off: Type.Optional(Scalar),
  value_min: Type.Optional(Type.Number()),
  value_max: Type.Optional(Type.Number()),
  endpoint: Type.Optional(Type.String()),
});
type Feature = Static<typeof Feature>;
const Expose = lenient({}, 'type', 'features', 'endpoint');
type Expose = Static<typeof Expose>;
/** The name of a part of a device that has several: `l1`, `left`. */
const Endpoint = Type.String({ pattern: '^[\\w.-]{1,32}$' });
const Device = lenient(
  {
    ieee_address: Type.String({ pattern: '^0x[0-9a-fA-F]{16}$' }),
    friendly_name: Type.String({ minLength: 1, maxLength: 150, pattern: '^[^+#\\u0000]+$' }),
    definition: lenient({ exposes: Type.Array(Type.Unknown()) }),
  },
  'disabled',
);

const pointerTo = (property: string) => `/${property.replaceAll('~', '~0').replaceAll('/', '~1')}`;
const has = ({ access }: Feature, bit: number): boolean => (access & bit) !== 0;

const SETPOINTS = ['occupied_heating_setpoint', 'current_heating_setpoint'];
/** A thermostat that says no bounds is one of a home. */
const TARGET_C = { least: 5, most: 30 };

/** Plugs, lamps, thermometers and thermostats in the retained message `bridge/devices`; what elnav has no type for is left out. */
export function zigbeeDevices(base: string, list: Json): Found[] {
  return each(list, Device)
    .filter(({ disabled }) => disabled !== true)
    .flatMap((device) => devicesOf(base, device))
    .slice(0, MOST_DEVICES);
}

/** One device, or one for each thermostat, lamp or switch where there are several. */
function devicesOf(
  base: string,
  { ieee_address, friendly_name, definition: { exposes } }: Static<typeof Device>,
): Found[] {
  const groups = each(exposes, Expose);
  const heated = groups.filter(({ type }) => type === 'climate');
  const switched = groups.filter(({ type }) => type === 'light' || type === 'switch');
  const parts = heated.length > 0 ? heated : switched.length > 0 ? switched : [undefined];
  const plain = each(exposes, Feature);
  const topic = `${base}/${friendly_name}`;
  return parts.flatMap((group, index): Found[] => {
    const mapping = mappingOf({ base, topic, group, plain, isOnly: parts.length === 1 });
    if (mapping === undefined) return [];
    const endpoint = endpointOf(group) ?? String(index + 1);
    const type =
      mapping.reads.power_on === undefined
        ? 'thermostat'
        : group?.type === 'light'
          ? 'light'
          : 'smart_home_appliance';
    return [
      {
        // The first part has the id of the device, as it had before the others were known.
        id: `${ieee_address.toLowerCase()}${index === 0 ? '' : `:${endpoint}`}`,
        type,
        ...named(parts.length === 1 ? friendly_name : `${friendly_name} ${endpoint}`),
        details: mapping as JsonObject,
      },
    ];
  });
}

const endpointOf = (group: Expose | undefined) =>
  fits(Endpoint, group?.endpoint) ? group.endpoint : undefined;

interface Part {
  readonly base: string;
  readonly topic: string;
  /** What it is switched or heated by; undefined for a sensor. */
  readonly group: Expose | undefined;
  /** What the device publishes beside its groups. */
  readonly plain: readonly Feature[];
  readonly isOnly: boolean;
}

/** What one part of a device publishes and takes; undefined where it has nothing that elnav shows. */
function mappingOf({ base, topic, group, plain, isOnly }: Part): Mapping | undefined {
  const own = each(group?.features, Feature);
  const beside = plain.filter(({ endpoint }) => isOnly || endpoint === endpointOf(group));
  const published = (features: readonly Feature[], ...names: readonly string[]) =>
    features.find((feature) => names.includes(feature.name) && has(feature, PUBLISHED));
  const isClimate = group?.type === 'climate';
  const state = isClimate ? undefined : published(own, 'state');
  const dim = isClimate ? undefined : published(own, 'brightness');
  const canDim = dim !== undefined && has(dim, SETTABLE);
  const setpoint = isClimate ? published(own, ...SETPOINTS) : undefined;
  const target = setpoint !== undefined && has(setpoint, SETTABLE) ? setpoint : undefined;
  const power = published(beside, 'power');
  const energy = published(beside, 'energy');
  const temperature = published([...own, ...beside], 'local_temperature', 'temperature');
  if (state === undefined && temperature === undefined) return undefined;
  const { value_on: on = 'ON', value_off: off = 'OFF' } = state ?? {};
  const most = Math.round(dim?.value_max ?? 254);
  const from = ({ property }: Feature) => ({ topic, pointer: pointerTo(property) });
  const to = ({ property }: Feature) => ({ topic: `${topic}/set`, property });
  const shown = [state, power, energy, temperature, canDim ? dim : undefined, target];
  // Devices that run on batteries answer for each property that is asked: no more than is shown.
  const asked = shown.flatMap((feature) =>
    feature !== undefined && has(feature, GETTABLE) ? [[feature.property, '']] : [],
  );
  return {
    reads: {
      ...(state === undefined ? {} : { power_on: { ...from(state), on, off } }),
      ...(power === undefined ? {} : { read_power: from(power) }),
      ...(energy === undefined ? {} : { read_energy: { ...from(energy), unit: 'kWh' as const } }),
      ...(temperature === undefined ? {} : { read_temperature: from(temperature) }),
      ...(canDim ? { dim: { ...from(dim), scale: 100 / most } } : {}),
      ...(target === undefined ? {} : { target: from(target) }),
    },
    controls: {
      ...(state !== undefined && has(state, SETTABLE) ? { on_off: { ...to(state), on, off } } : {}),
      ...(canDim ? { set_light: { ...to(dim), max: most } } : {}),
      ...(target === undefined
        ? {}
        : {
            set_temperature: {
              ...to(target),
              min_c: target.value_min ?? TARGET_C.least,
              max_c: target.value_max ?? TARGET_C.most,
            },
          }),
    },
    ...(asked.length === 0
      ? {}
      : { ask: [{ topic: `${topic}/get`, payload: JSON.stringify(Object.fromEntries(asked)) }] }),
    availability: [
      { topic: `${base}/bridge/state`, pointer: '/state', online: 'online', offline: 'offline' },
      { topic: `${topic}/availability`, pointer: '/state', online: 'online', offline: 'offline' },
    ],
  };
}
