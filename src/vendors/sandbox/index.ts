import { type Adapter, kind } from '../../adapter/adapter.ts';
import { DEVICE_TYPES, type DeviceType } from '../../adapter/device.ts';
import type { Intervention } from '../../adapter/interventions.ts';
import { DEVICE_WORDS, type WordsFor } from '../../adapter/login.ts';
import type { Language } from '../../core/language.ts';
import { type Answer, Credentials, link, order, reader } from './client.ts';
import { applyConditions, ConditionsSchema } from './conditions.ts';
import { BATTERY_LIMITS, CHARGE_LIMITS, PLANT_LIMITS } from './models/model.ts';
import type { ApplianceReading } from './payloads.ts';
import * as payloads from './payloads.ts';
import * as translate from './translate.ts';

/** Opened and resolved with the condition `remote_start_allowed`. */
const ALLOW_REMOTE_START: Intervention<Answer<ApplianceReading>> = {
  blocks: ['start_program', 'delayed_start'],
  inReading: (answer) => (answer === null ? null : !answer.remoteStartAllowed),
  isAtDevice: true,
  words: {
    en: {
      title: 'Allow remote start',
      text: 'Press Remote start on the appliance. In the sandbox, set the condition remote_start_allowed to true.',
    },
    sv: {
      title: 'Tillåt fjärrstart',
      text: 'Tryck på Fjärrstart på maskinen. I sandlådan: sätt villkoret remote_start_allowed till true.',
    },
  },
};

const choicesIn = (language: Language) =>
  Object.fromEntries(
    DEVICE_TYPES.map((type: DeviceType) => {
      const { one } = DEVICE_WORDS[language][type];
      return [type, `${one.charAt(0).toUpperCase()}${one.slice(1)}`];
    }),
  );

/** Labels of the fields that choose the simulated devices. */
const words = {
  en: {
    device_types: {
      label: 'Devices to make up',
      hint: 'Choose none to get one of each.',
      choices: choicesIn('en'),
    },
    seed: { label: 'Name of the made-up home', hint: 'The same name gives the same devices again.' },
  },
  sv: {
    device_types: {
      label: 'Enheter att hitta på',
      hint: 'Väljer du ingen får du en av varje.',
      choices: choicesIn('sv'),
    },
    seed: { label: 'Namn på det påhittade hemmet', hint: 'Samma namn ger samma enheter igen.' },
  },
} satisfies WordsFor<'device_types' | 'seed'>;

const { thousandfold, batterySoc } = translate;

const onOff = { turn_on: order, turn_off: order };
const chargeControl = { start_charge: order, stop_charge: order };

/** Simulated devices of every type, always available, for tests and for trying things out. */
export const sandbox = {
  slug: 'sandbox',
  name: 'Sandbox (simulated devices)',
  calledIn: { en: 'Sandbox', sv: 'Sandlåda' },
  credentials: Credentials,
  words,
  pushes: false,
  // Computing the state is cheaper than looking up a stored one.
  pollSeconds: 0,
  link,
  list: async (session) => (await link(session)).devices,
  conditions: { schema: ConditionsSchema, apply: applyConditions },
  kinds: {
    vehicle: kind<Answer<payloads.VehicleReading>>({
      read: reader(payloads.VehicleReading),
      status: translate.chargingStatus,
      reads: { read_battery_soc: batterySoc, read_power: thousandfold((car) => car.powerKw) },
      controls: {
        charge_limit: { set_charge_limit: order },
        charge_control: chargeControl,
        set_current: { set_current: order },
      },
      timed: { set_current: order },
      limits: () => CHARGE_LIMITS,
    }),
    charger: kind<Answer<payloads.ChargerReading>>({
      read: reader(payloads.ChargerReading),
      status: translate.chargingStatus,
      reads: {
        read_power: thousandfold((charger) => charger.powerKw),
        read_energy: thousandfold((charger) => charger.meterKwh),
      },
      controls: {
        charge_control: chargeControl,
        set_current: { set_current: order },
        load_balancing: { set_limit: order },
      },
      timed: { set_current: order, set_limit: order },
      limits: () => CHARGE_LIMITS,
      availableCapacity: translate.chargerCapacity,
    }),
    heat_pump: kind<Answer<payloads.HeatPumpReading>>({
      read: reader(payloads.HeatPumpReading),
      status: translate.heatPumpStatus,
      reads: {
        read_power: thousandfold((pump) => pump.electricKw),
        read_energy: thousandfold((pump) => pump.kwhToday),
        read_temperature: thousandfold((pump) => pump.roomCelsius),
      },
      controls: { on_off: onOff, set_temperature: { set_temperature: order } },
    }),
    thermostat: kind<Answer<payloads.ThermostatReading>>({
      read: reader(payloads.ThermostatReading),
      status: translate.thermostatStatus,
      reads: { read_temperature: thousandfold((thermostat) => thermostat.roomCelsius) },
      controls: { set_temperature: { set_temperature: order } },
    }),
    solar_inverter: kind<Answer<payloads.SolarReading>>({
      read: reader(payloads.SolarReading),
      status: translate.solarStatus,
      reads: {
        read_energy: thousandfold((inverter) => inverter.kwhToday),
        read_production: thousandfold((inverter) => inverter.productionKw),
      },
      controls: {},
    }),
    battery: kind<Answer<payloads.BatteryReading>>({
      read: reader(payloads.BatteryReading),
      status: translate.batteryStatus,
      reads: { read_battery_soc: batterySoc, read_power: thousandfold((battery) => battery.powerKw) },
      controls: { set_battery_power: { set_battery_power: order } },
      limits: () => BATTERY_LIMITS,
    }),
    smart_home_appliance: kind<Answer<payloads.ApplianceReading>>({
      read: reader(payloads.ApplianceReading),
      status: translate.applianceStatus,
      reads: { read_power: thousandfold((appliance) => appliance.powerKw) },
      controls: {
        on_off: onOff,
        program_control: { start_program: order, stop_program: order },
        delayed_start: { delayed_start: order },
      },
      interventions: { allow_remote_start: ALLOW_REMOTE_START },
    }),
    light: kind<Answer<payloads.LightReading>>({
      read: reader(payloads.LightReading),
      status: translate.lightStatus,
      reads: { read_power: thousandfold((light) => light.powerKw) },
      controls: { on_off: onOff, set_light: { set_light: order } },
    }),
    elevator: kind<Answer<payloads.ElevatorReading>>({
      read: reader(payloads.ElevatorReading),
      status: translate.elevatorStatus,
      reads: {
        read_power: thousandfold((lift) => lift.powerKw),
        read_energy: thousandfold((lift) => lift.meterKwh),
      },
      controls: { on_off: onOff },
    }),
    industrial: kind<Answer<payloads.PlantReading>>({
      read: reader(payloads.PlantReading),
      status: translate.plantStatus,
      reads: {
        read_power: thousandfold((plant) => plant.powerKw),
        read_energy: thousandfold((plant) => plant.meterKwh),
      },
      controls: { on_off: onOff, load_balancing: { set_limit: order } },
      timed: { set_limit: order },
      limits: () => PLANT_LIMITS,
      availableCapacity: translate.plantCapacity,
    }),
  },
} satisfies Adapter;
