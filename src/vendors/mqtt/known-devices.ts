import Type, { type Static } from 'typebox';
import type { Found } from '../../adapter/device.ts';
import { each, lenient, named } from '../../adapter/kit/index.ts';
import type { Json } from '../../core/json.ts';
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
  value_max: Type.Optional(Type.Number()),
});
type Feature = Static<typeof Feature>;
const Expose = lenient({}, 'type', 'features');
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

/** Plugs, lamps and thermometers in the retained message `bridge/devices`; what elnav has no type for is left out. */
export function zigbeeDevices(base: string, list: Json): Found[] {
  return each(list, Device)
    .filter(({ disabled }) => disabled !== true)
    .flatMap((device) => deviceOf(base, device) ?? [])
    .slice(0, MOST_DEVICES);
}

function deviceOf(
  base: string,
  { ieee_address, friendly_name, definition }: Static<typeof Device>,
): Found | undefined {
  const { exposes } = definition;
  const groups = each(exposes, Expose);
  const group = groups.find(({ type }) => type === 'light' || type === 'switch');
  const plain = each(exposes, Feature);
  const own = each(group?.features, Feature);
  const topic = `${base}/${friendly_name}`;
  const state = own.find(({ name }) => name === 'state');
  const dim = own.find(({ name }) => name === 'brightness');
  const named_ = (...names: readonly string[]) =>
    plain.find(({ name, access }) => names.includes(name) && (access & PUBLISHED) !== 0);
  const figure = (feature: Feature | undefined) =>
    feature === undefined ? undefined : { topic, pointer: pointerTo(feature.property) };
  const power = figure(named_('power'));
  const energy = figure(named_('energy'));
  const temperature = figure(named_('temperature', 'local_temperature'));
  const isSwitch = state !== undefined && has(state, PUBLISHED);
  const { value_on: on = 'ON', value_off: off = 'OFF' } = state ?? {};
  const canDim = dim !== undefined && has(dim, PUBLISHED) && has(dim, SETTABLE);
  const most = Math.round(dim?.value_max ?? 254);
  if (!isSwitch && temperature === undefined) return undefined;
  const asked = [...own, ...plain].filter((feature) => has(feature, GETTABLE) && has(feature, PUBLISHED));
  const details: Mapping = {
    reads: {
      ...(isSwitch ? { power_on: { topic, pointer: pointerTo(state.property), on, off } } : {}),
      ...(power === undefined ? {} : { read_power: power }),
      ...(energy === undefined ? {} : { read_energy: { ...energy, unit: 'kWh' as const } }),
      ...(temperature === undefined ? {} : { read_temperature: temperature }),
      ...(canDim ? { dim: { topic, pointer: pointerTo(dim.property), scale: 100 / most } } : {}),
    },
    controls: {
      ...(isSwitch && has(state, SETTABLE)
        ? { on_off: { topic: `${topic}/set`, property: state.property, on, off } }
        : {}),
      ...(canDim ? { set_light: { topic: `${topic}/set`, property: dim.property, max: most } } : {}),
    },
    ...(asked.length === 0
      ? {}
      : {
          ask: [
            {
              topic: `${topic}/get`,
              payload: JSON.stringify(
                Object.fromEntries(asked.slice(0, 8).map(({ property }) => [property, ''])),
              ),
            },
          ],
        }),
    availability: [
      { topic: `${base}/bridge/state`, pointer: '/state', online: 'online', offline: 'offline' },
      { topic: `${topic}/availability`, pointer: '/state', online: 'online', offline: 'offline' },
    ],
  };
  const type = !isSwitch ? 'thermostat' : group?.type === 'light' ? 'light' : 'smart_home_appliance';
  return { id: ieee_address.toLowerCase(), type, ...named(friendly_name), details };
}

const FULL_TOPIC = '%prefix%/%topic%/';

/** A plug with Tasmota: one relay, and a meter where it has one. */
export function tasmotaPlug(topic: string, fullTopic = FULL_TOPIC): Found {
  const full = fullTopic.replaceAll('%topic%', topic).replace(/\/?$/, '/');
  const at = (prefix: 'cmnd' | 'stat' | 'tele', name: string) =>
    `${full.replaceAll('%prefix%', prefix)}${name}`;
  const sensor = at('tele', 'SENSOR');
  const details: Mapping = {
    reads: {
      power_on: { topic: at('stat', 'POWER'), on: 'ON', off: 'OFF' },
      read_power: { topic: sensor, pointer: '/ENERGY/Power' },
      read_energy: { topic: sensor, pointer: '/ENERGY/Total', unit: 'kWh' },
    },
    controls: { on_off: { topic: at('cmnd', 'POWER'), on: 'ON', off: 'OFF' } },
    // An empty command asks; the meter reports to SENSOR when its period is set, 300 s unless it is.
    ask: [
      { topic: at('cmnd', 'POWER'), payload: '' },
      { topic: at('cmnd', 'TelePeriod'), payload: '' },
    ],
    availability: [{ topic: at('tele', 'LWT'), online: 'Online', offline: 'Offline' }],
  };
  return {
    id: `tasmota-${topic.replaceAll(/[^\w.-]/g, '_')}`,
    type: 'smart_home_appliance',
    name: topic,
    details,
  };
}
