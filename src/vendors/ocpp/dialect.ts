import type { OperationAnswer, StationOperation } from '../../adapter/station.ts';
import type { Connector } from './connector.ts';
import type { Answer } from './inbox.ts';
import type { Limit } from './schedule.ts';

/** What a limit is laid upon: the running transaction, those that follow on a connector, or the station as a whole. */
export type Purpose = 'transaction' | 'default' | 'station';

export type Cleared = { readonly on: Connector } | { readonly of: Connector; readonly purpose: Purpose };

/** One version of the protocol, spoken with one station. */
export interface Dialect {
  /** What the station may call, and how it is answered. An action that is not here is answered NotImplemented. */
  readonly answers: Readonly<Record<string, Answer>>;
  /** Asks the station what it is and can do, sets what it should measure, and has it tell its state. */
  learn(): Promise<void>;
  start(connector: Connector): Promise<void>;
  stop(connector: Connector, transactionId: string): Promise<void>;
  /** Null when the station took it, else what it said; throws when it said nothing. */
  limit(connector: Connector, limit: Limit, purpose: Purpose): Promise<string | null>;
  /** Runs the station; what it said. */
  operate(connector: Connector, operation: StationOperation): Promise<Omit<OperationAnswer, 'type'>>;
  /** Takes away every limit on a connector, or ours of one purpose. What the station said. */
  clear(what: Cleared): Promise<string>;
  /** Asks for a measurement now; false when the station cannot. */
  measure(connector: Connector): Promise<boolean>;
}
