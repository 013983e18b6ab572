import type { Adapter } from '../../../adapter/adapter.ts';
import { adapterOf } from '../../../adapter/adapters.ts';
import type { Connections } from '../../../adapter/connections.ts';
import { PINNED } from '../../../adapter/connections.ts';
import { vendorFailure } from '../../../adapter/failures.ts';
import type { Connect, LinkHttp } from '../../../adapter/http.ts';
import type { LoginSession, Tokens } from '../../../adapter/login.ts';
import { type LinkKey, type LinkOf, type Session, WITHOUT_CALLS } from '../../../adapter/session.ts';
import type { StreamSession } from '../../../adapter/stream.ts';
import type { Clock } from '../../../core/clock.ts';
import type { JsonObject } from '../../../core/json.ts';
import { ownerOf } from './connections.ts';
import { type Caller, LinkCalls, type LinkCallsOptions, type LoginTime } from './link-calls.ts';
import { refreshGrant, renewTokens } from './refresh-grant.ts';
import type { PlacedLink } from './store-links.ts';
import type { TokensOfLinks } from './tokens.ts';
import type { Trace } from './vendor-http.ts';

interface ClientsOptions extends LinkCallsOptions {
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly tokens: TokensOfLinks;
  readonly clock: Clock;
}

/**
 * A renewal is not given up when the call that began it is: the vendor may have taken the old token back already. It has a time
 * of its own.
 */
const RENEWAL_MS = 60_000;

/** HTTP clients and connections of links: within the vendor's limits, and with the link's token. */
export function createClients(options: ClientsOptions) {
  const { adapters, reach, tokens, budgets, clock } = options;
  const calls = new LinkCalls(options);

  /** Calls without a token: for signing in. */
  function loginSession(link: PlacedLink, credentials: JsonObject, time: LoginTime): LoginSession {
    const adapter = adapterOf(adapters, link.vendor);
    const http = calls.loginHttp({ adapter, link, credentials }, time);
    return { http, clock, partner: reach.partnerOf(adapter.slug) };
  }

  const renewal = (adapter: Adapter, link: PlacedLink, credentials: JsonObject) => async (old: Tokens) => {
    const abort = new AbortController();
    const cancel = clock.after(RENEWAL_MS, () => abort.abort());
    const { oauth } = adapter;
    try {
      return await renewTokens(old, {
        adapter,
        session: loginSession(link, credentials, { signal: abort.signal, timeoutMs: RENEWAL_MS }),
        credentials,
        refreshGrant:
          oauth === undefined
            ? undefined
            : (session, from) =>
                refreshGrant({ slug: adapter.slug, name: adapter.name, oauth }, session, from),
      });
    } finally {
      cancel();
    }
  };

  function accessTo(link: PlacedLink, credentials: JsonObject) {
    const adapter = adapterOf(adapters, link.vendor);
    const isSignedIn = adapter.login !== undefined || adapter.oauth !== undefined;
    const keeper = isSignedIn ? tokens.keeper(link, renewal(adapter, link, credentials)) : undefined;
    return { adapter, link, credentials, keeper };
  }

  return {
    loginSession,

    /**
     * What the platform keeps besides the credentials of a link that is being made: the certificate of the device, where it has one of its
     * own. Nothing was sent to it before.
     */
    async pinnedFor(link: PlacedLink, given: JsonObject, { signal }: Caller): Promise<JsonObject> {
      const adapter = adapterOf(adapters, link.vendor);
      const { deviceCertificates } = adapter;
      if (deviceCertificates === undefined) return {};
      const target = deviceCertificates.at?.(given);
      const chosenAddress = adapter.chosenAddress?.(given);
      const gateway = link.gateway ?? undefined;
      const shown = async () => {
        if (target !== undefined)
          return reach.connections?.certificateAt(ownerOf(adapter, link), target, signal);
        if (chosenAddress !== undefined)
          return reach.certificateAt?.(adapter, { chosenAddress, gateway, signal });
        return undefined;
      };
      const pinned = await shown().catch((error: unknown) => {
        throw vendorFailure(adapter.name, error);
      });
      return pinned === undefined ? {} : { [PINNED]: pinned };
    },

    /** Ends what is open to devices and brokers of a link. */
    close: (link: LinkKey): void => reach.connections?.closeLink(link),

    /** The vendor may have taken a good grant for a lost one: it is asked once more. A password that it refused is not sent again. */
    async tryAgain(link: LinkOf): Promise<void> {
      if (adapters.get(link.vendor)?.login?.signIn === undefined) await tokens.tryAgain(link);
    },

    /** What the vendor said in words of its own, that only its adapter knows: calls wait for it as well. */
    async learn(error: unknown, link: LinkOf, { host }: Trace): Promise<void> {
      const adapter = adapters.get(link.vendor);
      if (adapter !== undefined && host !== undefined)
        await budgets.blocks.learn(error, { adapter, host, link });
    },

    /** Calls of a stored link. */
    ofLink: (link: PlacedLink, credentials: JsonObject, caller: Caller): LinkHttp =>
      calls.http(accessTo(link, credentials), caller),

    /** WebSockets of a stored link. */
    socketsOf: (link: PlacedLink, credentials: JsonObject, caller: Caller): Connect =>
      calls.connect(accessTo(link, credentials), caller),

    /** Server-sent events of a stored link: with its token, within its budgets, and from where they were left. */
    eventsOf: (link: PlacedLink, credentials: JsonObject, caller: Caller): StreamSession['events'] =>
      calls.events(accessTo(link, credentials), caller),

    /** Connections of a link, stored or being made, to its devices and brokers. */
    connectionsOf(link: PlacedLink, credentials: JsonObject, caller: Caller): Connections {
      return calls.connections({ adapter: adapterOf(adapters, link.vendor), link, credentials }, caller);
    },

    /** Calls of a link that is being made, with the tokens of its first sign-in. */
    ofNew(
      made: {
        readonly link: PlacedLink;
        readonly credentials: JsonObject;
        readonly tokens: Tokens | undefined;
      },
      caller: Caller,
    ): Pick<Session, 'http' | 'connect'> & { tokens(): Tokens | undefined } {
      const { link, credentials } = made;
      const adapter = adapterOf(adapters, link.vendor);
      const { http, connect } = WITHOUT_CALLS;
      if (adapter.hosts === undefined) return { http, connect, tokens: () => undefined };
      const keeper =
        made.tokens === undefined
          ? undefined
          : tokens.ofNew(made.tokens, renewal(adapter, link, credentials));
      const access = { adapter, link, credentials, keeper };
      return {
        http: calls.http(access, caller),
        connect: calls.connect(access, caller),
        tokens: () => keeper?.latest(),
      };
    },
  };
}

export type Clients = ReturnType<typeof createClients>;
