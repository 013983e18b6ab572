import type { Adapter } from '../adapter/adapter.ts';
import { type Partner, simulatedSettings } from '../adapter/login.ts';
import type { Post, SimulatedDelivery, VendorSimulator } from '../adapter/simulator.ts';
import type { SimulatedPage } from '../apps/connect/app.ts';
import type { Clock } from '../core/clock.ts';
import { OperatorError } from '../core/errors.ts';
import { type Random, randomBase62 } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import type { Settings } from '../core/settings/index.ts';
import { type ServedSimulator, serveSimulated } from '../proof/simulation/serve.ts';
import { postToLoopback } from '../proof/simulation/webhooks.ts';

/** Stays the same from start to start: tokens that are stored were given to it. */
const CLIENT_ID = 'elnav-simulated';

type Choice = Pick<Settings, 'simulate' | 'databaseUrl' | 'vendors'>;

interface SimulatorsOptions {
  readonly settings: Choice;
  readonly adapters: readonly Adapter[];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Address of Connect without a trailing slash. */
  readonly publicUrl: () => string;
  /** Posts to a path of Connect, without a network in between, and answers the status. */
  readonly postToConnect: (path: string, delivery: SimulatedDelivery) => Promise<number>;
}

/** Vendors whose built-in simulators stand in for them. */
export interface Simulators {
  readonly names: readonly string[];
  isSimulated(vendor: string): boolean;
  /**
   * Where a host of the vendor is instead; undefined for a vendor that is not simulated. The browser's part, `authorize`, is below
   * Connect's own address.
   */
  baseUrlOf(vendor: string, host: string): string | undefined;
  partnerOf(vendor: string): Partner | undefined;
  /** Sign-in pages, which Connect serves: the browser may be on another machine than the simulators. */
  readonly pages: readonly SimulatedPage[];
  close(): Promise<void>;
}

/** Gives each simulated vendor a port of this machine. Its simulator is loaded when it is first called. */
export async function startSimulators(options: SimulatorsOptions): Promise<Simulators> {
  const { settings, adapters, clock, random, log, publicUrl } = options;
  const served = new Map<string, ServedSimulator>();
  const partners = new Map<string, Partner>();
  const pages: SimulatedPage[] = [];
  const chosen = simulatedVendors(settings, adapters);

  const post: Post = async (url, delivery) => {
    const own = publicUrl();
    if (!url.startsWith(`${own}/`)) return postToLoopback(url, delivery);
    const status = await options.postToConnect(url.slice(own.length), delivery);
    if (status >= 300) throw new Error(`it answered ${status}`);
  };

  for (const adapter of chosen) {
    const { slug, oauth } = adapter;
    const partner = oauth === undefined ? undefined : partnerAt(adapter, random);
    if (partner !== undefined) partners.set(slug, partner);
    let loading: Promise<VendorSimulator> | undefined;
    const load = (): Promise<VendorSimulator> => {
      loading ??= adapter.simulator().then(({ createSimulator }) =>
        createSimulator({
          clock,
          random,
          baseUrl: () => served.get(slug)?.url ?? '',
          post,
          ...(partner === undefined ? {} : { partner }),
        }),
      );
      return loading;
    };
    const onFailure = (error: unknown) => log.error({ err: error, vendor: slug }, 'a simulator failed');
    served.set(slug, await serveSimulated({ slug, load, onFailure }));
    if (oauth !== undefined)
      pages.push({
        vendor: slug,
        path: `${pagesOf(slug)}${new URL(oauth.authorizeUrl).pathname}`,
        redirectUri: () => `${publicUrl()}/oauth/${slug}/callback`,
        answer: async (request) =>
          (await load()).handle({ ...request, path: new URL(oauth.authorizeUrl).pathname }),
      });
  }

  return {
    names: chosen.map(({ name }) => name),
    isSimulated: (vendor) => served.has(vendor),
    baseUrlOf(vendor, host) {
      const url = served.get(vendor)?.url;
      return url === undefined || host !== 'authorize' ? url : `${publicUrl()}${pagesOf(vendor)}`;
    },
    partnerOf: (vendor) => partners.get(vendor),
    pages,
    async close() {
      await Promise.all([...served.values()].map((one) => one.close()));
    },
  };
}

function partnerAt(adapter: Adapter, random: Random): Partner {
  const secret = () => randomBase62(random, 32);
  return {
    clientId: CLIENT_ID,
    clientSecret: secret(),
    ...(adapter.apiKeyHeader === undefined ? {} : { apiKey: secret() }),
    ...simulatedSettings(adapter, secret),
  };
}

const pagesOf = (slug: string) => `/simulated/${slug}`;

type Simulatable = Adapter & Required<Pick<Adapter, 'simulator'>>;

/**
 * Those that are named and, with the embedded database, every OAuth vendor that nobody has set up: a newcomer has no account at
 * any vendor. With PostgreSQL a made-up device among real ones would be worse than a vendor that cannot be linked.
 * Throws an `OperatorError` where a name cannot be simulated.
 */
export function simulatedVendors(settings: Choice, adapters: readonly Adapter[]): Simulatable[] {
  const { simulate, databaseUrl, vendors } = settings;
  if (simulate === 'none') return [];
  const addressesSet = (slug: string): string[] => {
    const { baseUrl, baseUrls = {} } = vendors.get(slug) ?? {};
    return [...(baseUrl === undefined ? [] : [baseUrl]), ...Object.values(baseUrls)];
  };
  const able = adapters.filter((adapter): adapter is Simulatable => adapter.simulator !== undefined);
  const needsNone = adapters.filter(isTesting).map(({ slug }) => slug);
  for (const slug of simulate ?? []) {
    if (needsNone.includes(slug)) continue;
    if (adapters.some((adapter) => adapter.slug === slug && adapter.localSimulator !== undefined))
      throw new OperatorError(
        `ELNAV_SIMULATE names ${slug}, whose devices are called at an address of their own: run npm run simulate -- ${slug}, and link what it prints.`,
      );
    if (!able.some((adapter) => adapter.slug === slug))
      throw new OperatorError(
        `ELNAV_SIMULATE names ${slug}, which has no simulator; those that have one: ${able.map((one) => one.slug).join(', ')}.`,
      );
    const [elsewhere] = addressesSet(slug);
    if (elsewhere !== undefined)
      throw new OperatorError(
        `ELNAV_SIMULATE names ${slug}, and its calls are led to ${elsewhere} by another setting. Unset one of the two.`,
      );
  }
  const isNobodys = ({ slug, oauth }: Adapter): boolean => {
    const set = vendors.get(slug);
    return oauth !== undefined && set?.clientId === undefined && addressesSet(slug).length === 0;
  };
  return able.filter(
    (adapter) =>
      simulate?.includes(adapter.slug) === true || (databaseUrl === undefined && isNobodys(adapter)),
  );
}

const isTesting = ({ conditions }: Adapter): boolean => conditions !== undefined;

/**
 * Whether users may choose vendors whose devices are made up, such as the sandbox: on a test installation, or where the operator names one
 * of them. A production may run on the embedded database too, but not without https; an app can always ask for such a vendor itself.
 */
export function offersTesting(
  {
    simulate,
    databaseUrl,
    connectUrl,
    tls,
  }: Pick<Settings, 'simulate' | 'databaseUrl' | 'connectUrl' | 'tls'>,
  adapters: readonly Adapter[],
): boolean {
  if (simulate === 'none') return false;
  if (adapters.some((adapter) => isTesting(adapter) && simulate?.includes(adapter.slug) === true))
    return true;
  return databaseUrl === undefined && tls === undefined && connectUrl?.startsWith('https:') !== true;
}
