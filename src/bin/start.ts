import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Redis } from 'ioredis';
import type { Adapter } from '../adapter/adapter.ts';
import { type Clock, sleep, systemClock } from '../core/clock.ts';
import { type Random, systemRandom } from '../core/ids.ts';
import { createLog, type Log } from '../core/log.ts';
import { createMetrics } from '../core/metrics.ts';
import type { Settings } from '../core/settings/index.ts';
import { together } from '../core/traces.ts';
import { type Database, openDatabase } from '../db/database.ts';
import { createAccounts } from '../domain/access/accounts/index.ts';
import type { NamedVendor } from '../domain/links/vendor-states/index.ts';
import { createRequests } from '../domain/records/requests/index.ts';
import { createVault, requireVaultKeys } from '../domain/vendor-calls/calls/index.ts';
import { createExposure } from '../http/exposure.ts';
import type { Probe } from '../http/health.ts';
import { createLimits } from '../http/rate-limit.ts';
import type { Server } from '../http/server.ts';
import type { Spans } from '../outbound/traces.ts';
import { loadAssets } from '../pages/assets.ts';
import type { PriceSource, ProductionSource } from '../sources/contract/market.ts';
import { vendors } from '../vendors/index.ts';
import { BUILT, STYLES } from './console.ts';
import { isDeveloperIdle, makeDeveloperKey } from './developer.ts';
import { openMarket } from './market.ts';
import { migrated } from './migrated.ts';
import { openConnect } from './open-connect.ts';
import { openGrid } from './open-grid.ts';
import { openInstances } from './open-instances.ts';
import { openOutbound } from './open-outbound.ts';
import { openPeople } from './open-people.ts';
import { partnerIn } from './partner.ts';
import { probesOf } from './probes.ts';
import { loadSecrets, refuseHalfRestore } from './secrets.ts';
import { createServers } from './servers.ts';
import type { ServiceName, Shared } from './shared.ts';
import { needsPartner, withAmounts } from './vendor-needs.ts';
import { VERSION } from './version.ts';

interface CloudsOptions {
  readonly settings: Settings;
  /** Names of the vendors that simulators stand in for. */
  readonly simulated: readonly string[];
}

/**
 * The vendors that are called in clouds of their own: not those whose devices are called at home, whose place a simulator has, or that nobody can
 * link, since the operator has not configured them.
 */
function cloudsOf(adapters: readonly Adapter[], { settings, simulated }: CloudsOptions): NamedVendor[] {
  return adapters
    .filter(
      (adapter) =>
        adapter.hosts !== undefined &&
        adapter.chosenAddress === undefined &&
        !simulated.includes(adapter.name) &&
        (!needsPartner(adapter) || partnerIn(settings, adapter.slug) !== undefined),
    )
    .map(({ slug, name }) => ({ slug, name }));
}

/** The Redis that instances share for their limits; undefined where none is set. */
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

/** Where requests are reported to; undefined, and nothing of it loaded, unless `ELNAV_OTLP_URL` is set. */
async function openTraces(settings: Settings, log: Log): Promise<Spans | undefined> {
  const { otlpUrl: url, otlpHeaders: headers, tracesSampler: sampler, tracesSamplerArg: share } = settings;
  if (url === undefined) return undefined;
  const { createTraces } = await import('../outbound/traces.ts');
  return createTraces({ url, headers, sampler, share, version: VERSION, log });
}

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
  // control: half of a restore does not become a first start [start-up]
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

/** Puts the services of this process together; answers the names of vendors that simulators stand in for. */
async function openServices(
  shared: Shared,
  { settings, services, adapters = vendors }: StartOptions,
  gridProbes: readonly Probe[],
): Promise<readonly string[]> {
  let simulated: readonly string[] = [];
  if (services.includes('connect')) simulated = (await openConnect(shared, adapters)).simulated;
  if (services.includes('grid')) {
    await openGrid(shared, {
      probes: gridProbes,
      vendors: cloudsOf(adapters, { settings, simulated }),
      servesConnect: services.includes('connect'),
      adapters: adapters.map((adapter) => withAmounts(adapter, settings.vendors.get(adapter.slug))),
    });
  }
  return simulated;
}

async function serve({ options, database, clock, random, log, dataDir, closers }: Parts): Promise<Running> {
  const { services } = options;
  await migrated(database, clock);
  const firstStart =
    (await database.queries.selectFrom('accounts').select('id').limit(1).execute()).length === 0;
  const {
    outbound,
    settings,
    probes: outboundProbes,
  } = await openOutbound({
    settings: options.settings,
    database,
    log,
  });
  const secrets = loadSecrets({ ...settings, dataDir }, { random, firstStart });
  // control: a start with wrong vault keys is refused [vault-keys]
  await requireVaultKeys(database, createVault(secrets.vaultKeys, random));
  const redis = await openRedis(settings, log);
  if (redis !== undefined) closers.push(async () => redis.disconnect());

  const stopVendors = new AbortController();
  const metrics = createMetrics();
  const host = { database, clock, random, log, metrics };
  const tracing = await openTraces(settings, log);
  if (tracing !== undefined) closers.push(() => Promise.race([tracing.close(), sleep(clock, TELL_MS)]));
  const { vaultKeys } = secrets;
  const accounts = await createAccounts({ database, clock, random, log, vaultKeys });
  closers.push(() => accounts.close());
  const requests = createRequests({
    host,
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
    ...host,
    settings: settings.market,
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
    ...host,
    settings: settings.people,
    accounts,
    dataDir,
    adminToken: secrets.adminToken,
    vaultKeys,
    gridUrl: () => addressOf('grid'),
    connectUrl: () => addressOf('connect'),
    configuredConnectUrl: settings.connectUrl,
  });
  closers.push(() => people.close());
  const probes = [...probesOf({ database, redis, dataDir }), ...outboundProbes, ...market.probes];
  const gridProbes = [...probes, ...people.probes];

  /** What goes on by itself once there is a server to be reached at. */
  const begin: (() => void)[] = [];
  const reports: Shared['reports'] = [];
  /** What nobody waits for ends as soon as the process is to stop. */
  const pausers: (() => Promise<void>)[] = [];
  const exposure = createExposure(settings.isHereAlone, log);
  const served = createServers({
    ...host,
    ...{ settings, exposure, traces, accounts, limits, people, configured, closers },
    adminToken: secrets.adminToken,
    probes: { connect: probes, grid: gridProbes },
  });
  const shared: Shared = {
    ...host,
    ...traces,
    settings,
    exposure,
    dataDir,
    outbound,
    accounts,
    requests,
    limits,
    market,
    people,
    assets: await loadAssets({ styles: STYLES, built: BUILT }, settings.site),
    vaultKeys,
    stopVendors: stopVendors.signal,
    makeServer: served.make,
    serverOf: served.of,
    urlOf: (service) => urls.get(service),
    addressOf,
    closers,
    pausers,
    begin,
    reports,
  };
  const simulated = await openServices(shared, options, gridProbes);

  const alive = openInstances(shared, { services, probes: services.includes('grid') ? gridProbes : probes });
  closers.push(() => alive.close());
  begin.push(() => alive.start());

  await served.listen(urls);
  // Only now: a start that cannot have its ports, or is stopped, must not use up what is shown once.
  options.signal?.throwIfAborted();
  secrets.keep();
  const isEmbedded = database.engine === 'sqlite';
  const apiKey = firstStart && isEmbedded ? await makeDeveloperKey(accounts, 'first start') : undefined;
  for (const start of begin) start();
  market.start();
  let stopping: Promise<void> | undefined;
  return {
    connectUrl: shared.addressOf('connect'),
    gridUrl: shared.addressOf('grid'),
    dataDir,
    engine: database.engine,
    simulated,
    made: { adminToken: secrets.isAdminTokenNew ? secrets.adminToken.reveal() : undefined, apiKey },
    isDeveloperIdle: isEmbedded && (await isDeveloperIdle(accounts)),
    stop: () => {
      stopping ??= stopAll({ clock, log, servers: served.all(), pausers, closers, stopVendors });
      return stopping;
    },
  };
}

interface Stopping extends Pick<Shared, 'clock' | 'log' | 'pausers' | 'closers'> {
  readonly servers: readonly Server[];
  readonly stopVendors: AbortController;
}

/** Stops taking work, finishes what runs, closes. */
async function stopAll({ clock, log, servers, pausers, closers, stopVendors }: Stopping): Promise<void> {
  const paused = pausers.map((pause) =>
    pause().catch((error: unknown) => log.warn({ err: error }, 'pausing failed')),
  );
  const drained = Promise.all([...paused, ...servers.map((server) => server.drain())]);
  await Promise.race([drained, sleep(clock, FINISH_MS)]);
  stopVendors.abort();
  await Promise.race([drained, sleep(clock, TELL_MS)]);
  for (const server of servers) server.app.server.closeAllConnections();
  for (const close of closers.toReversed()) {
    await close().catch((error: unknown) => log.error({ err: error }, 'closing failed'));
  }
}
