import type { DeviceType } from '../../src/adapter/device.ts';

/** One field of a made-up vendor's response about a device. */
interface Field {
  readonly schema: 'Boolean' | 'Number';
  /** What it is in a new simulator, as source text. */
  readonly initial: string;
}

/** What is written for a type of device. The fields are made up: the vendor's own take their place. */
export interface KindTemplate {
  /** What its owner calls several of them. */
  readonly many: string;
  readonly fields: Readonly<Record<string, Field>>;
  /** The members of `Status` besides `online`, from the fields. */
  readonly status: Readonly<Record<string, string>>;
  /** Capability, name of its function, expression over the fields. */
  readonly reads: readonly {
    readonly capability: string;
    readonly name: string;
    readonly of: string;
    readonly from: readonly string[];
  }[];
  /** Capability and its commands. */
  readonly controls: Readonly<Record<string, readonly string[]>>;
  /** Further members of the kind, as source text. */
  readonly more?: string;
}

const flag: Field = { schema: 'Boolean', initial: 'false' };
const figure = (initial: number): Field => ({ schema: 'Number', initial: String(initial) });

const power = { capability: 'read_power', name: 'powerOf', of: 'watt', from: ['watt'] };
const energy = { capability: 'read_energy', name: 'energyOf', of: 'wh', from: ['wh'] };
const temperature = {
  capability: 'read_temperature',
  name: 'temperatureOf',
  of: 'celsius * 1_000',
  from: ['celsius'],
};
const charge = { capability: 'read_battery_soc', name: 'socOf', of: 'percent', from: ['percent'] };
const onOff = { on_off: ['turn_on', 'turn_off'] };
const target = { set_temperature: ['set_temperature'] };
const chargeControl = { charge_control: ['start_charge', 'stop_charge'] };
const ROOMS = '      ranges: { min_milli_c: 5_000, max_milli_c: 30_000 },\n';

const switched = (many: string): KindTemplate => ({
  many,
  fields: { on: flag, watt: figure(0) },
  status: { power_on: 'on' },
  reads: [power],
  controls: onOff,
});

export const KINDS: Readonly<Record<DeviceType, KindTemplate>> = {
  charger: {
    many: 'Chargers',
    fields: { plugged: flag, charging: flag, watt: figure(0), wh: figure(0) },
    status: { connected: 'plugged', charging: 'charging' },
    reads: [power, energy],
    controls: { ...chargeControl, set_current: ['set_current'] },
    more: '      limits: () => ({ min_a: 6, max_a: 32, min_w: null, max_w: null }),\n',
  },
  vehicle: {
    many: 'Cars',
    fields: { plugged: flag, charging: flag, watt: figure(0), percent: figure(50) },
    status: { connected: 'plugged', charging: 'charging' },
    reads: [power, charge],
    controls: { ...chargeControl, charge_limit: ['set_charge_limit'] },
    more: '      ranges: { min_percent: 50, max_percent: 100 },\n',
  },
  heat_pump: {
    many: 'Heat pumps',
    fields: { on: { ...flag, initial: 'true' }, watt: figure(0), celsius: figure(19) },
    status: { power_on: 'on' },
    reads: [power, temperature],
    controls: { ...onOff, ...target },
    more: ROOMS,
  },
  thermostat: {
    many: 'Thermostats',
    fields: { celsius: figure(19) },
    status: {},
    reads: [temperature],
    controls: target,
    more: ROOMS,
  },
  solar_inverter: {
    many: 'Inverters',
    fields: { watt: figure(800), wh: figure(0) },
    status: {},
    reads: [{ ...power, capability: 'read_production', name: 'productionOf' }, energy],
    controls: {},
  },
  battery: {
    many: 'Batteries',
    fields: { watt: figure(0), percent: figure(50) },
    status: { charging: 'watt > 0' },
    reads: [power, charge],
    controls: { set_battery_power: ['set_battery_power'] },
    more: '      limits: () => ({ min_a: null, max_a: null, min_w: -5_000, max_w: 5_000 }),\n',
  },
  smart_home_appliance: {
    many: 'Appliances',
    fields: { on: { ...flag, initial: 'true' }, watt: figure(0), remaining: figure(0) },
    status: { power_on: 'on', remaining_seconds: 'remaining' },
    reads: [power],
    controls: { program_control: ['start_program', 'stop_program'] },
  },
  light: switched('Lamps'),
  elevator: switched('Lifts'),
  industrial: switched('Machines'),
};
