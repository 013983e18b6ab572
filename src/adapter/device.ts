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

/** The examples together are those of a car that charges at home. */
const reading = (description: string, example: number | null) =>
  Type.Optional(Type.Union([Type.Integer(), Type.Null()], { description, examples: [example] }));
const flag = (description: string, example: boolean | null) =>
  Type.Optional(Type.Union([Type.Boolean(), Type.Null()], { description, examples: [example] }));

/** What no read capability guards. */
export const Status = Type.Object({
  online: Type.Boolean({ description: 'Whether the device is reachable now' }),
  connected: flag('A vehicle or cable is connected to the charger', true),
  charging: flag('Energy is being transferred', true),
  power_on: flag('Powered on', null),
  operation_state: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: "The vendor's word for the state",
      examples: [null],
    }),
  ),
  remaining_seconds: reading('Remaining programme time, seconds', null),
  door_open: flag('The appliance door is open', null),
});
export type Status = Type.Static<typeof Status>;

export const DeviceState = Type.Object({
  battery_soc: reading('State of charge, percent', 64),
  power_w: reading('Active power, watt; positive: taken from the grid side, negative: given back', 7360),
  energy_wh: reading('Session or meter energy, watt-hours', 12400),
  temperature_milli_c: reading('Temperature, milli-Celsius', null),
  production_w: reading('Production power, watt', null),
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
  id: Type.String({
    description: 'Vendor device id, unique within (account, vendor)',
    examples: ['vehicle-4rks2'],
  }),
  vendor: Type.String({ description: 'Vendor slug', examples: ['sandbox'] }),
  device_type: DeviceTypeSchema,
  name: Type.Union([Type.String(), Type.Null()], { examples: ['Car'] }),
  capabilities: Type.Array(CapabilitySchema, {
    examples: [['read_battery_soc', 'read_power', 'charge_limit', 'charge_control']],
  }),
});
export type Device = Type.Static<typeof Device>;
