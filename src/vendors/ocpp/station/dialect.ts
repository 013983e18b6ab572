import type { OperationAnswer, StationOperation } from '../../../adapter/station.ts';
import type { Answer } from '../wire/calls.ts';
import type { Connector } from './connector.ts';
import type { Limit } from './schedule.ts';

/** The scope of a limit: the running transaction, later ones on a connector, or the whole station. */
export type Purpose = 'transaction' | 'default' | 'station';

type Cleared = { readonly on: Connector } | { readonly of: Connector; readonly purpose: Purpose };

/** One version of the protocol, spoken with one station. */
export interface Dialect {
  /** Handlers of the station's calls by action; every other action is answered NotImplemented. */
  readonly answers: Readonly<Record<string, Answer>>;
  /** Asks what the station is and supports, configures its metering, and has it report its state. */
  setUp(): Promise<void>;
  /** Asks for a transaction with this tag; throws `command.out_of_range` where the protocol has no tag of its length. */
  start(connector: Connector, idTag: string): Promise<void>;
  stop(connector: Connector, transactionId: string): Promise<void>;
  /** Null when the station accepted the limit, else its refusal; throws when it did not respond. */
  limit(connector: Connector, limit: Limit, purpose: Purpose): Promise<string | null>;
  /** Runs an operation and returns the station's response. */
  operate(connector: Connector, operation: StationOperation): Promise<Omit<OperationAnswer, 'type'>>;
  /** Removes every limit on a connector, or ours of one purpose; returns the station's status. */
  clear(what: Cleared): Promise<string>;
  /** Requests a measurement now; false when the station does not support it. */
  measure(connector: Connector): Promise<boolean>;
}
