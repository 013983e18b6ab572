import type { Adapter } from '../../adapter/adapter.ts';
import type { Clock } from '../../core/clock.ts';
import type { Accounts } from '../../domain/accounts/index.ts';
import type { Charging } from '../../domain/charging/index.ts';
import type { Commands } from '../../domain/commands/index.ts';
import type { Devices } from '../../domain/devices/index.ts';
import type { Links } from '../../domain/links/index.ts';
import type { Prices } from '../../domain/prices/index.ts';
import type { Idempotency } from '../../http/idempotency.ts';
import type { Limits } from '../../http/rate-limit.ts';

/** What the routes of Connect work with. */
export interface ConnectDependencies {
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly accounts: Accounts;
  readonly links: Links;
  readonly devices: Devices;
  readonly commands: Commands;
  readonly charging: Charging;
  readonly idempotency: Idempotency;
  readonly limits: Limits;
  /** Day-ahead prices, for plans over an area's. */
  readonly prices: Pick<Prices, 'spot'>;
  readonly clock: Clock;
}
