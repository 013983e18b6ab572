import { type Adapter, kind } from '../../adapter/adapter.ts';
import { Credentials, link } from './account.ts';
import { type Answer, order, reader } from './client.ts';
import { applyConditions, ConditionsSchema } from './conditions.ts';
import { ALLOW_REMOTE_START } from './interventions.ts';
import * as payloads from './payloads.ts';
import { BATTERY_LIMITS, CHARGE_LIMITS, PLANT_LIMITS } from './ratings.ts';
import * as translate from './translate.ts';
import { words } from './words.ts';

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
