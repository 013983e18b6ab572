import { HOUR_MS, MINUTE_MS } from '../../core/durations.ts';
import type { JsonObject } from '../../core/json.ts';
import { dayAt, midnight } from '../../core/swedish-days.ts';
import { between } from '../../simulation/physics/chance.ts';
import { houseLoadA } from '../../simulation/physics/house-load.ts';
import { sineOfSunHeight, sunHoursToday } from '../../simulation/physics/sun.ts';

/** A simulated inverter with panels on a roof in Stockholm. */
export interface SimulatedInverter {
  readonly address: string;
  readonly uniqueId: string;
  readonly name: string;
  /** Watt of the panels with the sun in the zenith. */
  readonly sizeW: number;
  /** What it had produced before the simulator started, watt-hours. */
  readonly lifetimeWh: number;
  /** Responds to the Datamanager. */
  online: boolean;
}

export interface SimulatedBattery {
  readonly serial: string;
  readonly capacityWh: number;
  storedWh: number;
  /** ms since 1970. */
  at: number;
  online: boolean;
}

/** What is at one address: a Datamanager with its inverters, or a GEN24 alone. */
export interface SimulatedSystem {
  /** Of the Datamanager; null for a GEN24. */
  readonly logger: string | null;
  /** What GEN24 is delivered with switched off, and what the first Datamanagers had. */
  api: 'on' | 'off' | 'version 0';
  /** Software before 3.7 reports no energies of single inverters in the power flow. */
  readonly hasEnergies: boolean;
  readonly since: number;
  readonly inverters: SimulatedInverter[];
  battery: SimulatedBattery | null;
}

const MOST_W = 5_000;
export const STEP_MS = 5 * MINUTE_MS;
const VOLTS = 230;
const NIGHT_W = 1;

const clearness = ({ uniqueId }: SimulatedInverter, at: number): number =>
  between(`fronius ${uniqueId}`, `clouds ${dayAt(at)}`, [0.2, 1]);

/** Watt; null while it does not run. */
function powerOf(inverter: SimulatedInverter, now: number): number | null {
  const power = inverter.sizeW * clearness(inverter, now) * sineOfSunHeight(now);
  return !inverter.online || power < NIGHT_W ? null : power;
}

function energyOf(inverter: SimulatedInverter, since: number, now: number): number {
  const until = (at: number) => inverter.sizeW * clearness(inverter, at) * sunHoursToday(at);
  let sum = inverter.lifetimeWh + until(now);
  for (let day = midnight(since); day < midnight(now); day = midnight(day, 1))
    sum += until(midnight(day, 1) - 1);
  return Math.round(sum);
}

const loadOf = ({ logger }: SimulatedSystem, now: number): number =>
  houseLoadA(`fronius ${logger ?? 'gen24'}`, now) * 3 * VOLTS;

const producedOf = ({ inverters }: SimulatedSystem, now: number): number =>
  inverters.reduce((sum, inverter) => sum + (powerOf(inverter, now) ?? 0), 0);

/** What the battery takes of the sun that the house leaves, watt; negative for what it gives. */
function chargingOf(system: SimulatedSystem, at: number): number {
  const { battery } = system;
  if (battery === null || !battery.online) return 0;
  const left = producedOf(system, at) - loadOf(system, at);
  if (left > 0) return battery.storedWh >= battery.capacityWh ? 0 : Math.min(left, MOST_W);
  return battery.storedWh <= 0 ? 0 : Math.max(left, -MOST_W);
}

/** Brings the battery to `now`. */
export function settle(system: SimulatedSystem, now: number): void {
  const { battery } = system;
  if (battery === null) return;
  for (; battery.at + STEP_MS <= now; battery.at += STEP_MS) {
    const stored = battery.storedWh + (chargingOf(system, battery.at) * STEP_MS) / HOUR_MS;
    battery.storedWh = Math.min(battery.capacityWh, Math.max(0, stored));
  }
}

const socOf = ({ storedWh, capacityWh }: SimulatedBattery): number =>
  Math.round((1_000 * storedWh) / capacityWh) / 10;

/** `Body.Data` of the power flow. The hybrid inverter reports what it gives to the house: its panels and the battery together. */
export function flowOf(system: SimulatedSystem, now: number): JsonObject {
  const { inverters, battery, hasEnergies, since } = system;
  const charging = chargingOf(system, now);
  const load = loadOf(system, now);
  const produced = producedOf(system, now);
  const total = inverters.reduce((sum, one) => sum + energyOf(one, since, now), 0);
  const responding = inverters.filter(({ online }) => online);
  const one = (inverter: SimulatedInverter, index: number): JsonObject => {
    const isHybrid = battery !== null && index === 0;
    const power = powerOf(inverter, now);
    return {
      DT: system.logger === null ? 1 : 99,
      P: isHybrid ? (power ?? 0) - charging : power,
      ...(isHybrid ? { SOC: socOf(battery), Battery_Mode: 'normal' } : {}),
      ...(hasEnergies ? { E_Total: energyOf(inverter, since, now) } : {}),
    };
  };
  return {
    Inverters: Object.fromEntries(
      responding.map((inverter, index) => [inverter.address, one(inverter, index)]),
    ),
    Site: {
      Mode: battery === null ? 'meter' : 'bidirectional',
      Meter_Location: 'grid',
      P_Grid: load + charging - produced,
      P_Load: -load,
      P_Akku: battery?.online === true ? -charging : null,
      P_PV: produced === 0 ? null : produced,
      E_Day: null,
      E_Year: null,
      E_Total: total,
      rel_Autonomy: 100,
      rel_SelfConsumption: 100,
    },
    Version: '12',
  };
}

/** Every letter of a name as a number, as Datamanagers send them. */
const encoded = (name: string): string =>
  Array.from(name, (letter) => `&#${letter.codePointAt(0)};`).join('');

export const infoOf = ({ inverters, logger }: SimulatedSystem): JsonObject =>
  Object.fromEntries(
    inverters.map(({ address, uniqueId, name, sizeW, online }) => [
      address,
      {
        CustomName: logger === null ? name : encoded(name),
        DT: logger === null ? 1 : 99,
        ErrorCode: 0,
        PVPower: sizeW,
        Show: 1,
        StatusCode: logger === null ? 'Running' : online ? 7 : 255,
        UniqueID: uniqueId,
      },
    ]),
  );

/** `Body.Data` of GetInverterRealtimeData: of all, or of one. One that does not run has no power. */
export function realtimeOf(system: SimulatedSystem, query: URLSearchParams, now: number): JsonObject {
  const { inverters, since } = system;
  const responding = inverters.filter(({ online }) => online);
  const one = responding.find(({ address }) => address === query.get('DeviceId'));
  if (query.get('Scope') === 'Device' && one !== undefined) {
    const power = powerOf(one, now);
    return {
      ...(power === null ? {} : { PAC: { Unit: 'W', Value: Math.round(power) } }),
      TOTAL_ENERGY: { Unit: 'Wh', Value: energyOf(one, since, now) },
      DeviceStatus: { StatusCode: power === null ? 3 : 7, ErrorCode: power === null ? 523 : 0 },
    };
  }
  const values = (of: (inverter: SimulatedInverter) => number) =>
    Object.fromEntries(responding.map((inverter) => [inverter.address, of(inverter)]));
  return {
    PAC: { Unit: 'W', Values: values((one) => Math.round(powerOf(one, now) ?? 0)) },
    TOTAL_ENERGY: { Unit: 'Wh', Values: values((one) => energyOf(one, since, now)) },
  };
}

/** The batteries, or the one that is asked for. */
export function storagesOf({ battery }: SimulatedSystem, query: URLSearchParams): JsonObject {
  if (battery === null) return {};
  const storage = {
    Controller: {
      Capacity_Maximum: battery.capacityWh,
      DesignedCapacity: battery.capacityWh,
      Details: { Manufacturer: 'BYD', Model: 'BYD Battery-Box HV (simulated)', Serial: battery.serial },
      Enable: battery.online ? 1 : 0,
      StateOfCharge_Relative: socOf(battery),
      Status_BatteryCell: 3,
      Temperature_Cell: 21.5,
    },
    Modules: [],
  };
  return query.get('Scope') === 'Device' ? storage : { 0: storage };
}

export const meterOf = (system: SimulatedSystem, now: number): JsonObject => ({
  0: {
    Details: { Manufacturer: 'Fronius', Model: 'Smart Meter 63A', Serial: '15160189' },
    Enable: 1,
    Visible: 1,
    Meter_Location_Current: 0,
    PowerReal_P_Sum: loadOf(system, now) + chargingOf(system, now) - producedOf(system, now),
  },
});

/** Which devices respond: `{Inverter: {"1": {DT, Serial}}, Storage: …}`. */
export const activeOf = ({ inverters, battery }: SimulatedSystem): JsonObject => ({
  Inverter: Object.fromEntries(
    inverters
      .filter(({ online }) => online)
      .map(({ address, uniqueId }) => [address, { DT: 99, Serial: uniqueId }]),
  ),
  Meter: { 0: { DT: -1, Serial: '15160189' } },
  Ohmpilot: {},
  SensorCard: {},
  Storage: battery === null ? {} : { 0: { DT: -1, Serial: battery.serial } },
  StringControl: {},
});
