import type { Situation } from '../../adapter/conformance/witnesses.ts';
import type { JsonObject } from '../../core/json.ts';
import { drawnW, gridWh, socAfter, WATT_PER_AMPERE } from '../../simulation/physics/car-battery.ts';

const LEAST_A = 6;
export const MOST_A = 32;
const VOLTS = 230;

export interface SimulatedPoint {
  readonly id: string;
  readonly name: string;
  readonly type: 'HALO' | 'AURA' | 'DAWN';
  /** null with the older firmware, "C-API". */
  readonly ocppVersion: string | null;
  /** States are sent as numbers. */
  readonly sendsNumbers: boolean;
  readonly ownerReadOnly: boolean;
}

export interface SimulatedSettings {
  mode: 'On' | 'Off' | 'Schedule';
  rfidLock: boolean;
  cableLock: boolean;
  maxCurrent: number;
  readonly installationCurrent: number | null;
}

/** A connector with a car. */
export interface SimulatedConnector {
  readonly id: string;
  readonly number: number;
  readonly type: 'Charger' | 'Schuko';
  readonly point: SimulatedPoint;
  /** As they were set last; the connector follows them a moment later. */
  settings: SimulatedSettings;
  obeyed: SimulatedSettings;
  online: boolean;
  plugged: boolean;
  /** A tag was held to it, or it was started remotely. */
  authorized: boolean;
  /** It was stopped remotely. */
  stopped: boolean;
  sessionId: number;
  startedAt: number;
  /** The charge of the car, percent. */
  soc: number;
  sessionWh: number;
  /** When the energies were so, ms since 1970. */
  at: number;
}

export function newConnector(
  point: SimulatedPoint,
  number: number,
  now: number,
  more: Partial<Pick<SimulatedConnector, 'type' | 'plugged'>> & {
    readonly settings?: Partial<SimulatedSettings>;
  } = {},
): SimulatedConnector {
  const settings: SimulatedSettings = {
    mode: 'On',
    rfidLock: false,
    cableLock: false,
    maxCurrent: MOST_A,
    installationCurrent: null,
    ...more.settings,
  };
  return {
    id: `${point.id}-${number}`,
    number,
    type: more.type ?? 'Charger',
    point,
    settings,
    obeyed: settings,
    online: true,
    plugged: more.plugged ?? false,
    authorized: false,
    stopped: false,
    sessionId: 1,
    startedAt: now,
    soc: 50,
    sessionWh: 0,
    at: now,
  };
}

function offeredA({ plugged, authorized, stopped, obeyed }: SimulatedConnector): number {
  const { mode, rfidLock, maxCurrent, installationCurrent } = obeyed;
  const isAllowed = plugged && mode === 'On' && !stopped && (!rfidLock || authorized);
  const amperes = Math.min(maxCurrent, installationCurrent ?? MOST_A);
  return isAllowed && amperes >= LEAST_A ? amperes : 0;
}

const chargingOf = (connector: SimulatedConnector) => ({
  soc: connector.soc,
  limit: 100,
  offeredW: offeredA(connector) * WATT_PER_AMPERE,
});

export const isCharging = (connector: SimulatedConnector) => drawnW(chargingOf(connector)) > 0;

/** Charges the car until `now`. */
export function advance(connector: SimulatedConnector, now: number): void {
  const soc = socAfter(chargingOf(connector), (now - connector.at) / 1_000);
  connector.sessionWh += gridWh(soc - connector.soc);
  Object.assign(connector, { soc, at: now });
}

const CAPI = ['Available', 'Charging', 'Connected', 'Error', 'Unknown'];
const OCPP = ['Available', 'Preparing', 'Charging', 'SuspendedEVSE', 'SuspendedEV', 'Finishing'];

function stateOf(connector: SimulatedConnector): string {
  const { point, plugged, obeyed, authorized, stopped, soc } = connector;
  const isOlder = point.ocppVersion === null;
  if (!plugged) return 'Available';
  if (isCharging(connector)) return 'Charging';
  if (isOlder) return 'Connected';
  if (stopped) return 'Finishing';
  if (obeyed.rfidLock && !authorized) return 'Preparing';
  return soc >= 100 ? 'SuspendedEV' : 'SuspendedEVSE';
}

export function statusJson(connector: SimulatedConnector, now: number): JsonObject {
  advance(connector, now);
  const { point, number, sessionWh, sessionId, startedAt, plugged } = connector;
  const watts = drawnW(chargingOf(connector));
  const state = stateOf(connector);
  const numbers = point.ocppVersion === null ? CAPI : OCPP;
  const current = Math.round((watts / WATT_PER_AMPERE) * 100) / 100;
  return {
    chargePointId: point.id,
    connectorId: number,
    totalConsumptionKwh: Math.round(sessionWh) / 1_000,
    chargingPowerKw: null,
    status: point.sendsNumbers ? String(numbers.indexOf(state)) : state,
    measurements: watts > 0 ? ['L1', 'L2', 'L3'].map((phase) => ({ phase, current, voltage: VOLTS })) : null,
    startTime: plugged ? new Date(startedAt).toISOString() : null,
    endTime: null,
    sessionId: plugged ? sessionId : null,
  };
}

/** Follows what was set. With the newer firmware, mode "Off" does not end a charge that is under way. */
export function obey(connector: SimulatedConnector, settings: SimulatedSettings, now: number): void {
  advance(connector, now);
  const isKept = connector.point.ocppVersion !== null && settings.mode === 'Off' && isCharging(connector);
  connector.obeyed = isKept ? { ...settings, mode: 'On' } : settings;
}

export function arrange(connector: SimulatedConnector, situation: Situation, now: number): void {
  advance(connector, now);
  const maxCurrent = situation === 'plugged_in' ? 0 : MOST_A;
  const settings = { ...connector.settings, mode: 'On' as const, rfidLock: false, maxCurrent };
  Object.assign(connector, {
    settings,
    obeyed: settings,
    plugged: situation === 'plugged_in' || situation === 'charging',
    authorized: false,
    stopped: false,
    startedAt: now,
    sessionId: connector.sessionId + 1,
    soc: 50,
    sessionWh: 0,
  });
}
