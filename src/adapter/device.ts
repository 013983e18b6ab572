import Type from 'typebox';
import type { JsonObject } from '../core/json.ts';
import { CAPABILITIES, FIELDS, type FieldName, READ_FIELDS, STATUS_FIELDS } from './fields.ts';

export const DEVICE_TYPES = [
  'vehicle',
  'charger',
  'heat_pump',
  'thermostat',
  'solar_inverter',
  'battery',
  'smart_home_appliance',
  'light',
  'elevator',
  'industrial',
] as const;

export type DeviceType = (typeof DEVICE_TYPES)[number];

export const DeviceTypeSchema = Type.Enum([...DEVICE_TYPES], {
  title: 'DeviceType',
  description: 'Type of the device',
});
/** What a meter measures of a house: what is taken from the grid, or what the house consumes. */
export const HOUSE_METERS = ['grid', 'house'] as const;
export type HouseMeter = (typeof HOUSE_METERS)[number];
export const HouseMeterSchema = Type.Enum([...HOUSE_METERS], {
  title: 'HouseMeter',
  description:
    'Only of a meter of a house. grid: what is taken from the grid, negative while it is given back. house: what the house consumes',
});

export const CapabilitySchema = Type.Enum([...CAPABILITIES], { title: 'Capability' });

const flag = (description: string) =>
  Type.Optional(Type.Union([Type.Boolean(), Type.Null()], { description }));
const text = (description: string) =>
  Type.Optional(Type.Union([Type.String(), Type.Null()], { description }));
const whole = (description: string) =>
  Type.Optional(Type.Union([Type.Integer(), Type.Null()], { description }));

type SchemaOf<U> = ReturnType<U extends 'flag' ? typeof flag : U extends 'text' ? typeof text : typeof whole>;

/** The schemas of fields, by name. */
function fieldSchemas<F extends FieldName>(names: readonly F[]) {
  const schemaOf = ({ unit, description }: (typeof FIELDS)[FieldName]) =>
    (unit === 'flag' ? flag : unit === 'text' ? text : whole)(description);
  return Object.fromEntries(names.map((name) => [name, schemaOf(FIELDS[name])])) as {
    [N in F]: SchemaOf<(typeof FIELDS)[N]['unit']>;
  };
}

/** What no read capability guards. */
export const Status = Type.Object({
  online: Type.Boolean({ description: 'Whether the device is reachable now' }),
  ...fieldSchemas(STATUS_FIELDS),
});
export type Status = Type.Static<typeof Status>;

/** Of the charger that the sandbox makes for the user_ref anna; examples show no field that a device does not have. */
export const CHARGING = {
  online: true,
  connected: true,
  charging: true,
  operation_state: 'charging',
  power_w: 11_040,
  energy_wh: 12_400,
};

export const DeviceState = Type.Object(
  {
    ...fieldSchemas(READ_FIELDS),
    ...Status.properties,
  },
  { title: 'DeviceState', examples: [CHARGING] },
);
export type DeviceState = Type.Static<typeof DeviceState>;

const axis = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description });

/** The static envelope that a device accepts; an axis that it does not have is null. */
export const Limits = Type.Object(
  {
    min_a: axis('ampere'),
    max_a: axis('ampere'),
    min_w: axis('watt'),
    max_w: axis('watt'),
  },
  { title: 'Limits', examples: [{ min_a: 6, max_a: 16, min_w: null, max_w: null }] },
);
export type Limits = Type.Static<typeof Limits>;

/** What the circuit can take in addition, now. */
export const AvailableCapacity = Type.Object(
  { current_a: axis('ampere'), power_w: axis('watt') },
  { title: 'AvailableCapacity', examples: [{ current_a: 0, power_w: null }] },
);
export type AvailableCapacity = Type.Static<typeof AvailableCapacity>;

export const NO_LIMITS: Limits = { min_a: null, max_a: null, min_w: null, max_w: null };

export const Device = Type.Object(
  {
    id: Type.String({
      description: 'Vendor device id, unique within (account, vendor)',
      examples: ['charger-u2vsdkcko5'],
    }),
    vendor: Type.String({ description: 'Vendor slug', examples: ['sandbox'] }),
    device_type: Type.Enum([...DEVICE_TYPES], {
      title: 'DeviceType',
      description: 'Type of the device',
      examples: ['charger'],
    }),
    name: Type.Union([Type.String(), Type.Null()], { examples: ['Sandbox charger'] }),
    capabilities: Type.Array(CapabilitySchema, {
      examples: [['read_power', 'read_energy', 'charge_control', 'set_current', 'load_balancing']],
    }),
    measures: Type.Optional(HouseMeterSchema),
  },
  { title: 'Device' },
);
export type Device = Type.Static<typeof Device>;

/** A device that linking or a station's boot brought to light. */
export interface Found {
  readonly id: string;
  readonly type: DeviceType;
  readonly name?: string;
  /** What it measures of a house, where it is a meter of one: an `industrial` that can tell its power. */
  readonly measures?: HouseMeter;
  /** The plant, installation or home that it belongs to, where the vendor answers or limits by those. */
  readonly site?: string;
  /** What the user permits for this device, where that is asked for each; what the whole account was granted holds else. */
  readonly granted?: readonly string[];
  /** Whatever the adapter wants back in `DeviceRef.details`; never a secret. */
  readonly details?: JsonObject;
}
