import type { RunningTransaction } from '../../adapter/charging.ts';
import type { Figures } from './figures.ts';
import { amperesAt, type Limit } from './schedule.ts';
import { type ChargerRaw, FLOWS_W, statusOf, WORDS } from './translate.ts';

/** The live state of one connector (1.6) or EVSE (2.0.1): all that is kept of it while the station is connected. */
export interface Connector {
  readonly number: number;
  status: string | null;
  /** 2.0.1 only: the status of each plug of the EVSE, by connector id. */
  readonly plugs: Map<number, string>;
  /** Its status is of an earlier connection; the station has not said yet whether it still holds. */
  recalled: boolean;
  /** 2.0.1 only: what the running transaction says of itself. */
  chargingState: string | null;
  transaction: RunningTransaction | null;
  /** The station has booted and not spoken of the running transaction since: it may have forgotten it. */
  doubted: boolean;
  /** The transaction that ended last; readings of it may still come. */
  ended: string | null;
  power_w: number | null;
  register_wh: number | null;
  session_wh: number | null;
  phases: number | null;
  cable_a: number | null;
  /** When the station last spoke of it, ms since 1970. */
  at: number | null;
  /** Time of the newest sample of each kind; what a station kept while offline must not overwrite what is newer. */
  measuredAt: number;
  registerAt: number;
  intervalAt: number;
  /** Since when nothing flows by the station's word; samples from before say nothing of now. */
  idleSince: number;
  /** The register as it stood when a transaction last began or ended, which no reading need hold. */
  mark: { readonly register_wh: number; readonly at: number } | null;
  /** Whether the register was read in the running transaction; from then on it only counts up. */
  counted: boolean;
  /** Our limit on the running transaction and on those that follow; null: none set. */
  transactionLimit: Limit | null;
  defaultLimit: Limit | null;
  /** The last limit of ours that let something flow, which is what a pause ends with. */
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
    doubted: false,
    ended: null,
    power_w: null,
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
  const isTold = connector.transaction !== null && !connector.doubted;
  const charging = isTold ? connector.chargingState : null;
  return charging ?? connector.status;
}

/** Whether the station's word says that it charges; null: no word, or one that does not tell. */
function saidToCharge(connector: Connector): boolean | null {
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
 * Takes a new status, told at `at` (ms). A sample from before charging began or stopped says nothing of what flows after it,
 * and the phases of a car that has left nothing of the next one.
 */
export function tell(
  connector: Connector,
  news: Partial<Pick<Connector, 'status' | 'chargingState'>>,
  at: number,
): void {
  const was = saidToCharge(connector);
  Object.assign(connector, news);
  if (news.status !== undefined) connector.recalled = false;
  const is = saidToCharge(connector);
  if (is !== was) {
    if (connector.measuredAt < at) connector.power_w = null;
    if (is === false) connector.idleSince = at;
  }
  if (WORDS.get(connector.status ?? '')?.connected === false) connector.phases = null;
}

/** Makes it the running transaction. Its start may have been kept while the station was offline. */
export function beginTransaction(connector: Connector, transaction: RunningTransaction): void {
  const { meterStartWh, startedAt } = transaction;
  connector.transaction = transaction;
  connector.doubted = false;
  connector.chargingState = null;
  connector.transactionLimit = null;
  connector.session_wh = null;
  connector.counted = false;
  if (connector.measuredAt < startedAt && !flows(connector)) connector.power_w = null;
  // Some stations start each transaction at 0 and then tell the meter: a lower register is taken from a reading only.
  if (meterStartWh !== null && meterStartWh >= (connector.register_wh ?? meterStartWh)) {
    takeRegister(connector, meterStartWh, startedAt);
    mark(connector);
  }
}

/** The station has booted: what it told before of the running transaction and of power says nothing of now. */
export function doubt(connector: Connector): void {
  if (connector.transaction === null) return;
  connector.doubted = true;
  connector.power_w = null;
}

/** The running transaction has ended, at `at` (ms): whatever was measured before, nothing flows now. */
export function endTransaction(connector: Connector, at: number): void {
  connector.ended = connector.transaction?.transactionId ?? connector.ended;
  connector.transaction = null;
  connector.doubted = false;
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

/** Takes what was measured at `at` (ms) in the running transaction, or while none ran. */
export function takeFigures(connector: Connector, figures: Figures, at: number): void {
  if (at >= connector.measuredAt) {
    connector.measuredAt = at;
    const isPast = saidToCharge(connector) === false && at < connector.idleSince;
    if (!isPast) connector.power_w = figures.power_w ?? connector.power_w;
    connector.phases = figures.phases ?? connector.phases;
  }
  if (figures.register_wh !== null) takeRegister(connector, figures.register_wh, at);
  if (figures.interval_wh !== null && at > connector.intervalAt) {
    connector.intervalAt = at;
    connector.session_wh = (connector.session_wh ?? 0) + figures.interval_wh;
  }
}

/** Stations round a register differently in different messages; a fall within this is no fall, watt-hours. */
const ROUNDING_WH = 100;

/**
 * Takes the import register as it stood at `at` (ms). Within a transaction a meter only counts up; between two it may begin
 * anew, since some count each transaction from 0 and a meter may be exchanged.
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

/** A limit of ours holds now. What flowed before a pause says nothing of what flows in it, and the other way round. */
export function takeLimit(
  connector: Connector,
  limit: Partial<Pick<Connector, 'transactionLimit' | 'defaultLimit'>>,
  now: number,
): void {
  const was = limitNow(connector, now);
  Object.assign(connector, limit);
  const is = limitNow(connector, now);
  if (is !== null && is > 0) connector.lastLimit = connector.transactionLimit ?? connector.defaultLimit;
  if ((was === 0) !== (is === 0)) connector.power_w = null;
}

/** The limit that holds now, ampere; null when we set none. */
export function limitNow(connector: Connector, now: number): number | null {
  const limit = connector.transactionLimit ?? connector.defaultLimit;
  return limit === null ? null : amperesAt(limit, now);
}

const flows = ({ power_w }: Connector): boolean => power_w !== null && power_w > FLOWS_W;

/** Whether it is known that nothing flows, with no transaction in which it might. */
export const isStill = (connector: Connector): boolean =>
  connector.transaction === null && connector.power_w !== null && !flows(connector);
