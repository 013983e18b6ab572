import type { Clock } from '../core/clock.ts';
import type { Random } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import type { Metrics } from '../core/metrics.ts';
import type { Traces } from '../core/traces.ts';
import type { Database } from './database.ts';

/** What a process passes to its domains: they read no clock or randomness of their own and open no database. */
export interface Host {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Where requests and calls are reported; absent where the operator wants it nowhere. */
  readonly traces?: Traces;
}
