import type { HouseMeter } from '../../adapter/device.ts';
import type { SimulatedAnswer, SimulatorOptions, VendorSimulator } from '../../adapter/simulator.ts';
import { HOUR_MS, MINUTE_MS } from '../../core/durations.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { dayAt, midnight } from '../../core/swedish-days.ts';
import { byAddress, type SimulatedCall, simulatedVendor } from '../../proof/simulation/index.ts';
import { sineOfSunHeight, sunHoursToday } from '../../proof/simulation/physics/sun.ts';
import { between, houseLoadA } from '../../proof/simulation/physics/week.ts';

/** A simulated inverter with panels on a roof in Stockholm. */
interface SimulatedInverter {
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

interface SimulatedBattery {
  readonly serial: string;
  readonly capacityWh: number;
  storedWh: number;
  /** ms since 1970. */
  at: number;
  online: boolean;
}

/** The devices at one address: a Datamanager with its inverters, or a GEN24 alone. */
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
  /** What its Smart Meter tells: null while that does not respond, and nothing where there is none. */
  meters: SimulatedMeter[];
}

interface SimulatedMeter {
  readonly measures: HouseMeter;
  online: boolean;
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
function flowOf(system: SimulatedSystem, now: number): JsonObject {
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
      ...Object.fromEntries(
        system.meters.map(({ measures, online }) => {
          const [name, power] =
            measures === 'grid' ? ['P_Grid', load + charging - produced] : ['P_Load', -load];
          return [name, online ? power : null];
        }),
      ),
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

const infoOf = ({ inverters, logger }: SimulatedSystem): JsonObject =>
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
function realtimeOf(system: SimulatedSystem, query: URLSearchParams, now: number): JsonObject {
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
function storagesOf({ battery }: SimulatedSystem, query: URLSearchParams): JsonObject {
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

const meterOf = (system: SimulatedSystem, now: number): JsonObject => ({
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

/** More than the contract asks of a simulator, for tests of what is peculiar to Fronius. */
export interface FroniusSimulator extends VendorSimulator {
  /** What is at the address of a user. */
  readonly system: (user: 'home' | 'gen24' | 'older') => SimulatedSystem;
}

type Part = SimulatedInverter | SimulatedBattery | SimulatedMeter;
type Call = SimulatedCall<SimulatedSystem>;

const V1 = '/solar_api/v1';
const NOT_SUPPORTED = 11;

/** A Datamanager with two inverters and a battery, or a GEN24, in the network of their owner. */
export function createSimulator(options: SimulatorOptions): FroniusSimulator {
  /** What inverters report is some minutes old: GEN24 counts its energy every five. */
  const now = () => Math.floor(options.clock.now() / STEP_MS) * STEP_MS;
  const users = usersAt(now());

  /** A response in its envelope. */
  const said = ({ request, query }: Call, body: JsonObject, code = 0): SimulatedAnswer => ({
    status: 200,
    json: {
      Body: body,
      Head: {
        RequestArguments: Object.fromEntries(query),
        Status: { Code: code, Reason: code === 0 ? '' : request.path, UserMessage: '' },
        Timestamp: `${new Date(options.clock.now()).toISOString().slice(0, 19)}+00:00`,
      },
    },
  });
  const data =
    (of: (system: SimulatedSystem, query: URLSearchParams) => Json) =>
    (call: Call): SimulatedAnswer | undefined => {
      if (call.home.api !== 'on') return undefined;
      settle(call.home, now());
      return said(call, { Data: of(call.home, call.query) });
    };

  const vendor = simulatedVendor<SimulatedSystem, Part>(options, {
    vendor: 'Fronius',
    users,
    signIn: byAddress(),
    // A web server's page: Fronius has no words for these.
    refusal: (status) => ({
      status,
      headers: { 'content-type': 'text/html' },
      text: status === 404 ? 'Solar API disabled by customer config' : `<html>${status}</html>`,
    }),
    devices: {
      find: (home, { id }) =>
        home.battery !== null && id === `${systemOf(home)}-battery`
          ? home.battery
          : (home.meters.find(({ measures }) => id === `${systemOf(home)}-${measures}`) ??
            home.inverters.find((one) => idOf(home, one) === id)),
      arrange: () => {},
      reach(part, isReachable) {
        part.online = isReachable;
      },
      remove(home, part) {
        if ('serial' in part) home.battery = null;
        else if ('measures' in part) home.meters = home.meters.filter((one) => one !== part);
        else home.inverters.splice(home.inverters.indexOf(part), 1);
      },
      add(home, part) {
        if ('serial' in part) home.battery = part;
        else if ('measures' in part) home.meters.unshift(part);
        else home.inverters.unshift(part);
      },
    },
    routes: {
      'GET /solar_api/GetAPIVersion.cgi': ({ home }) =>
        home.api === 'on'
          ? { status: 200, json: { APIVersion: 1, BaseURL: '/solar_api/v1/', CompatibilityRange: '1.5-18' } }
          : undefined,
      'GET /solar_api/GetInverterInfo.cgi': (call) =>
        call.home.api === 'version 0' ? said(call, { Data: infoOf(call.home) }) : undefined,
      [`GET ${V1}/GetPowerFlowRealtimeData.fcgi`]: data((system) => flowOf(system, now())),
      [`GET ${V1}/GetInverterInfo.cgi`]: data((system) => infoOf(system)),
      [`GET ${V1}/GetActiveDeviceInfo.cgi`]: data((system) => activeOf(system)),
      [`GET ${V1}/GetMeterRealtimeData.cgi`]: data((system) => meterOf(system, now())),
      [`GET ${V1}/GetInverterRealtimeData.cgi`]: data((system, query) => realtimeOf(system, query, now())),
      [`GET ${V1}/GetStorageRealtimeData.cgi`]: (call) =>
        call.home.battery === null && call.home.logger === null
          ? said(call, { Data: {} }, NOT_SUPPORTED)
          : data(storagesOf)(call),
      [`GET ${V1}/GetLoggerInfo.cgi`]: (call) =>
        call.home.api !== 'on' || call.home.logger === null
          ? undefined
          : said(call, {
              LoggerInfo: {
                UniqueID: call.home.logger,
                ProductID: 'fronius-datamanager-card',
                SWVersion: '3.30.1-3',
              },
            }),
    },
  });
  return Object.assign(vendor, { system: (user: 'home' | 'gen24' | 'older') => users[user] });
}

const systemOf = ({ logger, inverters: [first] }: SimulatedSystem): string =>
  (logger ?? first?.uniqueId ?? '').replace('.', '-');

const idOf = (system: SimulatedSystem, { uniqueId, address }: SimulatedInverter): string =>
  uniqueId === '16777215' ? `${systemOf(system)}-${address}` : uniqueId;

function usersAt(now: number) {
  const inverter = (address: number, uniqueId: string, name: string): SimulatedInverter => ({
    address: String(address),
    uniqueId,
    name: `${name} (simulated)`,
    sizeW: 6_000,
    lifetimeWh: 7_512_664,
    online: true,
  });
  const system = (of: Partial<SimulatedSystem>): SimulatedSystem => ({
    logger: null,
    api: 'on',
    hasEnergies: true,
    since: now,
    inverters: [],
    battery: null,
    meters: [],
    ...of,
  });
  const battery = { serial: '400481708-00059', capacityWh: 11_520, storedWh: 6_000, at: now, online: true };
  return {
    home: system({
      logger: '240.123456',
      inverters: [inverter(1, '38183', 'Symo Hybrid'), inverter(2, '16777215', 'Primo')],
      battery,
      meters: [
        { measures: 'grid', online: true },
        { measures: 'house', online: true },
      ],
    }),
    none: system({ logger: '240.100000' }),
    large: system({
      logger: '240.500500',
      inverters: Array.from({ length: 500 }, (_, index) => inverter(index + 1, `${50_000 + index}`, 'Snap')),
    }),
    gen24: system({ inverters: [inverter(1, '29301000987160033', 'GEN24')] }),
    older: system({
      logger: '240.300300',
      hasEnergies: false,
      inverters: [inverter(1, '7262', 'Galvo'), inverter(2, '100372', 'Galvo')],
    }),
  };
}
