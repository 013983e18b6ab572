import type { Adapter } from '../adapter/adapter.ts';
import type { PinnedCertificate } from '../adapter/certificate.ts';
import type { Http } from '../adapter/http.ts';
import type { CertificatePlace, Chosen, EventsOpening, SocketOpening } from '../adapter/reach.ts';
import type { VendorSocket } from '../adapter/socket.ts';
import type { VendorEvent } from '../adapter/stream.ts';
import { BoundedMap } from '../core/bounded-map.ts';
import type { Clock } from '../core/clock.ts';
import { AppError } from '../core/errors.ts';
import type { Random } from '../core/ids.ts';
import type { LocalNetworks } from '../core/local-networks.ts';
import type { Log } from '../core/log.ts';
import type { OutboundAgent } from './agent.ts';
import type { OutboundHttp } from './client.ts';
import type { Dialer, GatewayTunnels } from './connections/index.ts';

interface VendorHostsOptions {
  /** Another address for a host of a vendor: a setting's, or its built-in simulator's. */
  readonly baseUrlOf: (vendor: string, host: string) => string | undefined;
  /** Networks of users into which addresses that users choose may lead. */
  readonly localNetworks: LocalNetworks;
  /** Absent where none connect. */
  readonly gateways?: GatewayTunnels;
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
const MOST_CHOSEN = 5_000;

/** The client of one host. */
interface VendorClient extends Http {
  readonly vendor: string;
  readonly isPaused: boolean;
}

/** A client for each host of each vendor, with a breaker and a bulkhead of its own; made when it is first called. */
export function createVendorHosts(options: VendorHostsOptions) {
  const clients = new Map<string, VendorClient>();
  const agents = new Map<string, Promise<OutboundAgent>>();
  /** Clients of addresses that users chose: each is slow or broken by itself. */
  const chosen = new BoundedMap<string, VendorClient>(MOST_CHOSEN);

  /** Connections to devices with certificates of their own: those of one are not shared with others. */
  const pinnedAgents = new BoundedMap<string, Promise<OutboundAgent>>(MOST_CHOSEN);

  // A process that calls no vendor does without the client.
  const outbound = () => import('./index.ts');
  const guardOfUsers = async () => (await outbound()).permittedAddresses(options.localNetworks);

  /** Connections through gateways, which judge the addresses; kept for each gateway and vendor. */
  const gatewayAgents = new BoundedMap<string, Promise<OutboundAgent>>(MOST_CHOSEN);

  /** Undefined where connections lead there directly. */
  async function dialerOf({ name }: Adapter, gateway: string | undefined): Promise<Dialer | undefined> {
    if (gateway === undefined) return undefined;
    const { gateways } = options;
    if (gateways === undefined) throw new Error('no gateways connect here');
    const { gatewayDialer } = await outbound();
    return gatewayDialer({ gateways, gateway, name });
  }

  function gatewayAgentOf(adapter: Adapter, gateway: string): Promise<OutboundAgent> {
    const key = `${adapter.slug} ${gateway}`;
    const make = async () => {
      const { createAgent, connectorThrough, CONNECT_TIMEOUT_MS: timeoutMs } = await outbound();
      const dialer = await dialerOf(adapter, gateway);
      return createAgent(undefined, dialer && connectorThrough(dialer, timeoutMs));
    };
    const made = gatewayAgents.get(key) ?? make();
    gatewayAgents.set(key, made);
    return made;
  }

  /** Connections of a vendor; those to addresses that users chose are kept apart, and guarded. */
  function agentOf(adapter: Adapter, chosen: Chosen): Promise<OutboundAgent> {
    const { chosenAddress, gateway } = chosen;
    if (chosenAddress !== undefined && hasOwnCertificate(adapter, chosenAddress))
      return pinnedAgentOf(adapter, { ...chosen, chosenAddress });
    if (gateway !== undefined) return gatewayAgentOf(adapter, gateway);
    const isChosen = chosenAddress !== undefined;
    const key = isChosen ? `${adapter.slug} of users` : adapter.slug;
    const known = agents.get(key);
    if (known !== undefined) return known;
    const made = outbound().then(async ({ createAgent }) =>
      createAgent(isChosen ? await guardOfUsers() : undefined),
    );
    agents.set(key, made);
    return made;
  }

  async function pinnedAgentOf(
    adapter: Adapter,
    { chosenAddress, pinned, gateway }: Chosen & { readonly chosenAddress: string },
  ): Promise<OutboundAgent> {
    const { name, slug, deviceCertificates } = adapter;
    if (pinned === undefined)
      throw new AppError(
        'vendor.unreachable',
        `no certificate of ${name} is kept with the link; link it again`,
      );
    const key = `${slug} ${chosenAddress} ${keyOf(pinned)} ${gateway}`;
    const made =
      pinnedAgents.get(key) ??
      outbound().then(async ({ createAgent, pinnedConnector, CONNECT_TIMEOUT_MS: timeoutMs }) => {
        // The gateway judges addresses in its network.
        const guard = gateway === undefined ? await guardOfUsers() : undefined;
        const dialer = await dialerOf(adapter, gateway);
        return createAgent(
          guard,
          pinnedConnector(pinned, { name, roots: deviceCertificates?.roots, guard, timeoutMs, dialer }),
        );
      });
    pinnedAgents.set(key, made);
    return made;
  }

  const clientOf = (adapter: Adapter, baseUrl: string, place: Chosen): VendorClient => {
    let made: OutboundHttp | undefined;
    const make = async (): Promise<Http> => {
      const { createHttp } = await outbound();
      made = createHttp({
        name: adapter.name,
        baseUrl,
        clock: options.clock,
        random: options.random,
        log: options.log,
        userAgent: options.userAgent,
        timeoutMs: TIMEOUT_MS,
        deadlineMs: DEADLINE_MS,
        attempts: ATTEMPTS,
        mostAtOnce: AT_ONCE,
        agent: await agentOf(adapter, place),
      });
      return made;
    };
    let client: Promise<Http> | undefined;
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
  };

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
      const agent = await agentOf(adapter, request);
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
        agent: await agentOf(adapter, opening),
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
      const guard = gateway === undefined ? await guardOfUsers() : undefined;
      const dialer = await dialerOf(adapter, gateway);
      return certificateAt(new URL(chosenAddress), {
        ...{ name, guard, timeoutMs, signal, dialer },
        roots: deviceCertificates?.roots,
      });
    },

    /** Vendors to a host of which calls are paused, since they failed again and again; addresses that users chose do not count. */
    paused: (): readonly string[] => [
      ...new Set(clients.values().flatMap(({ vendor, isPaused }) => (isPaused ? [vendor] : []))),
    ],

    async close(): Promise<void> {
      const all = [...agents.values(), ...pinnedAgents.values(), ...gatewayAgents.values()];
      await Promise.all(all.map(async (agent) => (await agent).close()));
    },
  };
}

const NOWHERE: Chosen = { chosenAddress: undefined, pinned: undefined };

const keyOf = (pinned: PinnedCertificate | undefined): string => `${pinned?.sha256} ${pinned?.name}`;

const hasOwnCertificate = ({ deviceCertificates }: Adapter, chosenAddress: string): boolean =>
  deviceCertificates !== undefined && new URL(chosenAddress).protocol === 'https:';

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
