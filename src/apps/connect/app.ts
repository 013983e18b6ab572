import type { FastifyInstance } from 'fastify';
import { createFairSemaphore } from '../../http/fair-semaphore.ts';
import { languageRoute } from '../../http/language.ts';
import { addDocuments } from '../../http/openapi.ts';
import { assetRoutes } from '../../http/pages.ts';
import { siteFileRoutes } from '../../http/site-files.ts';
import { ENGLISH_ONLY } from '../../pages/foot.ts';
import type { ConnectDependencies } from './dependencies.ts';
import { CONNECT_DOCUMENT } from './documents.ts';
import { guessLimit } from './linking/wrong-credentials.ts';
import { connectPage } from './pages/frame.ts';
import { unknownPage } from './pages/unknown.ts';
import { cardRoutes } from './routes/cards.ts';
import { chargingRoutes } from './routes/charging.ts';
import { conditionRoutes } from './routes/conditions.ts';
import { deviceRoutes } from './routes/devices.ts';
import { flexRoutes } from './routes/flex.ts';
import { linkRoutes } from './routes/link.ts';
import { linkPageRoutes } from './routes/link-page.ts';
import { linkSessionRoutes } from './routes/link-sessions.ts';
import { oauthRoutes } from './routes/oauth.ts';
import { optimizeRoutes } from './routes/optimize.ts';
import { partnerRoutes } from './routes/partners.ts';
import { simulatedPages } from './routes/simulated.ts';
import { startRoute } from './routes/start.ts';
import { stationRoutes } from './routes/stations.ts';
import { vendorRoutes } from './routes/vendors.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import { wellKnownRoutes } from './routes/well-known.ts';

export type { ConnectDependencies, WellKnownFile } from './dependencies.ts';
export type { SimulatedPage } from './routes/simulated.ts';
export { acceptStations } from './stations.ts';

/** Bodies of more than 4 MiB that are in work at once, and how long another one waits for its turn. */
const LARGE_BODIES = { count: 2, waitMs: 5_000 };
const NOT_FOR_SEARCH = ['/link/', '/oauth/', '/language/'];

/** Adds the Connect service to a server. */
export async function addConnect(
  app: FastifyInstance,
  dependencies: ConnectDependencies,
  version: string,
): Promise<void> {
  const { assets, addressOf } = dependencies;
  await addDocuments(app, {
    ...CONNECT_DOCUMENT,
    version,
    addressOf,
    sourceUrl: assets.site.sourceUrl,
    frame: (page) =>
      connectPage(assets, { ...page, here: 'docs', gridUrl: addressOf('grid'), footer: ENGLISH_ONLY }),
  });
  startRoute(app, dependencies, version);
  assetRoutes(app, assets);
  languageRoute(app, dependencies.publicUrl);
  const { clock, configuredUrl, prices } = dependencies;
  siteFileRoutes(app, { site: assets.site, clock, configuredUrl, notForSearch: NOT_FOR_SEARCH });
  app.showUnknown = unknownPage(assets);
  const guarded = guessLimit(dependencies.adapters, dependencies.limits);
  linkRoutes(app, { ...dependencies, guarded });
  oauthRoutes(app, dependencies);
  linkSessionRoutes(app, dependencies);
  await linkPageRoutes(app, { ...dependencies, guarded });
  wellKnownRoutes(app, dependencies);
  vendorRoutes(app, dependencies);
  deviceRoutes(app, dependencies);
  conditionRoutes(app, dependencies);
  chargingRoutes(app, dependencies);
  stationRoutes(app, dependencies);
  cardRoutes(app, dependencies);
  partnerRoutes(app, dependencies);
  await simulatedPages(app, dependencies.simulatedPages);
  await webhookRoutes(app, dependencies);
  const slots = createFairSemaphore({ ...LARGE_BODIES, clock });
  await optimizeRoutes(app, { clock, slots, prices });
  await flexRoutes(app, { clock, slots });
}
