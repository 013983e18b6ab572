import type { Adapter } from '../../adapter/adapter.ts';
import type { Http } from '../../adapter/http.ts';
import type { LoginSession, Partner, Tokens } from '../../adapter/login.ts';
import { type LinkKey, WITHOUT_CALLS } from '../../adapter/session.ts';
import type {
  EventsRequest,
  EventsWatch,
  StreamSession,
  VendorEvent,
  VendorSocket,
} from '../../adapter/stream.ts';
import type { VendorHttp } from '../../adapter/vendor-http.ts';
import { BoundedMap } from '../../core/bounded-map.ts';
import type { Clock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Budgets } from '../budgets/index.ts';
import { refreshGrant } from './refresh-grant.ts';
import { renewTokens } from './renewal.ts';
import type { LinkSignals } from './signals.ts';
import type { TokensOfLinks } from './tokens.ts';
import type { VendorCall } from './vendor-call.ts';
import { asLink, createVendorHttp, type Spend, type Trace, tokenHeaders } from './vendor-http.ts';

/** Who calls, and until when. */
export interface Caller {
  readonly signal: AbortSignal;
  readonly call: VendorCall['call'];
  readonly trace?: Trace;
}

type OfVendor = LinkKey & { readonly vendor: string };

/** Where a stream is to be opened, and until when. */
interface Place {
  /** Which of the adapter's hosts. */
  readonly host: string;
  /** The address that the user chose, which stands for every host. */
  readonly chosenAddress: string | undefined;
  readonly signal: AbortSignal;
}

/** A WebSocket that is to be opened, with the token where the vendor wants it. */
export interface SocketRequest extends Place {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** A stream of server-sent events that is to be opened, with the token in its headers. */
export interface EventsOpening extends Place {
  readonly request: Pick<EventsRequest, 'path' | 'query' | 'headers' | 'lastEventId'>;
  readonly watch: EventsWatch;
}

interface CallsOptions {
  readonly adapters: ReadonlyMap<string, Adapter>;
  /** A host of a vendor, as its adapter or a setting has it. */
  readonly hostOf: (adapter: Adapter, name: string, chosenAddress: string | undefined) => Http;
  /** Opens a WebSocket at a host of a vendor. */
  readonly openSocket?: (adapter: Adapter, request: SocketRequest) => Promise<VendorSocket>;
  /** Opens a stream of server-sent events at a host of a vendor. */
  readonly openEvents?: (adapter: Adapter, opening: EventsOpening) => Promise<AsyncIterable<VendorEvent>>;
  readonly partnerOf: (vendor: string) => Partner | undefined;
  readonly tokens: TokensOfLinks;
  readonly budgets: Budgets;
  readonly signals: LinkSignals;
  readonly clock: Clock;
}

/**
 * A renewal is not given up when the call that began it is: the vendor may have taken the old token back already. It has a time
 * of its own.
 */
const RENEWAL_MS = 60_000;

/** Streams of events of which is remembered how far they have come. */
const MOST_LAST_IDS = 5_000;

/** Gives links their calls to the vendor. */
export function createCalls(options: CallsOptions) {
  const { adapters, hostOf, partnerOf, tokens, budgets, signals, clock } = options;
  const lastEventIds = new BoundedMap<string, string>(MOST_LAST_IDS);

  const adapterOf = (vendor: string): Adapter => {
    const adapter = adapters.get(vendor);
    if (adapter === undefined)
      throw new AppError('vendor.unreachable', `this server no longer offers the vendor ${vendor}`);
    return adapter;
  };

  /** What a call waits for, and what is learnt where the vendor says that calls are too many. */
  function limitsOf(adapter: Adapter, link: LinkKey, isBackground: boolean) {
    return {
      async spend(call: Parameters<Spend>[0]): Promise<void> {
        await budgets.blocks.check({ adapter, host: call.host, link });
        await budgets.spend({ ...call, link, adapter, isBackground });
      },
      limited: (failure: unknown, host: string) => budgets.blocks.learn(failure, { adapter, host, link }),
    };
  }

  /** Calls without a token: for signing in. */
  function loginSession(
    adapter: Adapter,
    { credentials, ...link }: OfVendor & { readonly credentials: JsonObject },
    { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs?: number },
  ): LoginSession {
    const address = adapter.chosenAddress?.(credentials);
    const time = timeoutMs === undefined ? {} : { timeoutMs };
    const http = createVendorHttp({
      adapter,
      host: (name) => hostOf(adapter, name, address),
      tokens: undefined,
      ...limitsOf(adapter, link, false),
      of: { subject: subjectOf(link), isAside: false, ...time },
      signal,
    });
    return { http, clock, partner: partnerOf(adapter.slug) };
  }

  const renewal = (adapter: Adapter, link: OfVendor, credentials: JsonObject) => async (old: Tokens) => {
    const abort = new AbortController();
    const cancel = clock.after(RENEWAL_MS, () => abort.abort());
    const { oauth } = adapter;
    try {
      return await renewTokens(old, {
        adapter,
        session: loginSession(
          adapter,
          { ...link, credentials },
          { signal: abort.signal, timeoutMs: RENEWAL_MS },
        ),
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

  const httpOf = (
    adapter: Adapter,
    {
      link,
      keeper,
      credentials,
    }: {
      link: OfVendor;
      keeper: Parameters<typeof createVendorHttp>[0]['tokens'];
      credentials: JsonObject;
    },
    { signal, call, trace }: Caller,
  ): VendorHttp => {
    const address = adapter.chosenAddress?.(credentials);
    return createVendorHttp({
      adapter,
      host: (name) => hostOf(adapter, name, address),
      tokens: keeper,
      ...limitsOf(adapter, link, call === 'poll'),
      // That a vendor does not take a subscription says nothing of what it does for its users.
      of: { subject: subjectOf(link), isAside: call === 'subscribe' },
      ...(trace === undefined ? {} : { trace }),
      signal,
    });
  };

  const keeperOf = (adapter: Adapter, link: OfVendor, credentials: JsonObject) =>
    adapter.login === undefined && adapter.oauth === undefined
      ? undefined
      : tokens.keeper(link, renewal(adapter, link, credentials));

  return {
    signals,
    loginSession,

    /** The vendor may have taken a good grant for a lost one: it is asked once more. A password that it refused is not sent again. */
    async tryAgain(link: OfVendor): Promise<void> {
      if (adapters.get(link.vendor)?.login?.signIn === undefined) await tokens.tryAgain(link);
    },

    /** What the vendor said in words of its own, that only its adapter knows: calls wait for it as well. */
    async learn(error: unknown, link: OfVendor, { host }: Trace): Promise<void> {
      const adapter = adapters.get(link.vendor);
      if (adapter !== undefined && host !== undefined)
        await budgets.blocks.learn(error, { adapter, host, link });
    },

    /** Calls of a stored link. */
    ofLink(link: OfVendor, credentials: JsonObject, caller: Caller): VendorHttp {
      const adapter = adapterOf(link.vendor);
      if (adapter.hosts === undefined) return WITHOUT_CALLS.http;
      const keeper = keeperOf(adapter, link, credentials);
      return httpOf(adapter, { link, keeper, credentials }, caller);
    },

    /** Connections of a stored link: with its token in the headers, or in the query where the vendor wants it there. */
    socketOf(link: OfVendor, credentials: JsonObject, { signal, trace }: Caller): StreamSession['connect'] {
      const adapter = adapterOf(link.vendor);
      const { openSocket } = options;
      return async ({ host = 'api', path, query = {}, tokenQuery, headers = {} }) => {
        if (openSocket === undefined) throw new Error('no connections can be opened here');
        const keeper = keeperOf(adapter, link, credentials);
        await budgets.blocks.check({ adapter, host, link });
        const carried = await keeper?.current();
        const inQuery =
          tokenQuery === undefined || carried === undefined ? {} : { [tokenQuery]: carried.access };
        const inHeaders =
          tokenQuery !== undefined || carried === undefined ? {} : tokenHeaders(adapter.login, carried);
        if (trace !== undefined) trace.host = host;
        return openSocket(adapter, {
          host,
          path,
          query: { ...query, ...inQuery },
          headers: { ...headers, ...inHeaders },
          chosenAddress: adapter.chosenAddress?.(credentials),
          signal,
        });
      };
    },

    /** Server-sent events of a stored link: with its token, within its budgets, and from where they were left. */
    eventsOf(
      link: OfVendor,
      credentials: JsonObject,
      { signal, trace = { host: undefined, isCommandSent: false } }: Caller,
    ): StreamSession['events'] {
      const adapter = adapterOf(link.vendor);
      const { openEvents } = options;
      return (request, watch = {}) => {
        if (openEvents === undefined) throw new Error('no streams of events can be opened here');
        const of = { adapter, tokens: keeperOf(adapter, link, credentials), trace };
        return asLink({ ...of, ...limitsOf(adapter, link, false) }, request, (rest, { host }) => {
          const place = `${subjectOf(link)} ${host}${rest.path}`;
          const lastEventId = rest.lastEventId ?? lastEventIds.get(place) ?? '';
          return openEvents(adapter, {
            host,
            chosenAddress: adapter.chosenAddress?.(credentials),
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

    /** Calls of a link that is being made, with the tokens of its first sign-in. */
    ofNew(
      made: {
        readonly link: OfVendor;
        readonly credentials: JsonObject;
        readonly tokens: Tokens | undefined;
      },
      caller: Caller,
    ): { readonly http: VendorHttp; tokens(): Tokens | undefined } {
      const adapter = adapterOf(made.link.vendor);
      if (adapter.hosts === undefined) return { http: WITHOUT_CALLS.http, tokens: () => undefined };
      const keeper =
        made.tokens === undefined
          ? undefined
          : tokens.ofNew(made.tokens, renewal(adapter, made.link, made.credentials));
      return {
        http: httpOf(adapter, { link: made.link, keeper, credentials: made.credentials }, caller),
        tokens: () => keeper?.latest(),
      };
    },
  };
}

const subjectOf = ({ account, link }: LinkKey): string => `${account}/${link}`;

export type Calls = ReturnType<typeof createCalls>;
