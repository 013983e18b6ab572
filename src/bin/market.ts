import { readFileSync } from 'node:fs';
import type { Clock } from '../core/clock.ts';
import type { Random } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import type { Metrics } from '../core/metrics.ts';
import type { MarketSettings } from '../core/settings/market.ts';
import type { Database } from '../db/database.ts';
import { createPrices, type Prices } from '../domain/market/prices/index.ts';
import { createProduction, type Production } from '../domain/market/production/index.ts';
import type { Probe } from '../http/health.ts';
import type { OutboundHttp } from '../outbound/index.ts';
import type {
  ExchangeRateSource,
  PriceSource,
  ProductionSource,
  SourceSession,
} from '../sources/contract/market.ts';

interface MarketOptions {
  readonly settings: MarketSettings;
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly version: string;
  /** Whether this process serves Grid: it may then be the one that fetches. Others answer what it stored. */
  readonly servesGrid: boolean;
  /** Instead of those that the settings name; for tests. */
  readonly priceSources?: readonly PriceSource[];
  readonly productionSource?: ProductionSource;
}

export interface Market {
  readonly prices: Prices;
  readonly production: Production;
  readonly probes: readonly Probe[];
  /** Begins to fetch, where it is allowed to. */
  start(): void;
  close(): Promise<void>;
}

/** Prices and production with the sources that the settings name. */
export async function openMarket(options: MarketOptions): Promise<Market> {
  const { settings, database, clock, random, log, metrics, servesGrid } = options;
  const isAsking = settings.isFetching && servesGrid;
  const named = isAsking ? await loadSources(settings, options.priceSources) : NO_SOURCES;
  const clients = createClients(options);
  const prices = await createPrices({
    database,
    clock,
    random,
    log,
    metrics,
    ...named,
    async sessionOf(source, signal): Promise<SourceSession | undefined> {
      if (!('needs' in source)) return { http: await clients.of(source), signal };
      const token = settings.entsoeToken?.reveal();
      return token === undefined ? undefined : { http: await clients.of(source), signal, token };
    },
    isOn: settings.isFetching,
    mayFetch: servesGrid,
    ...(settings.isSampleAllowed ? { sample: readSample() } : {}),
  });
  const productionSource = isAsking ? await loadProductionSource(options) : undefined;
  const production = await createProduction({
    database,
    clock,
    random,
    log,
    metrics,
    access:
      productionSource === undefined
        ? undefined
        : {
            source: productionSource,
            http: { send: async (request) => (await clients.of(productionSource)).send(request) },
          },
    unit: settings.productionUnit,
  });
  const probe = (name: string, { health }: Pick<Prices | Production, 'health'>): Probe => ({
    name,
    vital: false,
    async check() {
      const { status, sentence } = health();
      // Connect alone may well do without prices.
      if (status !== 'ok' && servesGrid) throw new Error(sentence);
      return sentence;
    },
  });
  return {
    prices,
    production,
    probes: [probe('prices', prices), probe('production', production)],
    start() {
      prices.start();
      production.start();
    },
    async close() {
      await production.close();
      await prices.close();
      await clients.close();
    },
  };
}

/** Tests that name price sources of their own name that of production as well, or there is none. */
async function loadProductionSource(options: MarketOptions): Promise<ProductionSource | undefined> {
  if (options.productionSource !== undefined || options.priceSources !== undefined) {
    return options.productionSource;
  }
  return (await import('../sources/index.ts')).productionSource;
}

interface Sources {
  readonly sources: readonly PriceSource[];
  readonly rateSource?: ExchangeRateSource;
}

const NO_SOURCES: Sources = { sources: [] };

/** Loaded only where they are asked: readers of XML are of no use to a process that fetches nothing. */
async function loadSources(
  { priceSources: slugs }: MarketSettings,
  given: readonly PriceSource[] | undefined,
): Promise<Sources> {
  if (given !== undefined) return { sources: given };
  const { priceSources, exchangeRateSource } = await import('../sources/index.ts');
  const sources = slugs.map((slug) => {
    const source = priceSources.find((one) => one.slug === slug);
    if (source === undefined) throw new TypeError(`no source of prices is called ${slug}`);
    return source;
  });
  return { sources, rateSource: exchangeRateSource };
}

type AnySource = PriceSource | ExchangeRateSource | ProductionSource;

/** One HTTP client for each source, made when it is first asked: most processes never ask most of them. */
function createClients({ settings, clock, random, log, version }: MarketOptions) {
  const clients = new Map<string, Promise<OutboundHttp>>();
  const make = async ({ slug, name, baseUrl }: AnySource): Promise<OutboundHttp> => {
    const { createHttp } = await import('../outbound/index.ts');
    return createHttp({
      name,
      baseUrl: settings.baseUrls[slug] ?? baseUrl,
      clock,
      random,
      log,
      userAgent: `elnav/${version}`,
      mostAtOnce: 4,
    });
  };
  return {
    of(source: AnySource): Promise<OutboundHttp> {
      const client = clients.get(source.slug) ?? make(source);
      clients.set(source.slug, client);
      return client;
    },
    async close(): Promise<void> {
      await Promise.all([...clients.values()].map(async (client) => (await client).close()));
    },
  };
}

function readSample(): string {
  return readFileSync(new URL('../../seed/sample-day.tsv', import.meta.url), 'utf8');
}
