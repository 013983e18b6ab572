import Type from 'typebox';
import { CAPABILITIES } from './capabilities.ts';

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

export const DeviceTypeSchema = Type.Enum([...DEVICE_TYPES], { description: 'Type of the device' });
export const CapabilitySchema = Type.Enum([...CAPABILITIES]);

const reading = (description: string) =>
  Type.Optional(Type.Union([Type.Integer(), Type.Null()], { description }));
const flag = (description: string) =>
  Type.Optional(Type.Union([Type.Boolean(), Type.Null()], { description }));

/** What no read capability guards. */
export const Status = Type.Object({
  online: Type.Boolean({ description: 'Whether the device is reachable now' }),
  connected: flag('A vehicle or cable is connected to the charger'),
  charging: flag('Energy is being transferred'),
  power_on: flag('Powered on'),
  operation_state: Type.Optional(
    Type.Union([Type.String(), Type.Null()], { description: "The vendor's word for the state" }),
  ),
  remaining_seconds: reading('Remaining programme time, seconds'),
  door_open: flag('The appliance door is open'),
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
    battery_soc: reading('State of charge, percent'),
    power_w: reading('Active power, watt; positive: taken from the grid side, negative: given back'),
    energy_wh: reading('Session or meter energy, watt-hours'),
    temperature_milli_c: reading('Temperature, milli-Celsius'),
    production_w: reading('Production power, watt'),
    ...Status.properties,
  },
  { examples: [CHARGING] },
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
  { examples: [{ min_a: 6, max_a: 16, min_w: null, max_w: null }] },
);
export type Limits = Type.Static<typeof Limits>;

/** What the circuit can take in addition, now. */
export const AvailableCapacity = Type.Object(
  { current_a: axis('ampere'), power_w: axis('watt') },
  { examples: [{ current_a: 0, power_w: null }] },
);
export type AvailableCapacity = Type.Static<typeof AvailableCapacity>;

export const NO_LIMITS: Limits = { min_a: null, max_a: null, min_w: null, max_w: null };

export const Device = Type.Object({
  id: Type.String({
    description: 'Vendor device id, unique within (account, vendor)',
    examples: ['charger-u2vsdkcko5'],
  }),
  vendor: Type.String({ description: 'Vendor slug', examples: ['sandbox'] }),
  device_type: Type.Enum([...DEVICE_TYPES], { description: 'Type of the device', examples: ['charger'] }),
  name: Type.Union([Type.String(), Type.Null()], { examples: ['Sandbox charger'] }),
  capabilities: Type.Array(CapabilitySchema, {
    examples: [['read_power', 'read_energy', 'charge_control', 'set_current', 'load_balancing']],
  }),
});
export type Device = Type.Static<typeof Device>;
