import type { Kysely } from 'kysely';
import type { AccountTables, SignInTables } from './tables/accounts.ts';
import type { DeviceTables } from './tables/devices.ts';
import type { LinkTables, VendorTables } from './tables/links.ts';
import type { PriceTables, ProductionTables } from './tables/market.ts';
import type { ChargingTables, EventTables, HistoryTables } from './tables/records.ts';

/** The processes that share the database, as each says of itself; those that have ended without removing their row are dead. */
interface Instances {
  /** `Database.instance`. */
  id: string;
  /** Separated by spaces: connect, grid. */
  services: string;
  version: string;
  host: string;
  pid: number;
  started_at: number;
  seen_at: number;
  /** How it is: `InstanceReport` of `domain/links/instances`. */
  report_json: string;
}

/** Leases: work that one of several processes does, and until when it holds the lease. */
interface Leases {
  name: string;
  holder: string;
  until: number;
}

/** The processes that share the database. */
interface InstanceTables {
  instances: Instances;
  leases: Leases;
}

/*
 * Every table that belongs to an account starts its primary key with `account_id`, so that accounts can be spread over
 * databases. Times are whole milliseconds since 1970 UTC; flags are 0 or 1; `json` columns contain JSON text, so that both engines
 * store and return the same.
 */

/** What a store runs its queries on: the database or a transaction. */
export type Queries = Kysely<Tables>;

/** All tables, each in the file of its subject. */
export interface Tables
  extends AccountTables,
    SignInTables,
    LinkTables,
    VendorTables,
    DeviceTables,
    ChargingTables,
    HistoryTables,
    EventTables,
    PriceTables,
    ProductionTables,
    InstanceTables {}
