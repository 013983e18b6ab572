import type { Adapter } from '../../adapter/adapter.ts';
import { adapterOf } from '../../adapter/adapters.ts';
import { PINNED, pinnedIn } from '../../adapter/certificate.ts';
import type { Connections } from '../../adapter/connections.ts';
import type { LoginSession, Tokens } from '../../adapter/login.ts';
import type { ApplicationCertificate, Chosen, Reach } from '../../adapter/reach.ts';
import { type LinkKey, type LinkOf, type Session, WITHOUT_CALLS } from '../../adapter/session.ts';
import type { Connect } from '../../adapter/socket.ts';
import type { StreamSession } from '../../adapter/stream.ts';
import { vendorFailure } from '../../adapter/vendor-failure.ts';
import type { LinkHttp } from '../../adapter/vendor-http.ts';
import { BoundedMap } from '../../core/bounded-map.ts';
import type { Clock } from '../../core/clock.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Budgets } from '../budgets/index.ts';
import { connectionsOf, ownerOf } from './connections.ts';
import { refreshGrant } from './refresh-grant.ts';
import { renewTokens } from './renewal.ts';
import type { LinkRow } from './store-links.ts';
import type { CallName } from './time-limit.ts';
import type { TokensOfLinks } from './tokens.ts';
import { asLink, createVendorHttp, type Spend, type TokenKeeper, type Trace } from './vendor-http.ts';

/** Who calls, and until when. */
export interface Caller {
  readonly signal: AbortSignal;
  readonly call: CallName;
  readonly trace: Trace;
}

/** A link, and the gateway that its devices are reached through. */
export interface PlacedLink extends LinkOf {
  readonly gateway?: LinkRow['gateway'];
}

interface ClientsOptions {
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly reach: Reach;
  readonly tokens: TokensOfLinks;
  readonly budgets: Budgets;
  /** What an account proves itself with to OPC UA servers. */
  readonly applicationOf: (account: number) => Promise<ApplicationCertificate>;
  readonly clock: Clock;
}

/**
 * A renewal is not given up when the call that began it is: the vendor may have taken the old token back already. It has a time
 * of its own.
 */
const RENEWAL_MS = 60_000;

/** Streams of events of which is remembered how far they have come. */
const MOST_LAST_IDS = 5_000;

/** Whether nobody waits for the call: what is reserved for callers is not spent on it. */
const isBackground = (call: CallName): boolean => call === 'poll' || call === 'list';

/** HTTP clients and connections of links: within the vendor's limits, and with the link's token. */
export function createClients(options: ClientsOptions) {
  const { adapters, reach, tokens, budgets, applicationOf, clock } = options;
  const { hostOf, openSocket, openEvents, partnerOf } = reach;
  const lastEventIds = new BoundedMap<string, string>(MOST_LAST_IDS);

  /** What a call waits for, and what is learnt where the vendor says that calls are too many. */
  function limitsOf(adapter: Adapter, link: LinkKey, inBackground: boolean) {
    return {
      async spend(call: Parameters<Spend>[0]): Promise<void> {
        await budgets.blocks.check({ adapter, host: call.host, link });
        await budgets.spend({ ...call, link, adapter, isBackground: inBackground });
      },
      failed: (call: Parameters<Spend>[0]) =>
        budgets.failed({ ...call, link, adapter, isBackground: inBackground }),
      limited: (failure: unknown, host: string) => budgets.blocks.learn(failure, { adapter, host, link }),
    };
  }

  /** Calls without a token: for signing in. */
  function loginSession(
    link: PlacedLink,
    credentials: JsonObject,
    { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs?: number },
  ): LoginSession {
    const adapter = adapterOf(adapters, link.vendor);
    const chosen = chosenIn(adapter, link, credentials);
    const time = timeoutMs === undefined ? {} : { timeoutMs };
    const http = createVendorHttp({
      adapter,
      host: (name) => hostOf(adapter, name, chosen),
      tokens: undefined,
      ...limitsOf(adapter, link, false),
      of: { subject: subjectOf(link), isAside: false, ...time },
      signal,
    });
    return { http, clock, partner: partnerOf(adapter.slug) };
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

  interface Access {
    readonly adapter: Adapter;
    readonly link: PlacedLink;
    readonly credentials: JsonObject;
    /** Undefined for vendors without tokens. */
    readonly keeper: TokenKeeper | undefined;
  }

  function httpOf({ adapter, link, credentials, keeper }: Access, { signal, call, trace }: Caller): LinkHttp {
    const chosen = chosenIn(adapter, link, credentials);
    return createVendorHttp({
      adapter,
      host: (name) => hostOf(adapter, name, chosen),
      tokens: keeper,
      partner: partnerOf(adapter.slug),
      ...limitsOf(adapter, link, isBackground(call)),
      // That a vendor does not take a subscription says nothing of what it does for its users.
      of: { subject: subjectOf(link), isAside: call === 'subscribe' },
      trace,
      signal,
    });
  }

  function connectOf(
    { adapter, link, credentials, keeper }: Access,
    { signal, call, trace }: Caller,
  ): Connect {
    return (request) => {
      if (adapter.hosts === undefined) return WITHOUT_CALLS.connect(request);
      if (openSocket === undefined) throw new Error('no connections can be opened here');
      const partner = partnerOf(adapter.slug);
      const of = { adapter, tokens: keeper, partner, trace, ...limitsOf(adapter, link, isBackground(call)) };
      return asLink(of, request, ({ path, query = {}, headers, protocol }, { host, use }) => {
        trace.isCommandSent ||= use === 'command';
        const chosen = chosenIn(adapter, link, credentials);
        return openSocket(adapter, { host, path, query, headers, protocol, ...chosen, signal });
      });
    };
  }

  function keeperOf(adapter: Adapter, link: PlacedLink, credentials: JsonObject): TokenKeeper | undefined {
    if (adapter.login === undefined && adapter.oauth === undefined) return undefined;
    return tokens.keeper(link, renewal(adapter, link, credentials));
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
    ofLink(link: PlacedLink, credentials: JsonObject, caller: Caller): LinkHttp {
      const adapter = adapterOf(adapters, link.vendor);
      if (adapter.hosts === undefined) return WITHOUT_CALLS.http;
      const keeper = keeperOf(adapter, link, credentials);
      return httpOf({ adapter, link, credentials, keeper }, caller);
    },

    /** WebSockets of a stored link. */
    socketsOf(link: PlacedLink, credentials: JsonObject, caller: Caller): Connect {
      const adapter = adapterOf(adapters, link.vendor);
      return connectOf({ adapter, link, credentials, keeper: keeperOf(adapter, link, credentials) }, caller);
    },

    /** Server-sent events of a stored link: with its token, within its budgets, and from where they were left. */
    eventsOf(link: PlacedLink, credentials: JsonObject, { signal, trace }: Caller): StreamSession['events'] {
      const adapter = adapterOf(adapters, link.vendor);
      return (request, watch = {}) => {
        if (openEvents === undefined) throw new Error('no streams of events can be opened here');
        const partner = partnerOf(adapter.slug);
        const of = { adapter, tokens: keeperOf(adapter, link, credentials), partner, trace };
        return asLink({ ...of, ...limitsOf(adapter, link, false) }, request, (rest, { host }) => {
          const place = `${subjectOf(link)} ${host}${rest.path}`;
          const lastEventId = rest.lastEventId ?? lastEventIds.get(place) ?? '';
          return openEvents(adapter, {
            host,
            ...chosenIn(adapter, link, credentials),
            request: { ...rest, lastEventId },
            signal,
            watch: {
              ...watch,
              taken(id) {
                lastEventIds.set(place, id);
                watch.taken?.(id);
              },
            },
          });
        });
      };
    },

    /** Connections of a link, stored or being made, to its devices and brokers. */
    connectionsOf(link: PlacedLink, credentials: JsonObject, { signal, call, trace }: Caller): Connections {
      const adapter = adapterOf(adapters, link.vendor);
      const { spend } = limitsOf(adapter, link, isBackground(call));
      return connectionsOf({
        ...{ adapter, link, spend, trace, signal },
        pinned: pinnedIn(credentials),
        kept: reach.connections,
        applicationOf: () => applicationOf(link.account),
      });
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
        http: httpOf(access, caller),
        connect: connectOf(access, caller),
        tokens: () => keeper?.latest(),
      };
    },
  };
}

const chosenIn = (adapter: Adapter, { gateway }: PlacedLink, credentials: JsonObject): Chosen => ({
  chosenAddress: adapter.chosenAddress?.(credentials),
  pinned: pinnedIn(credentials),
  gateway: gateway ?? undefined,
});

const subjectOf = ({ account, link }: LinkKey): string => `${account}/${link}`;

export type Clients = ReturnType<typeof createClients>;
