import type { Adapter } from '../../../adapter/adapter.ts';
import type { CallUse } from '../../../adapter/budget.ts';
import { FreshTokenRefused } from '../../../adapter/failures.ts';
import type { LinkHttp, SocketRequest, VendorRequest } from '../../../adapter/http.ts';
import { type Http, type HttpAnswer, HttpFailure, type HttpRequest } from '../../../adapter/http.ts';
import type { Login, Partner, Tokens } from '../../../adapter/login.ts';
import { claimsIn } from '../../../adapter/tokens.ts';

/** The tokens of one link. */
export interface TokenKeeper {
  /** A token that is good for a while yet; throws `vendor.login_expired` when there is none and can be none. */
  current(): Promise<Tokens>;
  /** The vendor refused these: renews them, unless that has been done since. */
  renewed(refused: Tokens): Promise<Tokens>;
}

/** Takes what a call costs of the vendor's limits; throws `vendor.rate_limited` when it is not there. */
export type Spend = (call: {
  readonly host: string;
  readonly use: CallUse;
  readonly device: string | undefined;
  readonly site: string | undefined;
  readonly costs: Readonly<Record<string, number>> | undefined;
}) => Promise<void> | void;

/** What the calls of one caller have come to. */
export interface Trace {
  /** The host that was asked last; undefined where none was, or the tokens are being renewed. */
  host: string | undefined;
  isCommandSent: boolean;
  /** The vendor has said yes to a command, or to the first of several that make one. */
  isCommandTaken: boolean;
  /** The status of the last HTTP response; undefined where there was none. */
  status: number | undefined;
}

export const newTrace = (): Trace => ({
  host: undefined,
  isCommandSent: false,
  isCommandTaken: false,
  status: undefined,
});

interface VendorHttpOptions {
  readonly adapter: Pick<Adapter, 'slug' | 'name' | 'login' | 'apiKeyHeader'>;
  /** One of the adapter's hosts, for a call of this use. */
  readonly host: (name: string, use: CallUse) => Http;
  /** Undefined for calls that carry no token. */
  readonly tokens: TokenKeeper | undefined;
  /** Whose API key calls with a token carry, for vendors that require one. */
  readonly partner?: Partner | undefined;
  readonly spend: Spend;
  /** Whom the calls are for, whether what comes of them says something of the vendor, and their time. */
  readonly of?: Pick<HttpRequest, 'subject' | 'isAside' | 'timeoutMs'>;
  /** The vendor responded to the call with an error, other than that calls are too many. */
  readonly failed?: Spend;
  /** The vendor says that calls to the host are too many. */
  readonly limited?: (failure: HttpFailure, host: string) => Promise<void>;
  readonly trace?: Trace;
  /** Fires when the platform's time for this work is over. */
  readonly signal: AbortSignal;
}

/** Calls as one link: within the budgets, with a token that is renewed once when the vendor refuses it. */
export function createVendorHttp(options: VendorHttpOptions): LinkHttp {
  const { host, of = {}, signal, trace = newTrace() } = options;
  return {
    send: (request) =>
      asLink({ ...options, trace }, request, (rest, { host: name, use }) => {
        trace.isCommandSent ||= use === 'command';
        const sent = host(name, use)
          .send({ signal, ...of, ...rest })
          .then((answer) => {
            trace.status = answer.status;
            trace.isCommandTaken ||= use === 'command' && answer.status < 300;
            return answer;
          });
        return use === 'command' ? commanded(sent) : sent;
      }),
    tokenClaims: async () =>
      options.tokens === undefined ? undefined : claimsIn((await options.tokens.current()).access),
    tokenExtra: async () => (await options.tokens?.current())?.extra,
  };
}

type AsLink = Pick<VendorHttpOptions, 'adapter' | 'tokens' | 'partner' | 'spend' | 'failed' | 'limited'> & {
  readonly trace: Trace;
};

/** What the vendor's limits have to know of a request, and where its token goes. */
type Limited = Pick<
  VendorRequest,
  'host' | 'use' | 'device' | 'site' | 'costs' | 'method' | 'path' | 'headers' | 'query'
> &
  Pick<SocketRequest, 'tokenQuery'>;

/**
 * Makes one request of a link: within the budgets, with its token in the headers or where `tokenQuery` says, and once more with a new one
 * where it is refused.
 */
export async function asLink<R extends Limited, A>(
  { adapter, tokens, partner, spend, failed, limited, trace }: AsLink,
  request: R,
  make: (
    rest: Omit<R, 'host' | 'use' | 'device' | 'site' | 'costs' | 'tokenQuery'> & {
      readonly headers: Record<string, string>;
    },
    of: { readonly host: string; readonly use: CallUse },
  ) => Promise<A>,
): Promise<A> {
  const { host = 'api', use = 'read', device, site, costs, tokenQuery, ...rest } = request;
  const makeWith = async (carried: Tokens | undefined): Promise<A> => {
    const call = { host, use, device, site, costs };
    await spend(call);
    trace.host = host;
    const of = { method: request.method ?? 'GET', path: request.path };
    const isInQuery = tokenQuery !== undefined && carried !== undefined;
    const headers = {
      ...rest.headers,
      ...(carried === undefined || isInQuery ? {} : tokenHeaders(adapter.login, carried, of)),
      ...(carried === undefined ? {} : keyHeaders(adapter, partner)),
    };
    const inQuery = carried === undefined || isInQuery ? undefined : adapter.login?.query?.(carried);
    const added = isInQuery ? { [tokenQuery]: carried.access } : inQuery;
    const query = added === undefined ? {} : { query: { ...rest.query, ...added } };
    return make({ ...rest, ...query, headers }, { host, use }).catch(async (error: unknown) => {
      if (!(error instanceof HttpFailure)) throw error;
      trace.status = error.status;
      if (error.kind === 'rate_limited') await limited?.(error, host);
      else if ((error.status ?? 0) >= 400) await failed?.(call);
      throw error;
    });
  };
  if (tokens === undefined) return makeWith(undefined);
  const carried = await tokens.current();
  try {
    return await makeWith(carried);
  } catch (error) {
    if (!isTokenRefused(adapter.login, error)) throw error;
  }
  trace.host = undefined;
  const fresh = await tokens.renewed(carried);
  try {
    return await makeWith(fresh);
  } catch (error) {
    if (!isTokenRefused(adapter.login, error)) throw error;
    // The sign-in itself went well, so the user can do nothing: this is an incident at the vendor.
    throw new FreshTokenRefused(adapter.name, error);
  }
}

/** The response to a command; where the vendor may have accepted it without a response that we can read, the failure says so. */
async function commanded(sent: Promise<HttpAnswer>): Promise<HttpAnswer> {
  try {
    const answer = await sent;
    return {
      ...answer,
      text: () => read(() => answer.text()),
      json: () => read(() => answer.json()),
    };
  } catch (error) {
    throw openEnded(error);
  }
}

function read<T>(body: () => T): T {
  try {
    return body();
  } catch (error) {
    throw openEnded(error);
  }
}

const openEnded = (error: unknown): unknown =>
  error instanceof HttpFailure && error.leavesOutcomeOpen() ? error.with({ isOutcomeUnknown: true }) : error;

function tokenHeaders(
  login: Login | undefined,
  tokens: Tokens,
  of: { readonly method: string; readonly path: string },
): Readonly<Record<string, string>> {
  const usual = login?.query === undefined ? { authorization: `Bearer ${tokens.access}` } : {};
  return login?.headers?.(tokens, of) ?? usual;
}

/** The operator's API key, where the vendor requires one in calls with a user's token. */
function keyHeaders(
  { apiKeyHeader }: Pick<Adapter, 'apiKeyHeader'>,
  partner: Partner | undefined,
): Readonly<Record<string, string>> {
  const apiKey = partner?.apiKey;
  return apiKeyHeader === undefined || apiKey === undefined ? {} : { [apiKeyHeader]: apiKey };
}

function isTokenRefused(login: Login | undefined, error: unknown): boolean {
  if (!(error instanceof HttpFailure) || error.status === undefined) return false;
  const { status } = error;
  return login?.isTokenRefused?.({ status, body: error.bodyText() }) ?? status === 401;
}
