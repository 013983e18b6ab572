import type { Adapter } from '../adapter/adapter.ts';
import type { Http } from '../adapter/http.ts';
import type { VendorSocket } from '../adapter/stream.ts';
import type { Clock } from '../core/clock.ts';
import type { Random } from '../core/ids.ts';
import type { Log } from '../core/log.ts';
import {
  createAgent,
  createHttp,
  type OutboundAgent,
  type OutboundHttp,
  openSocket,
} from '../outbound/index.ts';

interface VendorHostsOptions {
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

/** A client for each host of each vendor, with a breaker and a bulkhead of its own; made when it is first called. */
export function createVendorHosts(options: VendorHostsOptions) {
  const clients = new Map<string, OutboundHttp>();
  const agents = new Map<string, OutboundAgent>();
  const agentOf = ({ slug }: Adapter): OutboundAgent => {
    const agent = agents.get(slug) ?? createAgent();
    agents.set(slug, agent);
    return agent;
  };
  const baseOf = (adapter: Adapter, host: string): string =>
    options.baseUrlOf(adapter.slug, host) ?? addressOf(adapter, host);
  return {
    /** Opens a WebSocket at a host of a vendor. */
    openSocket(
      adapter: Adapter,
      request: {
        readonly host: string;
        readonly path: string;
        readonly query: Readonly<Record<string, string>>;
        readonly headers: Readonly<Record<string, string>>;
        readonly signal: AbortSignal;
      },
    ): Promise<VendorSocket> {
      const { host, path, query, headers, signal } = request;
      const url = new URL(`${baseOf(adapter, host)}${path}`);
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      const agent = agentOf(adapter);
      return openSocket({ url, headers: { ...headers, 'user-agent': options.userAgent }, signal, agent });
    },

    hostOf(adapter: Adapter, name: string): Http {
      const key = `${adapter.slug}/${name}`;
      const known = clients.get(key);
      if (known !== undefined) return known;
      const agent = agentOf(adapter);
      const client = createHttp({
        name: adapter.name,
        baseUrl: baseOf(adapter, name),
        clock: options.clock,
        random: options.random,
        log: options.log,
        userAgent: options.userAgent,
        timeoutMs: TIMEOUT_MS,
        deadlineMs: DEADLINE_MS,
        attempts: ATTEMPTS,
        mostAtOnce: AT_ONCE,
        agent,
      });
      clients.set(key, client);
      return client;
    },
    async close(): Promise<void> {
      await Promise.all([...agents.values()].map((agent) => agent.close()));
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
