import type { Adapter } from '../../adapter/adapter.ts';
import type { CallUse } from '../../adapter/budget.ts';
import { type Http, HttpFailure } from '../../adapter/http.ts';
import type { Login, Tokens } from '../../adapter/login.ts';
import type { VendorHttp, VendorRequest } from '../../adapter/vendor-http.ts';
import { AppError } from '../../core/errors.ts';

/** The tokens of one link. */
export interface TokenKeeper {
  /** A token that is good for a while yet; throws `vendor.login_expired` when there is none and can be none. */
  current(): Promise<Tokens>;
  /** The vendor refused these: renews them, unless that has been done since. */
  renewed(refused: Tokens): Promise<Tokens>;
}

/** Takes what a call costs of the vendor's limits; throws `vendor.rate_limited` when it is not there. */
export type Spend = (call: {
  readonly use: CallUse;
  readonly device: string | undefined;
  readonly costs: Readonly<Record<string, number>> | undefined;
}) => Promise<void> | void;

interface VendorHttpOptions {
  readonly adapter: Pick<Adapter, 'slug' | 'name' | 'login'>;
  /** One of the adapter's hosts, for a call of this use. */
  readonly host: (name: string, use: CallUse) => Http;
  /** Undefined for calls that carry no token. */
  readonly tokens: TokenKeeper | undefined;
  readonly spend: Spend;
  /** Fires when the platform's time for this work is over. */
  readonly signal: AbortSignal;
}

/** Calls as one link: within the budgets, with a token that is renewed once when the vendor refuses it. */
export function createVendorHttp({ adapter, host, tokens, spend, signal }: VendorHttpOptions): VendorHttp {
  const sendWith = async (request: VendorRequest, carried: Tokens | undefined) => {
    const { host: name = 'api', use = 'read', device, costs, ...rest } = request;
    await spend({ use, device, costs });
    return host(name, use).send({
      signal,
      ...rest,
      headers: { ...rest.headers, ...(carried === undefined ? {} : tokenHeaders(adapter.login, carried)) },
    });
  };
  return {
    async send(request) {
      if (tokens === undefined) return sendWith(request, undefined);
      const carried = await tokens.current();
      try {
        return await sendWith(request, carried);
      } catch (error) {
        if (!isTokenRefused(adapter.login, error)) throw error;
      }
      const fresh = await tokens.renewed(carried);
      try {
        return await sendWith(request, fresh);
      } catch (error) {
        if (!isTokenRefused(adapter.login, error)) throw error;
        // The sign-in itself went well, so the user can do nothing: this is an incident at the vendor.
        throw new AppError(
          'vendor.unreachable',
          `${adapter.name} refuses a token that it has just issued; it is tried again`,
          { cause: error },
        );
      }
    },
  };
}

export function tokenHeaders(login: Login | undefined, tokens: Tokens): Readonly<Record<string, string>> {
  return login?.headers?.(tokens) ?? { authorization: `Bearer ${tokens.access}` };
}

function isTokenRefused(login: Login | undefined, error: unknown): boolean {
  if (!(error instanceof HttpFailure) || error.status === undefined) return false;
  const { status } = error;
  return login?.isTokenRefused?.({ status, body: error.bodyText() }) ?? status === 401;
}
