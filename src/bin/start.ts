import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Adapter } from '../adapter/adapter.ts';
import { type Clock, sleep, systemClock } from '../core/clock.ts';
import { type Random, systemRandom } from '../core/ids.ts';
import { createLog, type Log } from '../core/log.ts';
import { createMetrics } from '../core/metrics.ts';
import type { Settings } from '../core/settings/index.ts';
import { together } from '../core/traces.ts';
import { type Database, openDatabase } from '../db/database.ts';
import { migrate } from '../db/migrate.ts';
import { createAccounts } from '../domain/accounts/index.ts';
import { createVault, requireVaultKeys } from '../domain/calls/index.ts';
import { createRequests } from '../domain/requests/index.ts';
import { createGate } from '../http/gate.ts';
import { operatorAddresses } from '../http/operator.ts';
import { createLimits } from '../http/rate-limit.ts';
import { createServer, type Server } from '../http/server.ts';
import { loadAssets } from '../pages/assets.ts';
import type { PriceSource, ProductionSource } from '../sources/contract/market.ts';
import { vendors } from '../vendors/index.ts';
import { cloudsOf } from './clouds.ts';
import { BUILT, STYLES } from './console.ts';
import { isDeveloperIdle, makeDeveloperKey } from './developer.ts';
import { listen } from './listen.ts';
import { openMarket } from './market.ts';
import { openConnect } from './open-connect.ts';
import { openGrid } from './open-grid.ts';
import { openInstances } from './open-instances.ts';
import { openPeople } from './open-people.ts';
import { openRedis } from './open-redis.ts';
import { openTraces } from './open-traces.ts';
import { probesOf } from './probes.ts';
import { loadSecrets, refuseHalfRestore } from './secrets.ts';
import type { ServiceName, Shared } from './shared.ts';
import { withAmounts } from './vendor-needs.ts';
import { VERSION } from './version.ts';

/** Finishing what runs may take this long; then vendors that are still silent are given up. */
const FINISH_MS = 3_000;
/** So long their callers have to be told; then connections are cut. */
const TELL_MS = 500;

export interface StartOptions {
  readonly settings: Settings;
  readonly services: readonly ServiceName[];
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  readonly adapters?: readonly Adapter[];
  /** Instead of those that the settings name. */
  readonly priceSources?: readonly PriceSource[];
  readonly productionSource?: ProductionSource;
  /** Fires when the start is not wanted any more; it then rejects, and leaves nothing made. */
  readonly signal?: AbortSignal;
}

export interface Running {
  readonly connectUrl: string | undefined;
  readonly gridUrl: string | undefined;
  readonly dataDir: string;
  readonly engine: Database['engine'];
  /** Names of the vendors that simulators stand in for. */
  readonly simulated: readonly string[];
  /** What the first start made and shows once. */
  readonly made: { readonly adminToken: string | undefined; readonly apiKey: string | undefined };
  /** Whether the developer of an embedded database has never called: the key may have been lost. */
  readonly isDeveloperIdle: boolean;
  /** Stops taking work, finishes what runs, closes; within five seconds. */
  stop(): Promise<void>;
}

/** Opens the database and serves; the one place where the parts are put together. */
export async function start(options: StartOptions): Promise<Running> {
  const { settings } = options;
  const clock = options.clock ?? systemClock;
  const random = options.random ?? systemRandom;
  const log = options.log ?? createLog(settings.logLevel);
  const dataDir = resolve(settings.dataDir);
  if (settings.databaseUrl === undefined) refuseHalfRestore(dataDir);
  const database = await openDatabase({ url: settings.databaseUrl?.reveal(), dataDir, clock, random, log });
  const closers: (() => Promise<unknown>)[] = [() => database.close()];
  try {
    return await serve({ options, database, clock, random, log, dataDir, closers });
  } catch (error) {
    for (const close of closers.toReversed()) await close().catch(() => {});
    throw error;
  }
}

interface Parts {
  readonly options: StartOptions;
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly dataDir: string;
  /** In the order of making; closed in the opposite one. */
  readonly closers: (() => Promise<unknown>)[];
}

async function serve({ options, database, clock, random, log, dataDir, closers }: Parts): Promise<Running> {
  const { settings, services } = options;
  await migrate(database.queries);
  const firstStart =
    (await database.queries.selectFrom('accounts').select('id').limit(1).execute()).length === 0;
  const secrets = loadSecrets({ ...settings, dataDir }, { random, firstStart });
  await requireVaultKeys(database, createVault(secrets.vaultKeys, random));
  const redis = await openRedis(settings, log);
  if (redis !== undefined) closers.push(async () => redis.disconnect());

  const stopVendors = new AbortController();
  const metrics = createMetrics();
  const tracing = await openTraces(settings, log);
  if (tracing !== undefined) closers.push(() => Promise.race([tracing.close(), sleep(clock, TELL_MS)]));
  const { vaultKeys } = secrets;
  const accounts = await createAccounts({ database, clock, random, log, vaultKeys });
  closers.push(() => accounts.close());
  const requests = createRequests({
    host: { database, clock, random, log, metrics },
    instance: `${hostname()}:${process.pid}`,
    keptDays: settings.requestsKeepDays,
  });
  const retention = requests.keep();
  closers.push(
    () => Promise.race([requests.close(), sleep(clock, TELL_MS)]),
    () => retention.close(),
  );
  const reported = together([tracing, requests.traces].filter((one) => one !== undefined));
  const traces = reported === undefined ? {} : { traces: reported };
  const limits = createLimits({ accounts, clock, log, redis });
  const market = await openMarket({
    settings: settings.market,
    database,
    clock,
    random,
    log,
    metrics,
    version: VERSION,
    servesGrid: services.includes('grid'),
    ...(options.priceSources === undefined ? {} : { priceSources: options.priceSources }),
    ...(options.productionSource === undefined ? {} : { productionSource: options.productionSource }),
  });
  closers.push(() => market.close());
  const urls = new Map<string, string>();
  const configured = { connect: settings.connectUrl, grid: settings.gridUrl };
  const addressOf = (service: ServiceName) => configured[service] ?? urls.get(service);
  const people = openPeople({
    settings: settings.people,
    database,
    accounts,
    clock,
    random,
    log,
    metrics,
    dataDir,
    adminToken: secrets.adminToken,
    vaultKeys,
    gridUrl: () => addressOf('grid'),
    connectUrl: () => addressOf('connect'),
    configuredConnectUrl: settings.connectUrl,
  });
  closers.push(() => people.close());
  const probes = [...probesOf({ database, redis, dataDir }), ...market.probes];
  const gridProbes = [...probes, ...people.probes];

  /** What goes on by itself once there is a server to be reached at. */
  const begin: (() => void)[] = [];
  const reports: Shared['reports'] = [];
  /** What nobody waits for ends as soon as the process is to stop. */
  const pausers: (() => Promise<void>)[] = [];
  const servers: { service: ServiceName; server: Server; port: number }[] = [];
  const make: Shared['makeServer'] = (service, port) => {
    const isGrid = service === 'grid';
    const gate = createGate({
      service,
      accounts,
      limits,
      clock,
      adminToken: secrets.adminToken,
      isOperator: operatorAddresses(settings.metricsFrom),
      ...(isGrid
        ? { personOf: people.personOf, operatorOf: people.operatorOf }
        : { consoleOf: people.consoleOf }),
    });
    const { trustProxy, tls } = settings;
    const server = createServer({
      service,
      clock,
      random,
      log: log.child({ service }),
      metrics,
      ...traces,
      gate,
      probes: isGrid ? gridProbes : probes,
      trustProxy,
      tls,
      publicUrl: configured[service],
    });
    servers.push({ service, server, port });
    closers.push(() => server.app.close());
    return { ...server, admitToken: gate.admitToken };
  };

  const shared: Shared = {
    settings,
    database,
    clock,
    random,
    log,
    metrics,
    ...traces,
    dataDir,
    accounts,
    requests,
    limits,
    market,
    people,
    assets: await loadAssets({ styles: STYLES, built: BUILT }, settings.site),
    vaultKeys,
    stopVendors: stopVendors.signal,
    makeServer: make,
    serverOf: (service) => servers.find((one) => one.service === service)?.server,
    urlOf: (service) => urls.get(service),
    addressOf,
    closers,
    pausers,
    begin,
    reports,
  };
  let simulated: readonly string[] = [];
  if (services.includes('connect')) {
    simulated = (await openConnect(shared, options.adapters ?? vendors)).simulated;
  }
  if (services.includes('grid')) {
    await openGrid(shared, {
      probes: gridProbes,
      vendors: cloudsOf(options.adapters ?? vendors, { settings, simulated }),
      servesConnect: services.includes('connect'),
      adapters: (options.adapters ?? vendors).map((adapter) =>
        withAmounts(adapter, settings.vendors.get(adapter.slug)),
      ),
    });
  }

  const alive = openInstances(shared, { services, probes: services.includes('grid') ? gridProbes : probes });
  closers.push(() => alive.close());
  begin.push(() => alive.start());

  for (const { server } of servers) server.addHealth();
  for (const { service, server, port } of servers) {
    // The address is logged once, by the caller; the framework would log it as well.
    server.app.log.level = 'warn';
    urls.set(service, await listen(server.app, { host: settings.host, port }));
    server.app.log.level = log.level;
  }
  // Only now: a start that cannot have its ports, or is stopped, must not use up what is shown once.
  options.signal?.throwIfAborted();
  secrets.keep();
  const isEmbedded = database.engine === 'sqlite';
  const apiKey = firstStart && isEmbedded ? await makeDeveloperKey(accounts, 'first start') : undefined;
  for (const start of begin) start();
  market.start();
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    const paused = pausers.map((pause) =>
      pause().catch((error: unknown) => log.warn({ err: error }, 'pausing failed')),
    );
    const drained = Promise.all([...paused, ...servers.map(({ server }) => server.drain())]);
    await Promise.race([drained, sleep(clock, FINISH_MS)]);
    stopVendors.abort();
    await Promise.race([drained, sleep(clock, TELL_MS)]);
    for (const { server } of servers) server.app.server.closeAllConnections();
    for (const close of closers.toReversed()) {
      await close().catch((error: unknown) => log.error({ err: error }, 'closing failed'));
    }
  };
  return {
    connectUrl: shared.addressOf('connect'),
    gridUrl: shared.addressOf('grid'),
    dataDir,
    engine: database.engine,
    simulated,
    made: { adminToken: secrets.isAdminTokenNew ? secrets.adminToken.reveal() : undefined, apiKey },
    isDeveloperIdle: isEmbedded && (await isDeveloperIdle(accounts)),
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}
