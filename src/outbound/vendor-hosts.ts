import type { Adapter } from '../adapter/adapter.ts';
import type { Http } from '../adapter/http.ts';
import type { EventsOpening, SocketOpening } from '../adapter/reach.ts';
import type { VendorSocket } from '../adapter/socket.ts';
import type { VendorEvent } from '../adapter/stream.ts';
import { BoundedMap } from '../core/bounded-map.ts';
import type { Clock } from '../core/clock.ts';
import type { Random } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import type { OutboundAgent } from './agent.ts';

interface VendorHostsOptions {
  /** Another address for a host of a vendor: a setting's, or its built-in simulator's. */
  readonly baseUrlOf: (vendor: string, host: string) => string | undefined;
  /** Whether addresses that users choose may lead to devices anywhere, not only to public addresses over https. */
  readonly arePrivateAddressesAllowed: boolean;
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

/** A client for each host of each vendor, with a breaker and a bulkhead of its own; made when it is first called. */
export function createVendorHosts(options: VendorHostsOptions) {
  const clients = new Map<string, Http>();
  const agents = new Map<string, Promise<OutboundAgent>>();
  /** Clients of addresses that users chose: each is slow or broken by itself. */
  const chosen = new BoundedMap<string, Http>(MOST_CHOSEN);

  /** Connections of a vendor; those to addresses that users chose are kept apart, and guarded. */
  function agentOf(vendor: string, isChosen: boolean): Promise<OutboundAgent> {
    const key = isChosen ? `${vendor} of users` : vendor;
    const known = agents.get(key);
    if (known !== undefined) return known;
    // A process that calls no vendor does without the client.
    const made = import('./index.ts').then(({ createAgent, deviceAddresses, publicAddresses }) => {
      const guardOfUsers = options.arePrivateAddressesAllowed ? deviceAddresses : publicAddresses;
      return createAgent(isChosen ? guardOfUsers() : undefined);
    });
    agents.set(key, made);
    return made;
  }

  const clientOf = (adapter: Adapter, baseUrl: string, isChosen: boolean): Http => {
    const make = async (): Promise<Http> => {
      const { createHttp } = await import('./index.ts');
      return createHttp({
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
        agent: await agentOf(adapter.slug, isChosen),
      });
    };
    let client: Promise<Http> | undefined;
    return {
      async send(request) {
        client ??= make();
        return (await client).send(request);
      },
    };
  };

  const baseOf = (adapter: Adapter, host: string): string =>
    options.baseUrlOf(adapter.slug, host) ?? addressOf(adapter, host);

  const placeOf = (
    adapter: Adapter,
    { host, chosenAddress }: Pick<SocketOpening, 'host' | 'chosenAddress'>,
  ) => (chosenAddress ?? baseOf(adapter, host)).replace(/\/$/, '');

  return {
    /** Opens a WebSocket at a host of a vendor. */
    async openSocket(adapter: Adapter, request: SocketOpening): Promise<VendorSocket> {
      const { path, query, headers, protocol, signal } = request;
      const url = new URL(`${placeOf(adapter, request)}${path}`);
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      const { openSocket } = await import('./index.ts');
      const agent = await agentOf(adapter.slug, request.chosenAddress !== undefined);
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
    async openEvents(adapter: Adapter, opening: EventsOpening): Promise<AsyncIterable<VendorEvent>> {
      const { request, signal, watch } = opening;
      const { openEvents } = await import('./index.ts');
      return openEvents({
        request,
        name: adapter.name,
        baseUrl: placeOf(adapter, opening),
        userAgent: options.userAgent,
        signal,
        agent: await agentOf(adapter.slug, opening.chosenAddress !== undefined),
        now: options.clock.now,
        watch,
      });
    },

    /** Where a host of a vendor is called: at the address that the user chose, else a setting's, else the adapter's. */
    hostOf(adapter: Adapter, name: string, chosenAddress?: string): Http {
      if (chosenAddress !== undefined) {
        const key = `${adapter.slug} ${chosenAddress}`;
        const client = chosen.get(key) ?? clientOf(adapter, chosenAddress, true);
        chosen.set(key, client);
        return client;
      }
      const key = `${adapter.slug}/${name}`;
      const known = clients.get(key);
      if (known !== undefined) return known;
      const client = clientOf(adapter, baseOf(adapter, name), false);
      clients.set(key, client);
      return client;
    },
    async close(): Promise<void> {
      await Promise.all([...agents.values()].map(async (agent) => (await agent).close()));
    },
  };
}

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
