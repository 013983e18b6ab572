import type {
  SimulatedAnswer,
  SimulatorOptions,
  Situation,
  VendorSimulator,
} from '../../adapter/simulator.ts';

import { HOUR_MS, MINUTE_MS } from '../../core/durations.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { byKey, hostOf, type SimulatedCall, simulatedVendor } from '../../proof/simulation/index.ts';
import { sineOfSunHeight, sunHoursToday } from '../../proof/simulation/physics/sun.ts';
import { houseLoadA } from '../../proof/simulation/physics/week.ts';

/** A simulated sonnenBatterie with panels on a roof in Stockholm, and a house. */
interface SimulatedBox {
  /** What its owner has switched on under Software-Integration. */
  permits: { read: boolean; write: boolean };
  /** EM_OperatingMode. */
  mode: string;
  /** In force together in manual operation, watt. Each holds until it is replaced, and outlasts changes of the mode. */
  setPoints: { charge: number; discharge: number };
  storedWh: number;
  /** ms since 1970. */
  at: number;
  /** What the house leaves of the sun, watt; null where the sun and the house decide. */
  surplusW: number | null;
  /** Its meters as newer software reports them: an object instead of a list. */
  hasMetersAsObject: boolean;
  hasPanels: boolean;
  isOnGrid: boolean;
}

export const CAPACITY_WH = 10_000;
const MOST_W = 4_600;
const PANELS_W = 8_000;
const STEP_MS = MINUTE_MS;
const COUNTED_KWH = 3_969.8;
const LONGEST_MS = 24 * HOUR_MS;

const newBox = (now: number): SimulatedBox => ({
  permits: { read: true, write: true },
  mode: '2',
  setPoints: { charge: 0, discharge: 0 },
  storedWh: CAPACITY_WH / 2,
  at: now,
  surplusW: null,
  hasMetersAsObject: false,
  hasPanels: true,
  isOnGrid: true,
});

export function arrange(box: SimulatedBox, situation: Situation, now: number): void {
  const surplus: Partial<Record<Situation, number>> = { battery_idle: 0, battery_automatic: 1_500 };
  const fresh = newBox(now);
  Object.assign(box, fresh, { surplusW: surplus[situation] ?? null, permits: box.permits });
}

const producedW = ({ hasPanels }: SimulatedBox, at: number): number =>
  hasPanels ? Math.max(0, Math.round(PANELS_W * sineOfSunHeight(at))) : 0;
const loadW = (at: number): number => Math.round(houseLoadA('sonnen', at) * 3 * 230);

/** What the battery takes, watt; negative for what it gives. */
function chargingW(box: SimulatedBox, at: number): number {
  const surplus = box.surplusW ?? producedW(box, at) - loadW(at);
  const wanted = box.mode === '1' ? box.setPoints.charge - box.setPoints.discharge : surplus;
  if (wanted > 0) return box.storedWh >= CAPACITY_WH ? 0 : Math.min(wanted, MOST_W);
  return box.storedWh <= 0 ? 0 : Math.max(wanted, -MOST_W);
}

/** Brings the battery to `now`. */
export function settle(box: SimulatedBox, now: number): void {
  box.at = Math.max(box.at, now - LONGEST_MS);
  for (; box.at + STEP_MS <= now; box.at += STEP_MS) {
    const stored = box.storedWh + (chargingW(box, box.at) * STEP_MS) / HOUR_MS;
    box.storedWh = Math.min(CAPACITY_WH, Math.max(0, stored));
  }
}

const timestampOf = (now: number): string => new Date(now).toISOString().slice(0, 19).replace('T', ' ');

/** The fields that `status` and `latestdata` have in common. */
function flowsOf(box: SimulatedBox, now: number): JsonObject {
  const charging = chargingW(box, now);
  const [produced, load] = [producedW(box, now), loadW(now)];
  const soc = Math.round((100 * box.storedWh) / CAPACITY_WH);
  return {
    Consumption_W: load,
    GridFeedIn_W: produced - load - charging,
    Pac_total_W: 0 - charging,
    Production_W: produced,
    RSOC: soc,
    USOC: soc,
    Timestamp: timestampOf(now),
  };
}

export function statusOf(box: SimulatedBox, now: number): JsonObject {
  const charging = chargingW(box, now);
  return {
    ...flowsOf(box, now),
    Apparent_output: Math.abs(charging),
    BackupBuffer: '10',
    BatteryCharging: charging > 0,
    BatteryDischarging: charging < 0,
    Consumption_Avg: loadW(now),
    Fac: 50,
    FlowConsumptionBattery: charging < 0,
    FlowConsumptionGrid: false,
    FlowConsumptionProduction: true,
    FlowGridBattery: false,
    FlowProductionBattery: charging > 0,
    FlowProductionGrid: false,
    IsSystemInstalled: 1,
    OperatingMode: box.mode,
    RemainingCapacity_Wh: Math.round(box.storedWh),
    Sac1: Math.abs(charging),
    Sac2: null,
    Sac3: null,
    SystemStatus: box.isOnGrid ? 'OnGrid' : 'OffGrid',
    Uac: 230,
    Ubat: 210,
    dischargeNotAllowed: false,
    generator_autostart: false,
  };
}

export const latestOf = (box: SimulatedBox, now: number): JsonObject => ({
  ...flowsOf(box, now),
  FullChargeCapacity: CAPACITY_WH,
  SetPoint_W: box.setPoints.discharge - box.setPoints.charge,
  UTC_Offet: 1,
  ic_status: {
    nrbatterymodules: 2,
    statebms: 'ready',
    statecorecontrolmodule: 'ongrid',
    stateinverter: 'running',
  },
});

export const settingsOf = ({ mode }: SimulatedBox): JsonObject => ({
  CM_MarketingModuleCapacity: '5500',
  DE_Software: '1.14.5',
  EM_OperatingMode: mode,
  EM_ToU_Schedule: '[]',
  EM_USOC: '10',
  IC_BatteryModules: '2',
  IC_InverterMaxPower_w: String(MOST_W),
});

function metersOf(box: SimulatedBox, now: number): readonly JsonObject[] {
  const meter = (channel: number, direction: string, of: JsonObject): JsonObject => ({
    channel,
    deviceid: 4,
    direction,
    error: -1,
    kwh_exported: 0,
    ...of,
  });
  const counted = box.hasPanels ? COUNTED_KWH + (PANELS_W / 1_000) * sunHoursToday(now) : 0;
  return [
    meter(1, 'production', { kwh_imported: Math.round(counted * 10) / 10, w_total: producedW(box, now) }),
    meter(2, 'consumption', { kwh_imported: 6_816.5, w_total: loadW(now) }),
  ];
}

/** More than the contract asks of a simulator, for tests of what is peculiar to sonnen. */
export interface SonnenSimulator extends VendorSimulator {
  readonly box: SimulatedBox;
}

type Call = SimulatedCall<SimulatedBox>;

const STATUS = '/api/v2/status';
const TOKEN = 'simulated-key-of-home';
const FORBIDDEN: SimulatedAnswer = { status: 403, json: { error: 'Forbidden' } };

/** The web server of a battery: its JSON API with the token, and the state of the battery in time. */
export function createSimulator(options: SimulatorOptions): SonnenSimulator {
  const { now } = options.clock;
  const box = newBox(now());
  const read =
    (of: (call: Call) => Json | undefined) =>
    (call: Call): SimulatedAnswer | undefined => {
      if (!box.permits.read) return FORBIDDEN;
      settle(box, now());
      const json = of(call);
      return json === undefined ? undefined : { status: 200, json };
    };
  const write =
    (change: (call: Call) => SimulatedAnswer | undefined) =>
    (call: Call): SimulatedAnswer | undefined => {
      if (!box.permits.write) return FORBIDDEN;
      settle(box, now());
      return change(call);
    };

  const vendor = simulatedVendor<SimulatedBox, SimulatedBox>(options, {
    vendor: 'sonnen',
    users: { home: box },
    signIn(context) {
      // Anybody may ask for the status.
      const keyOf = ({ path, headers }: Call['request']) => (path === STATUS ? TOKEN : headers['auth-token']);
      const byToken = byKey({ keyOf })(context);
      const credentialsOf = (user: string): JsonObject => ({
        ...byToken.credentialsOf(user),
        host: hostOf(user, context.baseUrl()),
      });
      return { ...byToken, credentialsOf };
    },
    devices: {
      find: (home) => home,
      arrange: (home, situation) => arrange(home, situation, now()),
      reach: () => {},
      remove: () => {},
      add: () => {},
    },
    routes: {
      [`GET ${STATUS}`]: () => {
        settle(box, now());
        return { status: 200, json: statusOf(box, now()) };
      },
      'GET /api/v2/latestdata': read(() => latestOf(box, now())),
      'GET /api/v2/battery': read(() => ({
        fullchargecapacitywh: CAPACITY_WH,
        remainingcapacity: box.storedWh,
        systemstatus: 0,
      })),
      'GET /api/v2/inverter': read(() => ({ pac_total: statusOf(box, now()).Pac_total_W ?? 0, tmax: 36 })),
      'GET /api/v2/io': read(() => ({})),
      'GET /api/v2/powermeter': read(() => {
        const meters = metersOf(box, now());
        return box.hasMetersAsObject
          ? Object.fromEntries(meters.map((meter, index) => [`4_${index + 1}`, meter]))
          : [...meters];
      }),
      'GET /api/v2/configurations': read(() => settingsOf(box)),
      'GET /api/v2/configurations/:key': read(({ params: { key = '' } }) => {
        const value = settingsOf(box)[key];
        return value === undefined ? undefined : { [key]: value };
      }),
      'PUT /api/v2/configurations': write(({ body: { EM_OperatingMode: mode } }) => {
        if (typeof mode !== 'string' || !['1', '2', '6', '10'].includes(mode))
          return { status: 400, json: { error: 'Invalid value' } };
        box.mode = mode;
        return { status: 200, json: { EM_OperatingMode: mode } };
      }),
      'POST /api/v2/setpoint/:direction/:watts': write(({ params: { direction, watts = '' } }) => {
        if (!/^\d+$/.test(watts) || (direction !== 'charge' && direction !== 'discharge')) return undefined;
        if (box.mode !== '1') return { status: 200, json: false };
        box.setPoints[direction] = Number(watts);
        return { status: 201, json: true };
      }),
    },
  });
  return Object.assign(vendor, { box });
}
