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

export const DeviceTypeSchema = Type.Enum([...DEVICE_TYPES], { description: 'What the device is' });
export const CapabilitySchema = Type.Enum([...CAPABILITIES]);

const reading = (description: string) =>
  Type.Optional(Type.Union([Type.Integer(), Type.Null()], { description }));
const flag = (description: string) =>
  Type.Optional(Type.Union([Type.Boolean(), Type.Null()], { description }));

/** What no read capability guards. */
export const Status = Type.Object({
  online: Type.Boolean({ description: 'The device can be reached now' }),
  connected: flag('A vehicle or cable is connected to the charger'),
  charging: flag('Energy is being transferred'),
  power_on: flag('Powered on'),
  operation_state: Type.Optional(
    Type.Union([Type.String(), Type.Null()], { description: "The vendor's label" }),
  ),
  remaining_seconds: reading('Remaining programme time, seconds'),
  door_open: flag('The appliance door is open'),
});
export type Status = Type.Static<typeof Status>;

export const DeviceState = Type.Object({
  battery_soc: reading('State of charge, percent'),
  power_w: reading('Active power, watt; positive: taken from the grid side, negative: given back'),
  energy_wh: reading('Session or meter energy, watt-hours'),
  temperature_milli_c: reading('Temperature, milli-Celsius'),
  production_w: reading('Production power, watt'),
  ...Status.properties,
});
export type DeviceState = Type.Static<typeof DeviceState>;

const axis = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description });

/** The static envelope that a device accepts; an axis that it does not have is null. */
export const Limits = Type.Object({
  min_a: axis('ampere'),
  max_a: axis('ampere'),
  min_w: axis('watt'),
  max_w: axis('watt'),
});
export type Limits = Type.Static<typeof Limits>;

/** What the circuit can take in addition, now. */
export const AvailableCapacity = Type.Object({ current_a: axis('ampere'), power_w: axis('watt') });
export type AvailableCapacity = Type.Static<typeof AvailableCapacity>;

export const NO_LIMITS: Limits = { min_a: null, max_a: null, min_w: null, max_w: null };

export const Device = Type.Object({
  id: Type.String({ description: 'Vendor device id, unique within (account, vendor)' }),
  vendor: Type.String({ description: 'Vendor slug' }),
  device_type: DeviceTypeSchema,
  name: Type.Union([Type.String(), Type.Null()]),
  capabilities: Type.Array(CapabilitySchema),
});
export type Device = Type.Static<typeof Device>;
