import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import type { Accounts } from '../../domain/access/accounts/index.ts';
import type { Operators } from '../../domain/access/operators/index.ts';
import type { LinkedVendors } from '../../domain/links/vendor-states/index.ts';
import type { Areas } from '../../domain/market/areas/index.ts';
import type { Prices } from '../../domain/market/prices/index.ts';
import type { Production } from '../../domain/market/production/index.ts';
import type { Requests } from '../../domain/records/requests/index.ts';
import type { TokenGate } from '../../http/access.ts';
import { allowCrossOriginReads } from '../../http/cors.ts';
import type { Service } from '../../http/errors.ts';
import { addLanguageRoute } from '../../http/language.ts';
import { addDocuments } from '../../http/openapi.ts';
import { addAssetRoutes } from '../../http/pages.ts';
import { addSiteFileRoutes } from '../../http/site-files.ts';
import type { Assets } from '../../pages/assets.ts';
import { ENGLISH_ONLY } from '../../pages/foot.ts';
import { GRID_DOCUMENT } from './documents.ts';
import { createHealthLook, type HealthParts } from './health/look.ts';
import { addFormScope } from './input/form-scope.ts';
import { createHistoryLimit } from './market/send-history.ts';
import { addOperatorRoutes } from './operator/routes.ts';
import { unknownPage } from './pages/faults.ts';
import { gridPage } from './pages/frame.ts';
import { createPreparedResponses } from './responses/prepared.ts';
import { addAccountRoutes } from './routes/account.ts';
import { addBackfillRoutes } from './routes/admin-backfill.ts';
import { addHealthRoute } from './routes/admin-health.ts';
import { addOversightRoutes, addPartnerRoutes } from './routes/admin-oversight.ts';
import { addRequestRoutes } from './routes/admin-requests.ts';
import { addUserRoutes } from './routes/admin-users.ts';
import { addConsoleRoute } from './routes/console.ts';
import { addFrontRoutes } from './routes/front.ts';
import { addLookupRoutes } from './routes/lookup.ts';
import { addPriceRoutes } from './routes/prices.ts';
import { addProductionRoutes } from './routes/production.ts';
import { addRegionRoutes } from './routes/regions.ts';
import { addSignInRoutes } from './routes/sign-in.ts';
import { addSignInPages } from './routes/sign-in-pages.ts';
import { addStatusRoute } from './routes/status.ts';
import { addTaxRoute } from './routes/tax.ts';
import type { SignInDependencies } from './sign-in/dependencies.ts';
import type { StatusParts } from './status/look.ts';

interface GridDependencies {
  readonly accounts: Accounts;
  readonly requests: Requests;
  readonly areas: Areas;
  readonly prices: Prices;
  readonly production: Production;
  readonly assets: Assets;
  readonly clock: Clock;
  /** What the status page is made of besides. */
  readonly status: Omit<StatusParts, 'prices' | 'production' | 'clock'>;
  /** What the health of everything is made of besides. */
  readonly health: Omit<HealthParts, 'prices' | 'production' | 'clock'>;
  /** What signing in needs besides. */
  readonly signIn: Omit<SignInDependencies, 'accounts' | 'assets' | 'clock' | 'connectUrl'>;
  readonly operators: Operators;
  readonly linkedVendors: LinkedVendors;
  /** Checks the admin token that an operator signs in with. */
  readonly admitToken: TokenGate['admitToken'];
  /** Public addresses of the services; undefined where one is not known. */
  readonly addressOf: (service: Service) => string | undefined;
  /** Fires when the server begins to stop. */
  readonly stopping: AbortSignal;
}

const NOT_FOR_SEARCH = ['/account', '/admin/', '/area/', '/auth/', '/language/', '/lookup', '/operator'];

/** Adds the Grid service to a server. */
export async function addGrid(
  app: FastifyInstance,
  {
    accounts,
    requests,
    areas,
    prices,
    production,
    assets,
    clock,
    status,
    health,
    signIn,
    operators,
    linkedVendors,
    admitToken,
    addressOf,
    stopping,
  }: GridDependencies,
  version: string,
): Promise<void> {
  addDocuments(app, {
    ...GRID_DOCUMENT,
    version,
    addressOf,
    sourceUrl: assets.site.sourceUrl,
    frame: (page) => gridPage(assets, { ...page, here: 'docs', footer: ENGLISH_ONLY }),
  });
  addAssetRoutes(app, assets);
  app.showUnknown = unknownPage(assets);
  const { configuredUrl, publicUrl, isSignUpOpen } = signIn;
  const connectUrl = () => addressOf('connect');
  addLanguageRoute(app, publicUrl);
  addSiteFileRoutes(app, { site: assets.site, clock, configuredUrl, notForSearch: NOT_FOR_SEARCH });
  addFrontRoutes(app, { areas, prices, production, assets, clock, publicUrl, connectUrl, isSignUpOpen });
  addStatusRoute(app, { ...status, prices, production, assets, clock });
  allowCrossOriginReads(app, '/api/v1/');
  const responses = createPreparedResponses({ clock, validUntil: areas.validUntil });
  addLookupRoutes(app, areas, responses);
  addRegionRoutes(app, areas, responses);
  addTaxRoute(app, areas, responses);
  const histories = createHistoryLimit();
  addPriceRoutes(app, { prices, clock, stopping, histories });
  addProductionRoutes(app, { production, clock, histories });
  addOversightRoutes(app, accounts);
  addUserRoutes(app, { accounts, people: signIn.people, publicUrl });
  addPartnerRoutes(app, accounts);
  addRequestRoutes(app, requests);
  addBackfillRoutes(app, { prices, accounts });
  const lookAtHealth = createHealthLook({ ...health, prices, production, clock });
  addHealthRoute(app, lookAtHealth);
  addConsoleRoute(app, { people: signIn.people, connectUrl });
  await addFormScope(app, configuredUrl, (scope) => {
    addSignInRoutes(scope, { ...signIn, accounts, assets, clock, connectUrl });
    addSignInPages(scope, { ...signIn, accounts, assets, clock, connectUrl });
  });
  await addFormScope(app, configuredUrl, (scope) =>
    addAccountRoutes(scope, { ...signIn, accounts, assets, connectUrl }),
  );
  await addFormScope(app, configuredUrl, (scope) =>
    addOperatorRoutes(scope, {
      ...signIn,
      lookAtHealth,
      prices,
      operators,
      linkedVendors,
      admitToken,
      accounts,
      requests,
      assets,
      clock,
    }),
  );
}
