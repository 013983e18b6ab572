import type { RunningTransaction } from '../../adapter/charging.ts';
import type { Figures } from './figures.ts';
import { amperesAt, type Limit, unending } from './schedule.ts';
import { type ChargerRaw, WORDS } from './translate.ts';

/** The live state of one connector (1.6) or EVSE (2.0.1): all that is kept of it while the station is connected. */
export interface Connector {
  readonly number: number;
  status: string | null;
  /** 2.0.1 only: the status of each plug of the EVSE, by connector id. */
  readonly plugs: Map<number, string>;
  /** 2.0.1 only: what the running transaction says of itself. */
  chargingState: string | null;
  transaction: RunningTransaction | null;
  power_w: number | null;
  register_wh: number | null;
  session_wh: number | null;
  phases: number | null;
  cable_a: number | null;
  /** When the station last spoke of it, ms since 1970. */
  at: number | null;
  /** Time of the newest sample; what a station kept while offline must not overwrite what is newer. */
  measuredAt: number;
  /** Our limit on the running transaction and on those that follow; null: none set. */
  transactionLimit: Limit | null;
  defaultLimit: Limit | null;
}

export function newConnector(number: number): Connector {
  return {
    number,
    status: null,
    plugs: new Map(),
    chargingState: null,
    transaction: null,
    power_w: null,
    register_wh: null,
    session_wh: null,
    phases: null,
    cable_a: null,
    at: null,
    measuredAt: 0,
    transactionLimit: null,
    defaultLimit: null,
  };
}

export function wordOf(connector: Connector): string | null {
  const charging = connector.transaction === null ? null : connector.chargingState;
  return charging ?? connector.status;
}

export function isCharging(connector: Connector): boolean {
  const word = wordOf(connector);
  return word !== null && WORDS.get(word)?.charging === true;
}

export function rawOf(connector: Connector, online: boolean): ChargerRaw {
  return {
    online,
    word: wordOf(connector),
    in_transaction: connector.transaction !== null,
    power_w: connector.power_w,
    register_wh: connector.register_wh,
    session_wh: connector.session_wh,
    cable_a: connector.cable_a,
    at: connector.at,
  };
}

/** Takes a new status; a sample from before charging stopped says nothing of the next time it charges. */
export function tell(connector: Connector, news: Partial<Pick<Connector, 'status' | 'chargingState'>>): void {
  const was = isCharging(connector);
  Object.assign(connector, news);
  if (was && !isCharging(connector)) connector.power_w = null;
}

export function beginTransaction(connector: Connector, transaction: RunningTransaction): void {
  connector.transaction = transaction;
  connector.transactionLimit = null;
  connector.session_wh = null;
  connector.register_wh = transaction.meterStartWh ?? connector.register_wh;
}

export function endTransaction(connector: Connector): void {
  const was = isCharging(connector);
  connector.transaction = null;
  connector.chargingState = null;
  connector.transactionLimit = null;
  connector.cable_a = null;
  if (was && !isCharging(connector)) connector.power_w = null;
}

export function takeFigures(connector: Connector, figures: Figures, at: number): void {
  if (at < connector.measuredAt) return;
  connector.measuredAt = at;
  connector.power_w = figures.power_w ?? connector.power_w;
  connector.register_wh = figures.register_wh ?? connector.register_wh;
  connector.phases = figures.phases ?? connector.phases;
  if (figures.interval_wh !== null) {
    connector.session_wh = (connector.session_wh ?? 0) + figures.interval_wh;
  }
}

/** The limit that holds now, ampere; null when we set none. */
export function limitNow(connector: Connector, now: number): number | null {
  const limit = connector.transactionLimit ?? connector.defaultLimit;
  return limit === null ? null : amperesAt(limit, now);
}

/** What a paused connector goes back to: the limit for following transactions, else all that it can. */
export function resumeLimit(connector: Connector, { most, now }: { most: number; now: number }): Limit {
  const limit = connector.defaultLimit;
  return limit === null || amperesAt(limit, now) === 0 ? unending(most) : limit;
}
