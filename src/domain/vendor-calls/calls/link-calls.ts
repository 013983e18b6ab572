import type { Adapter } from '../../../adapter/adapter.ts';
import type { Connections } from '../../../adapter/connections.ts';
import { pinnedIn } from '../../../adapter/connections.ts';
import type { Connect, LinkHttp } from '../../../adapter/http.ts';
import type { ApplicationCertificate, Chosen, Reach } from '../../../adapter/reach.ts';
import { type LinkKey, WITHOUT_CALLS } from '../../../adapter/session.ts';
import type { StreamSession } from '../../../adapter/stream.ts';
import { BoundedMap } from '../../../core/bounded-map.ts';
import type { JsonObject } from '../../../core/json.ts';
import { linkName } from '../../../db/rows.ts';
import type { Budgets } from '../budgets/index.ts';
import { connectionsOf } from './connections.ts';
import type { PlacedLink } from './store-links.ts';
import type { CallName } from './time-limit.ts';
import { asLink, createVendorHttp, type Spend, type TokenKeeper, type Trace } from './vendor-http.ts';

/** Who calls, and until when. */
export interface Caller {
  readonly signal: AbortSignal;
  readonly call: CallName;
  readonly trace: Trace;
}

/** What limits are asked for; a sign-in may be of any call. */
interface Limited {
  readonly call: CallName | 'login';
}

/** How long a sign-in may take. */
export interface LoginTime {
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

/** What calls of a link are made with. */
interface Access {
  readonly adapter: Adapter;
  readonly link: PlacedLink;
  readonly credentials: JsonObject;
  /** Undefined for vendors without tokens. */
  readonly keeper: TokenKeeper | undefined;
}

export interface LinkCallsOptions {
  readonly reach: Reach;
  readonly budgets: Budgets;
  /** What an account proves itself with to OPC UA servers. */
  readonly applicationOf: (account: number) => Promise<ApplicationCertificate>;
}

/** Streams of events of which is remembered how far they have come. */
const MOST_LAST_IDS = 5_000;

/** Whether nobody waits for the call: what is reserved for callers is not spent on it. */
const isBackground = (call: CallName): boolean => call === 'poll' || call === 'list';

/** A command waits for a limit that has room again by then: most limits that a few calls use up are of some seconds. */
const COMMAND_WAIT_MS = 10_000;
/** So does another call that somebody waits for. A shorter time: it can be asked again. */
const CALL_WAIT_MS = 3_000;

function patienceOf(call: CallName | 'login'): number {
  if (call === 'command') return COMMAND_WAIT_MS;
  return call !== 'login' && isBackground(call) ? 0 : CALL_WAIT_MS;
}

const chosenIn = (adapter: Adapter, { gateway }: PlacedLink, credentials: JsonObject): Chosen => ({
  chosenAddress: adapter.chosenAddress?.(credentials),
  pinned: pinnedIn(credentials),
  gateway: gateway ?? undefined,
});

/** Calls of links over each protocol: within the vendor's limits, and with the link's token. */
export class LinkCalls {
  readonly #reach: Reach;
  readonly #budgets: Budgets;
  readonly #applicationOf: LinkCallsOptions['applicationOf'];
  readonly #lastEventIds = new BoundedMap<string, string>(MOST_LAST_IDS);

  constructor({ reach, budgets, applicationOf }: LinkCallsOptions) {
    this.#reach = reach;
    this.#budgets = budgets;
    this.#applicationOf = applicationOf;
  }

  /** What a call waits for, and what is learnt where the vendor says that calls are too many. */
  #limitsOf(adapter: Adapter, link: LinkKey, { call: name, signal }: Pick<Caller, 'signal'> & Limited) {
    const budgets = this.#budgets;
    const of = {
      ...{ link, adapter },
      isBackground: name !== 'login' && isBackground(name),
      // A command may be what signs in.
      isOfCommand: name === 'command' || name === 'login',
    };
    const patience = { waitMs: patienceOf(name), signal };
    return {
      spend: (call: Parameters<Spend>[0]) => budgets.spendInTurn({ ...call, ...of }, patience),
      failed: (call: Parameters<Spend>[0]) => budgets.failed({ ...call, ...of }),
      limited: (failure: unknown, host: string) => budgets.blocks.learn(failure, { adapter, host, link }),
    };
  }

  /** Calls without a token: for signing in. */
  loginHttp(
    { adapter, link, credentials }: Omit<Access, 'keeper'>,
    { signal, ...time }: LoginTime,
  ): LinkHttp {
    const chosen = chosenIn(adapter, link, credentials);
    return createVendorHttp({
      adapter,
      host: (name) => this.#reach.hostOf(adapter, name, chosen),
      tokens: undefined,
      ...this.#limitsOf(adapter, link, { call: 'login', signal }),
      of: { subject: linkName(link), isAside: false, ...time },
      signal,
    });
  }

  /** HTTP calls; there are none to vendors without hosts. */
  http({ adapter, link, credentials, keeper }: Access, { signal, call, trace }: Caller): LinkHttp {
    if (adapter.hosts === undefined) return WITHOUT_CALLS.http;
    const chosen = chosenIn(adapter, link, credentials);
    return createVendorHttp({
      adapter,
      host: (name) => this.#reach.hostOf(adapter, name, chosen),
      tokens: keeper,
      partner: this.#reach.partnerOf(adapter.slug),
      ...this.#limitsOf(adapter, link, { call, signal }),
      // That a vendor does not take a subscription says nothing of what it does for its users.
      of: { subject: linkName(link), isAside: call === 'subscribe' },
      trace,
      signal,
    });
  }

  /** WebSockets. */
  connect({ adapter, link, credentials, keeper }: Access, { signal, call, trace }: Caller): Connect {
    const { openSocket, partnerOf } = this.#reach;
    return (request) => {
      if (adapter.hosts === undefined) return WITHOUT_CALLS.connect(request);
      if (openSocket === undefined) throw new Error('no connections can be opened here');
      const of = { adapter, tokens: keeper, partner: partnerOf(adapter.slug), trace };
      const limits = this.#limitsOf(adapter, link, { call, signal });
      return asLink(
        { ...of, ...limits },
        request,
        ({ path, query = {}, headers, protocol }, { host, use }) => {
          trace.isCommandSent ||= use === 'command';
          const chosen = chosenIn(adapter, link, credentials);
          return openSocket(adapter, { host, path, query, headers, protocol, ...chosen, signal });
        },
      );
    };
  }

  /** Server-sent events, from where they were left. */
  events(
    { adapter, link, credentials, keeper }: Access,
    { signal, call, trace }: Caller,
  ): StreamSession['events'] {
    const { openEvents, partnerOf } = this.#reach;
    const lastEventIds = this.#lastEventIds;
    return (request, watch = {}) => {
      if (openEvents === undefined) throw new Error('no streams of events can be opened here');
      const of = { adapter, tokens: keeper, partner: partnerOf(adapter.slug), trace };
      return asLink(
        { ...of, ...this.#limitsOf(adapter, link, { call, signal }) },
        request,
        (rest, { host }) => {
          const place = `${linkName(link)} ${host}${rest.path}`;
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
        },
      );
    };
  }

  /** Connections to devices and brokers. */
  connections(
    { adapter, link, credentials }: Omit<Access, 'keeper'>,
    { signal, call, trace }: Caller,
  ): Connections {
    const { spend } = this.#limitsOf(adapter, link, { call, signal });
    return connectionsOf({
      ...{ adapter, link, spend, trace, signal },
      pinned: pinnedIn(credentials),
      kept: this.#reach.connections,
      applicationOf: () => this.#applicationOf(link.account),
    });
  }
}
