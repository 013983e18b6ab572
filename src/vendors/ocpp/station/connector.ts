import type { RunningTransaction } from '../../../adapter/charging.ts';
import { type ChargerRaw, FLOWS_W, statusOf, WORDS } from '../translate.ts';
import type { Figures } from './meter.ts';
import { amperesAt, type Limit } from './schedule.ts';

/** The live state of one connector (1.6) or EVSE (2.0.1) while the station is connected. */
export interface Connector {
  readonly number: number;
  status: string | null;
  /** 2.0.1 only: the status of each plug of the EVSE, by connector id. */
  readonly plugs: Map<number, string>;
  /** `status` was restored from an earlier connection and is not confirmed yet. */
  recalled: boolean;
  /** 2.0.1 only: the charging state that the running transaction reported. */
  chargingState: string | null;
  transaction: RunningTransaction | null;
  /** The station booted and has not mentioned the running transaction since, so it may have lost it. */
  transactionStale: boolean;
  /** The transaction that ended last; its readings may still arrive. */
  ended: string | null;
  power_w: number | null;
  /** `power_w` follows from registers, since the running transaction measures no power. */
  derives: boolean;
  /** The register when it last rose in the running transaction, or was first read (`rose`: false); power is derived from there. */
  risen: { readonly register_wh: number; readonly at: number; readonly rose: boolean } | null;
  /** Whether power was measured in the running transaction. */
  measuresPower: boolean;
  register_wh: number | null;
  session_wh: number | null;
  phases: number | null;
  cable_a: number | null;
  /** When the station last sent something about this connector, ms since 1970. */
  at: number | null;
  /** Times of the newest samples by kind: what a station buffered while offline must not overwrite newer values. */
  measuredAt: number;
  registerAt: number;
  intervalAt: number;
  /** When the station last reported that charging stopped, ms; older power samples are ignored. */
  idleSince: number;
  /** The register when a transaction last began or ended; it need not appear in any reading. */
  mark: { readonly register_wh: number; readonly at: number } | null;
  /** Whether the register was read during the running transaction; from then on it may only increase. */
  counted: boolean;
  /** Our limit on the running transaction, and the one on later transactions; null: none set. */
  transactionLimit: Limit | null;
  defaultLimit: Limit | null;
  /** Our last limit above 0, which is restored when a pause ends. */
  lastLimit: Limit | null;
}

export function newConnector(number: number): Connector {
  return {
    number,
    status: null,
    plugs: new Map(),
    recalled: false,
    chargingState: null,
    transaction: null,
    transactionStale: false,
    ended: null,
    power_w: null,
    derives: false,
    risen: null,
    measuresPower: false,
    register_wh: null,
    session_wh: null,
    phases: null,
    cable_a: null,
    at: null,
    measuredAt: 0,
    registerAt: 0,
    intervalAt: 0,
    idleSince: 0,
    mark: null,
    counted: false,
    transactionLimit: null,
    defaultLimit: null,
    lastLimit: null,
  };
}

export function wordOf(connector: Connector): string | null {
  const isCurrent = connector.transaction !== null && !connector.transactionStale;
  const charging = isCurrent ? connector.chargingState : null;
  return charging ?? connector.status;
}

/** Whether the reported status means charging; null: no status, or one that does not tell. */
function reportsCharging(connector: Connector): boolean | null {
  const word = wordOf(connector);
  return word === null ? null : (WORDS.get(word)?.charging ?? null);
}

export function isCharging(connector: Connector, now: number): boolean {
  return statusOf(rawOf(connector, { online: true, now })).charging === true;
}

export function rawOf(
  connector: Connector,
  { online, now }: { readonly online: boolean; readonly now: number },
): ChargerRaw {
  return {
    online,
    word: wordOf(connector),
    in_transaction: connector.transaction !== null,
    power_w: connector.power_w,
    register_wh: connector.register_wh,
    session_wh: connector.session_wh,
    cable_a: connector.cable_a,
    limit_a: limitNow(connector, now),
    at: connector.at,
  };
}

/**
 * Applies a status reported at `at` (ms). When charging starts or stops, older power samples no longer apply, and the phases
 * of a car that was unplugged do not apply to the next car.
 */
export function takeStatus(
  connector: Connector,
  change: Partial<Pick<Connector, 'status' | 'chargingState'>>,
  at: number,
): void {
  const was = reportsCharging(connector);
  Object.assign(connector, change);
  if (change.status !== undefined) connector.recalled = false;
  const is = reportsCharging(connector);
  if (is !== was) {
    if (connector.measuredAt < at) forgetPower(connector);
    if (is === false) connector.idleSince = at;
  }
  if (WORDS.get(connector.status ?? '')?.connected === false) connector.phases = null;
}

/** Makes `transaction` the running one. Its start may have been buffered while the station was offline. */
export function beginTransaction(connector: Connector, transaction: RunningTransaction): void {
  const { meterStartWh, startedAt } = transaction;
  connector.transaction = transaction;
  connector.transactionStale = false;
  connector.chargingState = null;
  connector.transactionLimit = null;
  connector.session_wh = null;
  connector.counted = false;
  connector.measuresPower = false;
  connector.risen = null;
  if (connector.measuredAt < startedAt && !flows(connector)) connector.power_w = null;
  // Some stations start each transaction at 0 and report the real meter later, so only a reading may lower the register.
  if (meterStartWh !== null && meterStartWh >= (connector.register_wh ?? meterStartWh)) {
    takeRegister(connector, meterStartWh, startedAt);
    mark(connector);
  }
}

/** Power that was measured or derived before does not apply any more. */
function forgetPower(connector: Connector): void {
  connector.power_w = null;
  connector.risen = null;
}

/** Marks the running transaction and the power as uncertain: the station has booted and not reported them since. */
export function markTransactionStale(connector: Connector): void {
  if (connector.transaction === null) return;
  connector.transactionStale = true;
  forgetPower(connector);
}

/** Ends the running transaction at `at` (ms). No power flows from now on, whatever was measured before. */
export function endTransaction(connector: Connector, at: number): void {
  connector.ended = connector.transaction?.transactionId ?? connector.ended;
  connector.transaction = null;
  connector.transactionStale = false;
  connector.chargingState = null;
  connector.transactionLimit = null;
  connector.cable_a = null;
  connector.counted = false;
  connector.power_w = 0;
  connector.measuredAt = Math.max(connector.measuredAt, at);
  connector.idleSince = Math.max(connector.idleSince, at);
  mark(connector);
}

function mark(connector: Connector): void {
  const { register_wh, registerAt: at } = connector;
  if (register_wh !== null) connector.mark = { register_wh, at };
}

/** Applies values measured at `at` (ms), in the running transaction or while none runs. */
export function takeFigures(connector: Connector, figures: Figures, at: number): void {
  if (at >= connector.measuredAt) {
    connector.measuredAt = at;
    const isPast = reportsCharging(connector) === false && at < connector.idleSince;
    const power = powerIn(connector, figures, at);
    if (!isPast) connector.power_w = power ?? connector.power_w;
    connector.phases = figures.phases ?? connector.phases;
  }
  if (figures.register_wh !== null) takeRegister(connector, figures.register_wh, at);
  if (figures.interval_wh !== null && at > connector.intervalAt) {
    connector.intervalAt = at;
    connector.session_wh = (connector.session_wh ?? 0) + figures.interval_wh;
  }
}

/** Registers further apart say too little of the present. */
const DERIVED_WITHIN_MS = 15 * 60_000;

/** A register that does not rise for so long means that nothing flows; within it, the meter may count in large steps. */
const STILL_MS = 5 * 60_000;

/** Closer registers are too coarse to divide. */
const DERIVED_FROM_MS = 5_000;

/**
 * The power among the values measured at `at` (ms); null: they do not tell. Where the running transaction has measured none, it is the mean
 * between the last two times that the register rose: some meters count in steps that take minutes.
 */
export function powerIn(connector: Connector, { power_w, register_wh }: Figures, at: number): number | null {
  if (power_w !== null) {
    connector.measuresPower = true;
    connector.derives = false;
    return power_w;
  }
  if (register_wh === null || connector.transaction === null || connector.measuresPower) return null;
  const { risen } = connector;
  const passed = at - (risen?.at ?? 0);
  if (risen === null || register_wh < risen.register_wh || passed > DERIVED_WITHIN_MS) {
    connector.risen = { register_wh, at, rose: false };
    return null;
  }
  if (passed < DERIVED_FROM_MS) return null;
  if (register_wh === risen.register_wh) {
    if (passed < STILL_MS) return null;
    connector.derives = true;
    return 0;
  }
  connector.risen = { register_wh, at, rose: true };
  if (!risen.rose) return null;
  connector.derives = true;
  return Math.round(((register_wh - risen.register_wh) * 3_600_000) / passed);
}

/** Stations round the register differently between messages; a decrease within this is ignored, watt-hours. */
const ROUNDING_WH = 100;

/**
 * Applies the import register at `at` (ms). It only increases within a transaction; between transactions it may restart, since
 * some stations count each transaction from 0 and a meter can be replaced.
 */
export function takeRegister(connector: Connector, registerWh: number, at: number): void {
  if (at < connector.registerAt) return;
  const fall = (connector.register_wh ?? registerWh) - registerWh;
  const isFault = fall > 0 && (connector.counted || fall <= ROUNDING_WH);
  if (connector.transaction !== null) connector.counted = true;
  if (isFault) return;
  connector.registerAt = at;
  connector.register_wh = registerWh;
}

/** Applies a limit of ours. Starting or ending a pause invalidates the power measured before, unless none flowed and none shall. */
export function takeLimit(
  connector: Connector,
  limit: Partial<Pick<Connector, 'transactionLimit' | 'defaultLimit'>>,
  now: number,
): void {
  const was = limitNow(connector, now);
  Object.assign(connector, limit);
  const is = limitNow(connector, now);
  if (is !== null && is > 0) connector.lastLimit = connector.transactionLimit ?? connector.defaultLimit;
  const staysStill = is === 0 && connector.power_w !== null && !flows(connector);
  if ((was === 0) !== (is === 0) && !staysStill) forgetPower(connector);
}

/** Our limit now, ampere; null when none is set. */
export function limitNow(connector: Connector, now: number): number | null {
  const limit = connector.transactionLimit ?? connector.defaultLimit;
  return limit === null ? null : amperesAt(limit, now);
}

const flows = ({ power_w }: Connector): boolean => power_w !== null && power_w > FLOWS_W;

/** Whether no power flows and no transaction runs in which it could. */
export const isStill = (connector: Connector): boolean =>
  connector.transaction === null && connector.power_w !== null && !flows(connector);
