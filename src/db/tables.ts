import type { AccountTables } from './tables/accounts.ts';
import type { ChargingTables } from './tables/charging.ts';
import type { DeviceTables } from './tables/devices.ts';
import type { EventTables } from './tables/events.ts';
import type { HistoryTables } from './tables/history.ts';
import type { InstanceTables } from './tables/instances.ts';
import type { LinkTables } from './tables/links.ts';
import type { PriceTables } from './tables/prices.ts';
import type { ProductionTables } from './tables/production.ts';
import type { SignInTables } from './tables/sign-in.ts';
import type { VendorTables } from './tables/vendors.ts';

/*
 * Every table that belongs to an account starts its primary key with `account_id`, so that accounts can be spread over
 * databases. Times are whole milliseconds since 1970 UTC; flags are 0 or 1; `json` columns contain JSON text, so that both engines
 * store and return the same.
 */

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
