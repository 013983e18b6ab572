import { isIP } from 'node:net';
import type { Adapter } from '../../../adapter/adapter.ts';
import type { DevicePlace } from '../../../adapter/discovers.ts';
import type { ReachableGateways } from '../../../adapter/reach.ts';
import { AppError } from '../../../core/errors.ts';
import { randomId } from '../../../core/ids.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { Host } from '../../../db/host.ts';
import type { Devices } from '../../devices/devices/index.ts';
import type { Calls, LinkRow, NewLink } from '../../vendor-calls/calls/index.ts';
import { type DiscoveredDevice, distinct, type FoundDevice, foundAt, linkedAt } from './discovered.ts';
import { type AskedPlace, type Finder, isFinder, keyOf, placeOfLink, placesIn, wantedBy } from './places.ts';
import { createGatewayStore, type GatewayKey, type GatewayStore, type VendorAccount } from './store.ts';

/** All of it: below what callers are promised. */
const DISCOVERY_MS = 14_000;
/** What one vendor's questions to one place may take. */
const IDENTIFY_MS = 5_000;
/** With less time than that left, a place is not asked. */
const LEAST_MS = 500;
/** Places that are asked at a time: each is a stream of the gateway. */
const AT_ONCE = 16;
const RETRY_SECONDS = 15;

export interface Discovered {
  readonly devices: readonly DiscoveredDevice[];
  /** Those that the gateway looked for open ports in. */
  readonly networks: readonly string[];
  readonly truncated: boolean;
}

interface DiscoverOptions {
  readonly host: Host;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly calls: Pick<Calls, 'withCandidate' | 'stored' | 'credentials'>;
  readonly devices: Pick<Devices, 'knownOfLink'>;
  /** Undefined where none connect. */
  readonly gateways: ReachableGateways | undefined;
  /** Whether an address of the operator, or a simulator, stands for the devices of all users of a vendor. */
  readonly standsIn: (vendor: string) => boolean;
}

/** A link through the gateway, and where its device is. */
interface Linked {
  readonly row: LinkRow;
  readonly place: DevicePlace;
  readonly credentials: JsonObject;
}

/** What is at a place, as a link that is stored nowhere. */
function candidateOf(
  gateway: GatewayKey,
  { slug }: Finder,
  { id, now }: { readonly id: string; readonly now: number },
): NewLink {
  return {
    ...{ account: gateway.account, link: id, gateway: gateway.id },
    ...{ vendor: slug, userRef: '', vendorAccount: '' },
    ...{ status: 'active', statusSince: now, statusReason: null, refusedSince: null },
    ...{ createdAt: now, linkedAt: now },
  };
}

/** Does the work for each, some at a time; answers what came of it, in their order. */
async function eachOf<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  const rest = all.entries();
  const worker = async (): Promise<void> => {
    for (const [at, one] of rest) done[at] = await work(one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return done;
}

/** What was found, with whether the account has linked it. */
async function withLinks(
  store: GatewayStore,
  account: number,
  found: readonly FoundDevice[],
): Promise<readonly DiscoveredDevice[]> {
  const linked = await store.linkedOf(
    account,
    found.flatMap((one) => one.account ?? []),
  );
  const isLinked = (one: VendorAccount | undefined) =>
    linked.some(({ vendor, vendorAccount }) => vendor === one?.vendor && vendorAccount === one.vendorAccount);
  return found.map((one) => ({ ...one.device, is_linked: isLinked(one.account) }));
}

/** Finds devices in the networks of gateways: a gateway says what is there, and the adapters what it is. */
export function createDiscover(options: DiscoverOptions) {
  const { adapters, calls, devices, gateways, standsIn } = options;
  const { database, clock, random, log } = options.host;
  const store = createGatewayStore(database);
  /** Gateways that are looking for devices; each is connected to one process. */
  const busy = new Set<string>();

  /** The links through a gateway that work. */
  async function linksOf(gateway: GatewayKey): Promise<Linked[]> {
    const rows = await Promise.all((await store.links(gateway)).map((link) => calls.stored(link)));
    return rows.flatMap((row) => {
      const adapter = adapters.get(row?.vendor ?? '');
      if (row?.status !== 'active' || adapter === undefined) return [];
      const credentials = calls.credentials.unseal(row);
      const place = placeOfLink(adapter, credentials);
      return place === undefined ? [] : [{ row, place, credentials }];
    });
  }

  /** What the first vendor recognizes for certain, else what others may have there; undefined where there was no time to ask. */
  async function identify(
    gateway: GatewayKey,
    place: AskedPlace,
    endsAt: number,
  ): Promise<FoundDevice[] | undefined> {
    const found: FoundDevice[] = [];
    for (const finder of place.finders) {
      const { discovers } = finder;
      const limitMs = Math.min(IDENTIFY_MS, endsAt - clock.now());
      if (limitMs < LEAST_MS) return undefined;
      try {
        const identified = await calls.withCandidate(
          candidateOf(gateway, finder, { id: randomId(random), now: clock.now() }),
          { credentials: discovers.credentialsAt(place), limitMs },
          (session) => discovers.identify(session),
        );
        if (identified === undefined) continue;
        found.push(foundAt(place, { finder, identified, gateway: gateway.id }));
        if (identified.isUncertain !== true) return found;
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        // What takes connections and is silent would be silent to the others too.
        if (error.code === 'vendor.timeout') return found;
      }
    }
    return found;
  }

  /** Devices that are linked are not asked: many serve one client at a time. */
  async function shownAsLinked(
    gateway: string,
    { row, place, credentials }: Linked,
  ): Promise<DiscoveredDevice[]> {
    const finder = adapters.get(row.vendor);
    if (finder === undefined || !isFinder(finder)) return [];
    const [first] = await devices.knownOfLink(row);
    return [linkedAt(place, { finder, name: first?.name ?? undefined, credentials, gateway })];
  }

  async function discover(gateway: GatewayKey): Promise<Discovered> {
    if (gateways === undefined) throw new Error('no gateways connect here');
    const endsAt = clock.now() + DISCOVERY_MS;
    const finders = [...adapters.values()].filter(isFinder).filter(({ slug }) => !standsIn(slug));
    const linked = await linksOf(gateway);
    const seen = await gateways.lookAround(gateway.id, {
      ...wantedBy(finders),
      except: linked.flatMap(({ place: { host, port } }) =>
        isIP(host) === 0 ? [] : [{ address: host, port }],
      ),
    });
    const known = new Set(linked.map(({ place }) => keyOf(place)));
    const { places, areAll } = placesIn(seen, finders, known);
    const found = await eachOf(places, (place) => identify(gateway, place, endsAt));
    if (!gateways.isHere(gateway.id))
      throw new AppError('vendor.unreachable', 'the gateway was lost while it looked for devices; retry');
    const all = distinct(found.flatMap((one) => one ?? []));
    const shown = await Promise.all(linked.map((one) => shownAsLinked(gateway.id, one)));
    log.info(
      { gateway: gateway.id, places: places.length, devices: all.length },
      'devices were looked for through a gateway',
    );
    return {
      devices: [...shown.flat(), ...(await withLinks(store, gateway.account, all))],
      networks: seen.networks,
      truncated: !seen.is_complete || !areAll || found.includes(undefined),
    };
  }

  /**
   * Lists what answers in the networks of a gateway. Throws `gateway.discovering` while it is asked already, `gateway.unsupported` for one of an
   * older version, and `vendor.unreachable` where it is not connected to this process.
   */
  return async (gateway: GatewayKey): Promise<Discovered> => {
    if (busy.has(gateway.id))
      throw new AppError('gateway.discovering', 'the gateway is looking for devices already', {
        retryAfterSeconds: RETRY_SECONDS,
      });
    busy.add(gateway.id);
    try {
      return await discover(gateway);
    } finally {
      busy.delete(gateway.id);
    }
  };
}

export type Discover = ReturnType<typeof createDiscover>;
