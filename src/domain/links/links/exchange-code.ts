import type { Adapter } from '../../../adapter/adapter.ts';
import type { DeviceType } from '../../../adapter/device.ts';
import { vendorFailure } from '../../../adapter/failures.ts';
import { HttpFailure } from '../../../adapter/http.ts';
import type { LoginSession, OAuth, Tokens } from '../../../adapter/login.ts';
import { clientFields, scopesOf, tokensIn } from '../../../adapter/tokens.ts';
import type { Clock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import { clientRefused } from '../../vendor-calls/calls/index.ts';

export type OAuthAdapter = Adapter & { readonly oauth: OAuth };

export interface ExchangeOptions {
  readonly loginSession: (adapter: Adapter, signal: AbortSignal) => LoginSession;
  readonly publicUrl: () => string;
  readonly clock: Clock;
}

/** What the browser came back with, and what its sign-in was begun with. */
interface CameBack {
  /** Empty at vendors that send none. */
  readonly code: string;
  readonly query: URLSearchParams;
  readonly verifier: string;
  readonly deviceTypes: readonly DeviceType[] | undefined;
}

interface Code {
  readonly code: string;
  readonly verifier: string;
  /** The scopes that were asked for. */
  readonly asked: readonly string[];
}

/** Where a vendor sends the browser back to. */
export const redirectUriOf = (publicUrl: string, vendor: string): string =>
  `${publicUrl}/oauth/${vendor}/callback`;

/** The tokens of a user who has signed in at the vendor. */
export async function tokensFor(
  adapter: OAuthAdapter,
  { code, query, verifier, deviceTypes }: CameBack,
  options: ExchangeOptions,
): Promise<Tokens> {
  const { withoutCode, extra } = adapter.oauth;
  const session = options.loginSession(adapter, new AbortController().signal);
  if (withoutCode !== undefined)
    return asVendorFailure(adapter, () => withoutCode.signIn(session, { query, reference: verifier }));
  const asked = scopesOf(adapter, deviceTypes);
  const tokens = await exchanged(adapter, { code, verifier, asked }, options);
  if (extra === undefined) return tokens;
  return { ...tokens, extra: await asVendorFailure(adapter, () => extra(session, tokens)) };
}

async function exchanged(adapter: OAuthAdapter, given: Code, options: ExchangeOptions): Promise<Tokens> {
  try {
    return await exchange(adapter, given, options);
  } catch (error) {
    if (error instanceof HttpFailure && error.kind === 'refused')
      throw (
        clientRefused(adapter, error) ??
        new AppError('oauth.denied', `${adapter.name} rejected its own code; start again`, {
          cause: error,
        })
      );
    throw vendorFailure(adapter.name, error);
  }
}

async function exchange(
  adapter: OAuthAdapter,
  { code, verifier, asked }: Code,
  { loginSession, publicUrl, clock }: ExchangeOptions,
): Promise<Tokens> {
  const { oauth } = adapter;
  const abort = new AbortController();
  const { http, partner } = loginSession(adapter, abort.signal);
  const client = clientFields(oauth, partner);
  const answer = await http.send({
    method: 'POST',
    host: 'token',
    path: new URL(oauth.tokenUrl).pathname,
    use: 'login',
    form: {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUriOf(publicUrl(), adapter.slug),
      ...(oauth.pkce ? { code_verifier: verifier } : {}),
      ...client.form,
      ...oauth.tokenParameters,
    },
    headers: client.headers,
  });
  const tokens = tokensIn(adapter.name, answer.json(), { now: clock.now(), before: undefined });
  // RFC 6749 §5.1: a vendor that does not say what was granted has granted what was asked for.
  return { ...tokens, scopes: tokens.scopes ?? asked };
}

async function asVendorFailure<T>({ name }: Adapter, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw vendorFailure(name, error);
  }
}
