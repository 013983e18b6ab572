import type { FastifyInstance } from 'fastify';
import type { Accounts } from '../../domain/access/accounts/index.ts';
import type { Prices } from '../../domain/market/prices/index.ts';
import { createFairSemaphore } from '../../http/fair-semaphore.ts';
import { addLanguageRoute } from '../../http/language.ts';
import { addDocuments } from '../../http/openapi.ts';
import { addAssetRoutes } from '../../http/pages.ts';
import { addSiteFileRoutes } from '../../http/site-files.ts';
import { ENGLISH_ONLY } from '../../pages/foot.ts';
import { CONNECT_DOCUMENT } from './documents.ts';
import { guessLimit } from './linking/wrong-credentials.ts';
import { connectPage } from './pages/frame.ts';
import { unknownPage } from './pages/unknown.ts';
import { type AccountRoutes, addAccountRoutes } from './routes/account.ts';
import { type AccountKeyRoutes, addAccountKeyRoutes } from './routes/account-keys.ts';
import { addCardRoutes, type CardRoutes } from './routes/cards.ts';
import { addChargingRoutes, type ChargingRoutes } from './routes/charging.ts';
import { addConditionRoutes, type ConditionRoutes } from './routes/conditions.ts';
import { addConsoleRoutes, type ConsoleRoutes } from './routes/console.ts';
import { addDeviceRoutes, type DeviceRoutes } from './routes/devices.ts';
import { addEventRoutes, type EventRoutes } from './routes/events.ts';
import { addFlexRoutes } from './routes/flex.ts';
import { addGatewayRoutes, type GatewayRoutes } from './routes/gateways.ts';
import { addHistoryRoutes, type HistoryRoutes } from './routes/history.ts';
import { addInterventionRoutes, type InterventionRoutes } from './routes/interventions.ts';
import { addLinkRoutes, type LinkRoutes } from './routes/link.ts';
import { addLinkPageRoutes, type LinkPageRoutes } from './routes/link-page.ts';
import { addLinkSessionRoutes, type LinkSessionRoutes } from './routes/link-sessions.ts';
import { addOAuthRoutes, type OAuthRoutes } from './routes/oauth.ts';
import { addOptimizeRoutes } from './routes/optimize.ts';
import { addPartnerRoutes, type PartnerRoutes } from './routes/partners.ts';
import { addRequestRoutes, type RequestRoutes } from './routes/requests.ts';
import { addSessionRoutes, type SessionRoutes } from './routes/sessions.ts';
import { addSetPointRoutes, type SetPointRoutes } from './routes/set-points.ts';
import { addSimulatedPages, type SimulatedPage } from './routes/simulated.ts';
import { addStartRoute, type StartPage } from './routes/start.ts';
import { addStationRoutes, type StationRoutes } from './routes/stations.ts';
import { addSubscriptionRoutes, type SubscriptionRoutes } from './routes/subscriptions.ts';
import { addTodayRoutes, type TodayRoutes } from './routes/today.ts';
import { addUserRoutes, type UserRoutes } from './routes/users.ts';
import { addVendorRoutes, type VendorRoutes } from './routes/vendors.ts';
import { addWebhookRoutes, type WebhookRoutes } from './routes/webhooks.ts';
import { addWellKnownRoutes, type WellKnownFiles } from './routes/well-known.ts';

export type { SimulatedPage } from './routes/simulated.ts';
export type { WellKnownFile } from './routes/well-known.ts';

/** What the routes of Connect work with: each names its own part. */
type ConnectDependencies = StartPage &
  AccountRoutes &
  AccountKeyRoutes &
  CardRoutes &
  ChargingRoutes &
  ConditionRoutes &
  ConsoleRoutes &
  DeviceRoutes &
  EventRoutes &
  GatewayRoutes &
  HistoryRoutes &
  TodayRoutes &
  InterventionRoutes &
  LinkRoutes &
  LinkPageRoutes &
  LinkSessionRoutes &
  OAuthRoutes &
  PartnerRoutes &
  RequestRoutes &
  SessionRoutes &
  SetPointRoutes &
  StationRoutes &
  UserRoutes &
  SubscriptionRoutes &
  VendorRoutes &
  WebhookRoutes &
  WellKnownFiles & {
    readonly accounts: Pick<Accounts, 'users'>;
    /** Day-ahead prices, for plans over an area's. */
    readonly prices: Pick<Prices, 'spot'>;
    /** Sign-in pages of the vendors that simulators stand in for. */
    readonly simulatedPages: readonly SimulatedPage[];
  };

/** Bodies of more than 4 MiB that are in work at once, and how long another one waits for its turn. */
const LARGE_BODIES = { what: 'large requests', count: 2, waitMs: 5_000 };
const NOT_FOR_SEARCH = ['/console', '/link/', '/oauth/', '/language/'];

/** Adds the Connect service to a server. */
export async function addConnect(
  app: FastifyInstance,
  dependencies: ConnectDependencies,
  version: string,
): Promise<void> {
  const { assets, addressOf } = dependencies;
  addDocuments(app, {
    ...CONNECT_DOCUMENT,
    version,
    addressOf,
    sourceUrl: assets.site.sourceUrl,
    frame: (page) =>
      connectPage(assets, { ...page, here: 'docs', gridUrl: addressOf('grid'), footer: ENGLISH_ONLY }),
  });
  addStartRoute(app, dependencies, version);
  addConsoleRoutes(app, dependencies);
  addAssetRoutes(app, assets);
  addLanguageRoute(app, dependencies.publicUrl);
  const { clock, configuredUrl, prices } = dependencies;
  addSiteFileRoutes(app, { site: assets.site, clock, configuredUrl, notForSearch: NOT_FOR_SEARCH });
  app.showUnknown = unknownPage(assets);
  const { adapters, limits, accounts } = dependencies;
  const tierOf = async (account: number) => (await accounts.users.find(account))?.tier ?? '';
  const guarded = guessLimit({ adapters, limits, tierOf });
  addLinkRoutes(app, { ...dependencies, guarded });
  addOAuthRoutes(app, dependencies);
  addLinkSessionRoutes(app, dependencies);
  await addLinkPageRoutes(app, { ...dependencies, guarded });
  addWellKnownRoutes(app, dependencies);
  addVendorRoutes(app, dependencies);
  addDeviceRoutes(app, dependencies);
  addSetPointRoutes(app, dependencies);
  addInterventionRoutes(app, dependencies);
  addEventRoutes(app, dependencies);
  addSubscriptionRoutes(app, dependencies);
  addConditionRoutes(app, dependencies);
  addChargingRoutes(app, dependencies);
  addHistoryRoutes(app, dependencies);
  addTodayRoutes(app, dependencies);
  addSessionRoutes(app, dependencies);
  addStationRoutes(app, dependencies);
  addCardRoutes(app, dependencies);
  addGatewayRoutes(app, dependencies);
  addUserRoutes(app, dependencies);
  addAccountRoutes(app, dependencies);
  addAccountKeyRoutes(app, dependencies);
  addRequestRoutes(app, dependencies);
  addPartnerRoutes(app, dependencies);
  await addSimulatedPages(app, dependencies.simulatedPages);
  await addWebhookRoutes(app, dependencies);
  const slots = createFairSemaphore({ ...LARGE_BODIES, clock });
  await addOptimizeRoutes(app, { clock, slots, prices });
  await addFlexRoutes(app, { clock, slots });
}
