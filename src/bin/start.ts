import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Redis } from 'ioredis';
import type { Adapter } from '../adapter/adapter.ts';
import type { PriceSource, ProductionSource } from '../adapter/market.ts';
import { addConnect } from '../apps/connect/app.ts';
import { acceptStations } from '../apps/connect/stations.ts';
import { addGrid } from '../apps/grid/app.ts';
import { type Clock, sleep, systemClock } from '../core/clock.ts';
import type { Settings } from '../core/config.ts';
import { type Random, systemRandom } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import { createLog, type Log } from '../core/log.ts';
import { createMetrics } from '../core/metrics.ts';
import { type Database, openDatabase } from '../db/database.ts';
import { migrate } from '../db/migrate.ts';
import { createAccounts } from '../domain/accounts/index.ts';
import { createAreas, readTables } from '../domain/areas/index.ts';
import { createBudgets } from '../domain/budgets/index.ts';
import { createCharging } from '../domain/charging/index.ts';
import { createCommands } from '../domain/commands/index.ts';
import { createDevices, createVendorCaller } from '../domain/devices/index.ts';
import {
  createCalls,
  createLinkCodes,
  createLinkSessions,
  createLinkStore,
  createLinks,
  createSessionSource,
  createSessions,
  createSignals,
  createSignIn,
  createSignInStore,
  createStreamSource,
  createTokenStore,
  createTokens,
  createVault,
} from '../domain/links/index.ts';
import { createPolling } from '../domain/polling/index.ts';
import { createStreams } from '../domain/streams/index.ts';
import { createWebhooks } from '../domain/webhooks/index.ts';
import { createGate } from '../http/gate.ts';
import { createIdempotency } from '../http/idempotency.ts';
import { createLimits } from '../http/rate-limit.ts';
import { createServer, type Server } from '../http/server.ts';
import { validator } from '../http/validate.ts';
import { vendors } from '../vendors/index.ts';
import { firstAccount } from './first-account.ts';
import { openGeocoder } from './geocoder.ts';
import { openMarket } from './market.ts';
import { partnerIn } from './partner.ts';
import { probesOf } from './probes.ts';
import { loadSecrets } from './secrets.ts';
import { type Simulators, startSimulators } from './simulators.ts';
import { tableFolders } from './table-folders.ts';
import { authorizeUrlOf, createVendorHosts } from './vendor-hosts.ts';
import { wellKnownFiles } from './well-known-files.ts';

export const VERSION: string = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
).version;

/** Finishing what runs may take this long; then vendors that are still silent are given up. */
const FINISH_MS = 3_000;
/** So long their callers have to be told; then connections are cut. */
const TELL_MS = 500;

export interface StartOptions {
  readonly settings: Settings;
  readonly services: readonly ('connect' | 'grid')[];
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  readonly adapters?: readonly Adapter[];
  /** Instead of those that the settings name. */
  readonly priceSources?: readonly PriceSource[];
  readonly productionSource?: ProductionSource;
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
  const redis = await openRedis(settings, log);
  if (redis !== undefined) closers.push(async () => redis.disconnect());

  const stopVendors = new AbortController();
  const metrics = createMetrics();
  const accounts = await createAccounts({ database, clock, random, log });
  closers.push(() => accounts.close());
  const apiKey = firstStart && database.engine === 'sqlite' ? await firstAccount(accounts) : undefined;
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
  const probes = [...probesOf({ database, redis, dataDir }), ...market.probes];

  const urls = new Map<string, string>();
  /** What goes on by itself once there is a server to be reached at. */
  const begin: (() => void)[] = [];
  /** What nobody waits for ends as soon as the process is to stop. */
  const pausers: (() => Promise<void>)[] = [];
  const servers: { service: 'connect' | 'grid'; server: Server; port: number }[] = [];
  const make = (service: 'connect' | 'grid', port: number): Server => {
    const gate = createGate({ service, accounts, limits, clock, adminToken: secrets.adminToken });
    const { trustProxy, tls } = settings;
    const server = createServer({
      service,
      clock,
      random,
      log: log.child({ service }),
      metrics,
      gate,
      probes,
      trustProxy,
      tls,
    });
    servers.push({ service, server, port });
    closers.push(() => server.app.close());
    return server;
  };

  let simulators: Simulators | undefined;
  if (services.includes('connect')) {
    const adapters = new Map((options.adapters ?? vendors).map((adapter) => [adapter.slug, adapter]));
    const callVendor = createVendorCaller({ clock, log, metrics, stopping: stopVendors.signal });
    const store = createLinkStore(database);
    const { bus } = database;
    const vault = createVault(secrets.vaultKeys, random);
    const tokens = createTokens({ bus, store: createTokenStore(database), vault, clock, log });
    const linkCodes = createLinkCodes({ database, vault, clock, random });
    const budgets = createBudgets({ database, clock, log });
    closers.push(() => budgets.flush());
    const publicUrl = () => settings.connectUrl ?? urls.get('connect') ?? '';
    const simulated = await startSimulators({
      settings,
      adapters: [...adapters.values()],
      clock,
      random,
      log,
      publicUrl,
      async postToConnect(path, { body, headers }) {
        const { server } = servers.find(({ service }) => service === 'connect') ?? {};
        return (
          (await server?.app.inject({ method: 'POST', url: path, headers, payload: body }))?.statusCode ?? 503
        );
      },
    });
    simulators = simulated;
    closers.push(() => simulated.close());
    const baseUrlOf = (vendor: string, host: string) => {
      const set = settings.vendors.get(vendor);
      return simulated.baseUrlOf(vendor, host) ?? set?.baseUrls[host] ?? set?.baseUrl;
    };
    const partnerOf = (vendor: string) => simulated.partnerOf(vendor) ?? partnerIn(settings, vendor);
    const hosts = createVendorHosts({
      baseUrlOf,
      arePrivateAddressesAllowed: settings.arePrivateAddressesAllowed,
      clock,
      random,
      log,
      userAgent: `elnav/${VERSION}`,
    });
    closers.push(() => hosts.close());
    const calls = createCalls({
      adapters,
      hostOf: hosts.hostOf,
      openSocket: hosts.openSocket,
      partnerOf,
      tokens,
      budgets,
      signals: createSignals(clock),
      clock,
    });
    const signInStore = createSignInStore(database);
    const linkSessions = createLinkSessions({ store: signInStore, adapters, publicUrl, clock, random });
    const signIn = createSignIn({
      store: signInStore,
      sessions: linkSessions,
      adapters,
      partnerOf,
      authorizeUrlOf: (adapter) => authorizeUrlOf(adapter, baseUrlOf(adapter.slug, 'authorize')),
      loginSession: (adapter, signal) =>
        calls.loginSession(adapter, { account: 0, link: '', vendor: adapter.slug, credentials: {} }, signal),
      publicUrl,
      vault,
      clock,
      random,
    });
    const sessions = createSessions({ bus, store, vault, calls, clock, log });
    const source = createSessionSource({ sessions, callVendor, log });
    const devices = createDevices({ database, adapters, sessions: source, clock, log });
    closers.push(() => devices.flush());
    const checkCredentials = (schema: Adapter['credentials'], credentials: unknown) =>
      validator(schema, { name: 'credentials', code: 'link.credentials_invalid' })(credentials) as JsonObject;
    const polling = createPolling({
      database,
      adapters,
      devices,
      budgets,
      linkState: (link) => sessions.find(link),
      isStreaming: (link) => streams.isOpen(link),
      clock,
      random,
      log,
      metrics,
    });
    const webhooks = createWebhooks({
      database,
      adapters,
      devices,
      sessions: source,
      secretOf: (vendor) => partnerOf(vendor)?.clientSecret,
      urlOf: (vendor) => {
        // Only what we serve ourselves, a simulator say, reaches us where we listen.
        const base =
          settings.connectUrl ?? (baseUrlOf(vendor, 'api') === undefined ? undefined : urls.get('connect'));
        return base === undefined ? undefined : `${base}/webhooks/${vendor}`;
      },
      readSoon: (told) => polling.readSoon(told),
      loginLost: (of) => links.loginLost(of),
      clock,
      random,
      log,
      metrics,
    });
    const streams = createStreams({
      database,
      adapters,
      source: createStreamSource({ sessions, log }),
      devices,
      ended: (link) => polling.streamEnded(link),
      clock,
      random,
      log,
      metrics,
    });
    metrics.watchStreams(() => streams.counts());
    metrics.watchDeliveries(() => webhooks.backlog());
    const links = createLinks({
      database,
      store,
      sessions,
      devices,
      adapters,
      callVendor,
      calls,
      tokens,
      linkCodes,
      isSimulated: simulated.isSimulated,
      watchers: [polling, webhooks, streams],
      checkCredentials,
      clock,
      random,
      log,
    });
    const commands = await createCommands({
      database,
      adapters,
      devices,
      sessions: source,
      clock,
      random,
      commanded: (device) => {
        polling
          .commanded(device)
          .catch((error: unknown) => log.warn({ err: error }, 'a commanded device is not watched'));
      },
    });
    const charging = createCharging({ database, clock });
    const idempotency = createIdempotency(accounts, log);
    const server = make('connect', settings.connectPort);
    const stations = acceptStations({ adapters, sessions, links, devices, charging, clock, log });
    closers.push(() => stations.close());
    stations.listen(server.app.server);
    metrics.watchStations(() => stations.counts());
    await addConnect(
      server.app,
      {
        adapters,
        accounts,
        links,
        devices,
        commands,
        charging,
        webhooks,
        idempotency,
        limits,
        simulatedPages: simulated.pages,
        clock,
        prices: market.prices,
        signIn,
        linkCodes,
        linkSessions,
        budgets,
        wellKnown: wellKnownFiles([...adapters.values()], settings),
        publicUrl,
        random,
        isConfigured: (vendor) =>
          adapters.get(vendor)?.oauth === undefined || partnerOf(vendor) !== undefined,
        isSimulated: simulated.isSimulated,
      },
      VERSION,
    );
    pausers.push(
      () => polling.close(),
      () => streams.close(),
    );
    closers.push(
      () => streams.close(),
      () => polling.close(),
      () => webhooks.close(),
    );
    begin.push(() => {
      polling.start();
      webhooks.start();
      streams.start();
    });
  }
  if (services.includes('grid')) {
    const server = make('grid', settings.gridPort);
    const geocoder = openGeocoder(settings, { clock, random, log });
    if (geocoder !== undefined) closers.push(() => geocoder.close());
    const tables = readTables(tableFolders(dataDir));
    const areas = createAreas({ tables, clock, geocode: geocoder?.geocode });
    const { prices, production } = market;
    await addGrid(
      server.app,
      { accounts, areas, prices, production, clock, stopping: server.stopping },
      VERSION,
    );
  }

  for (const { server } of servers) server.addHealth();
  for (const { service, server, port } of servers) {
    // The address is told once, by whoever starts us; the framework would log it as well.
    server.app.log.level = 'warn';
    urls.set(service, await server.app.listen({ host: settings.host, port }));
    server.app.log.level = log.level;
  }
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
    connectUrl: settings.connectUrl ?? urls.get('connect'),
    gridUrl: settings.gridUrl ?? urls.get('grid'),
    dataDir,
    engine: database.engine,
    simulated: simulators?.names ?? [],
    made: { adminToken: secrets.madeAdminToken ? secrets.adminToken.reveal() : undefined, apiKey },
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}

async function openRedis(settings: Settings, log: Log): Promise<Redis | undefined> {
  if (settings.redisUrl === undefined) return undefined;
  // Loaded only where it is used: it costs memory and start-up.
  const { Redis } = await import('ioredis');
  // A limit that cannot be counted in Redis at once is counted in memory: a request never waits for a lost Redis.
  const redis = new Redis(settings.redisUrl.reveal(), {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 250,
    connectTimeout: 2_000,
    enableAutoPipelining: true,
    retryStrategy: (attempt) => Math.min(attempt * 100, 3_000),
  });
  let lost = false;
  redis.on('error', (error) => {
    if (!lost)
      log.warn(
        { err: error },
        'Redis cannot be reached; limits are counted by this process alone until it is back',
      );
    lost = true;
  });
  redis.on('ready', () => {
    if (lost) log.info('Redis is back');
    lost = false;
  });
  return redis;
}
