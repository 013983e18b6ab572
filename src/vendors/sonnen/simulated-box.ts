import type { Situation } from '../../adapter/conformance/witnesses.ts';
import { HOUR_MS, MINUTE_MS } from '../../core/durations.ts';
import type { JsonObject } from '../../core/json.ts';
import { houseLoadA } from '../../simulation/physics/house-load.ts';
import { sineOfSunHeight, sunHoursToday } from '../../simulation/physics/sun.ts';

/** A simulated sonnenBatterie with panels on a roof in Stockholm, and a house. */
export interface SimulatedBox {
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

export const newBox = (now: number): SimulatedBox => ({
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

export function metersOf(box: SimulatedBox, now: number): readonly JsonObject[] {
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
