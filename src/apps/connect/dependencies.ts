import type { Adapter } from '../../adapter/adapter.ts';
import type { Clock } from '../../core/clock.ts';
import type { Random } from '../../core/ids.ts';
import type { Accounts } from '../../domain/accounts/index.ts';
import type { Budgets } from '../../domain/budgets/index.ts';
import type { Charging } from '../../domain/charging/index.ts';
import type { Commands } from '../../domain/commands/index.ts';
import type { Deliveries } from '../../domain/deliveries/index.ts';
import type { Devices } from '../../domain/devices/index.ts';
import type { Discovery } from '../../domain/discovery/index.ts';
import type { CardsOfLinks, LinkCodes, LinkSessions, Links, SignIn } from '../../domain/links/index.ts';
import type { Prices } from '../../domain/prices/index.ts';
import type { Service } from '../../http/errors.ts';
import type { Idempotency } from '../../http/idempotency.ts';
import type { Limits } from '../../http/rate-limit.ts';
import type { Assets } from '../../pages/assets.ts';
import type { SimulatedPage } from './routes/simulated.ts';

export interface WellKnownFile {
  readonly path: string;
  readonly contentType: string;
  readonly content: string;
}

/** What the routes of Connect work with. */
export interface ConnectDependencies {
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly accounts: Accounts;
  readonly links: Links;
  readonly cards: CardsOfLinks;
  readonly signIn: SignIn;
  readonly linkCodes: LinkCodes;
  readonly linkSessions: LinkSessions;
  readonly budgets: Pick<Budgets, 'view'>;
  /** Files that vendors fetch, with what the operator set. */
  readonly wellKnown: readonly WellKnownFile[];
  /** Public address of this service, without a trailing slash. */
  readonly publicUrl: () => string;
  /** The same as it is configured; undefined where it follows from the port. */
  readonly configuredUrl: string | undefined;
  /** The addresses of both services; undefined where one is not known. */
  readonly addressOf: (service: Service) => string | undefined;
  readonly random: Random;
  readonly isConfigured: (vendor: string) => boolean;
  readonly isSimulated: (vendor: string) => boolean;
  /** Whether users may choose vendors whose devices are made up, where the session does not ask for one. */
  readonly offersTesting: boolean;
  readonly devices: Devices;
  readonly commands: Commands;
  readonly charging: Charging;
  readonly deliveries: Pick<Deliveries, 'receive'>;
  readonly discovery: Pick<Discovery, 'refresh'>;
  readonly idempotency: Idempotency;
  readonly limits: Limits;
  /** Day-ahead prices, for plans over an area's. */
  readonly prices: Pick<Prices, 'spot'>;
  /** Sign-in pages of the vendors that simulators stand in for. */
  readonly simulatedPages: readonly SimulatedPage[];
  readonly assets: Assets;
  readonly clock: Clock;
}
