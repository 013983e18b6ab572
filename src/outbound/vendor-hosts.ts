import type { Adapter } from '../adapter/adapter.ts';
import type { PinnedCertificate } from '../adapter/connections.ts';
import type { Http, VendorSocket } from '../adapter/http.ts';
import type { CertificatePlace, Chosen, EventsOpening, SocketOpening } from '../adapter/reach.ts';
import type { VendorEvent } from '../adapter/stream.ts';
import { BoundedMap } from '../core/bounded-map.ts';
import type { Clock } from '../core/clock.ts';
import type { Random } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import type { OutboundAgent } from './agent.ts';
import type { OutboundHttp } from './client.ts';
import {
  createVendorAgents,
  hasOwnCertificate,
  keyOf,
  MOST_CHOSEN,
  outbound,
  type VendorAgentsOptions,
} from './vendor-agents.ts';

interface VendorHostsOptions extends VendorAgentsOptions {
  /** Another address for a host of a vendor: a setting's, or its built-in simulator's. */
  readonly baseUrlOf: (vendor: string, host: string) => string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly userAgent: string;
}

/** Within the time that a caller of ours is promised. */
const TIMEOUT_MS = 10_000;
const DEADLINE_MS = 13_000;
/** Each attempt counts at the vendor, so a call is repeated once at most. */
const ATTEMPTS = 2;
const AT_ONCE = 64;

/** The client of one host. */
interface VendorClient extends Http {
  readonly vendor: string;
  readonly isPaused: boolean;
}

interface Called {
  readonly adapter: Adapter;
  readonly baseUrl: string;
  readonly agent: () => Promise<OutboundAgent>;
}

/** A client that is made with its first call. */
function lazyClient({ adapter, baseUrl, agent }: Called, options: VendorHostsOptions): VendorClient {
  const { clock, random, log, userAgent } = options;
  let made: OutboundHttp | undefined;
  let client: Promise<Http> | undefined;
  const make = async (): Promise<Http> => {
    const { createHttp } = await outbound();
    made = createHttp({
      name: adapter.name,
      baseUrl,
      ...{ clock, random, log, userAgent },
      timeoutMs: TIMEOUT_MS,
      deadlineMs: DEADLINE_MS,
      attempts: ATTEMPTS,
      mostAtOnce: AT_ONCE,
      agent: await agent(),
    });
    return made;
  };
  return {
    vendor: adapter.slug,
    get isPaused() {
      return made?.isPaused ?? false;
    },
    async send(request) {
      client ??= make();
      return (await client).send(request);
    },
  };
}

/** A client for each host of each vendor, with a breaker and a bulkhead of its own; made when it is first called. */
export function createVendorHosts(options: VendorHostsOptions) {
  const clients = new Map<string, VendorClient>();
  const agents = createVendorAgents(options);
  /** Clients of addresses that users chose: each is slow or broken by itself. */
  const chosen = new BoundedMap<string, VendorClient>(MOST_CHOSEN);

  const clientOf = (adapter: Adapter, baseUrl: string, place: Chosen): VendorClient =>
    lazyClient({ adapter, baseUrl, agent: () => agents.of(adapter, place) }, options);

  const baseOf = (adapter: Adapter, host: string): string =>
    options.baseUrlOf(adapter.slug, host) ?? addressOf(adapter, host);

  /** A setting or a simulator stands in for the devices of all users of a local vendor. */
  const standsIn = ({ slug, isLocal }: Adapter, host: string): boolean =>
    isLocal === true && options.baseUrlOf(slug, host) !== undefined;

  const placeOf = (
    adapter: Adapter,
    { host, chosenAddress }: Pick<SocketOpening, 'host' | 'chosenAddress'>,
  ) => (chosenAddress ?? baseOf(adapter, host)).replace(/\/$/, '');

  return {
    /** Opens a WebSocket at a host of a vendor. */
    async openSocket(adapter: Adapter, opening: SocketOpening): Promise<VendorSocket> {
      const request = standsIn(adapter, opening.host) ? { ...opening, ...NOWHERE } : opening;
      const { path, query, headers, protocol, signal } = request;
      const url = new URL(`${placeOf(adapter, request)}${path}`);
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      const { openSocket } = await outbound();
      const agent = await agents.of(adapter, request);
      return openSocket({
        name: adapter.name,
        url,
        headers: { ...headers, 'user-agent': options.userAgent },
        protocol,
        signal,
        agent,
        now: options.clock.now,
      });
    },

    /** Opens a stream of server-sent events at a host of a vendor. */
    async openEvents(adapter: Adapter, given: EventsOpening): Promise<AsyncIterable<VendorEvent>> {
      const opening = standsIn(adapter, given.host) ? { ...given, ...NOWHERE } : given;
      const { request, signal, watch } = opening;
      const { openEvents } = await outbound();
      return openEvents({
        request,
        name: adapter.name,
        baseUrl: placeOf(adapter, opening),
        userAgent: options.userAgent,
        signal,
        agent: await agents.of(adapter, opening),
        now: options.clock.now,
        watch,
      });
    },

    /**
     * Where a host of a vendor is called: at the address that the user chose, else a setting's, else the adapter's. A setting of a local
     * vendor comes first.
     */
    hostOf(adapter: Adapter, name: string, given: Chosen = NOWHERE): Http {
      const place = standsIn(adapter, name) ? NOWHERE : given;
      const { chosenAddress, pinned, gateway } = place;
      if (chosenAddress !== undefined) {
        const key = `${adapter.slug} ${chosenAddress} ${keyOf(pinned)} ${gateway}`;
        const client = chosen.get(key) ?? clientOf(adapter, chosenAddress, place);
        chosen.set(key, client);
        return client;
      }
      const key = `${adapter.slug}/${name}`;
      const known = clients.get(key);
      if (known !== undefined) return known;
      const client = clientOf(adapter, baseOf(adapter, name), NOWHERE);
      clients.set(key, client);
      return client;
    },

    /** The certificate of the device at an address that a user chose, before anything is sent to it. */
    async certificateAt(
      adapter: Adapter,
      { chosenAddress, gateway, signal }: CertificatePlace,
    ): Promise<PinnedCertificate | undefined> {
      if (standsIn(adapter, 'api') || !hasOwnCertificate(adapter, chosenAddress)) return undefined;
      const { name, deviceCertificates } = adapter;
      const { certificateAt, CONNECT_TIMEOUT_MS: timeoutMs } = await outbound();
      return certificateAt(new URL(chosenAddress), {
        ...(await agents.wayTo(adapter, gateway)),
        ...{ name, timeoutMs, signal },
        roots: deviceCertificates?.roots,
      });
    },

    /** Vendors to a host of which calls are paused, since they failed again and again; addresses that users chose do not count. */
    paused: (): readonly string[] => [
      ...new Set(clients.values().flatMap(({ vendor, isPaused }) => (isPaused ? [vendor] : []))),
    ],

    close: agents.close,
  };
}

const NOWHERE: Chosen = { chosenAddress: undefined, pinned: undefined };

/** `token` and `authorize` are where the adapter's OAuth says; their paths are in the requests. */
function addressOf({ slug, hosts = {}, oauth }: Adapter, name: string): string {
  const oauthUrl =
    name === 'token' ? oauth?.tokenUrl : name === 'authorize' ? oauth?.authorizeUrl : undefined;
  const address = hosts[name] ?? (oauthUrl === undefined ? undefined : new URL(oauthUrl).origin);
  if (address === undefined) throw new Error(`${slug} has no host "${name}"`);
  return address;
}

/** Where a vendor's sign-in page is; with another base address, the vendor's path below that. */
export function authorizeUrlOf({ oauth }: Adapter, baseUrl: string | undefined): string {
  const own = new URL(oauth?.authorizeUrl ?? '');
  return baseUrl === undefined ? own.href : `${baseUrl}${own.pathname}`;
}
