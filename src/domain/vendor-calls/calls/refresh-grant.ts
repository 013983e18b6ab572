import type { Adapter } from '../../../adapter/adapter.ts';
import { HttpFailure } from '../../../adapter/http.ts';
import type { LoginSession, OAuth, Tokens } from '../../../adapter/login.ts';
import { clientFields, tokensIn } from '../../../adapter/tokens.ts';
import { AppError } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';

/** Answers that mean that the user must sign in again: RFC 6749 §5.2, and what vendors say besides. */
const LOST = ['invalid_grant'];

/** What the vendor says of a client that it does not know or does not let do this (RFC 6749 §5.2). */
const NOT_OUR_CLIENT = ['invalid_client', 'unauthorized_client'];

interface OfVendor {
  readonly slug: string;
  readonly name: string;
}

/**
 * The refresh grant of RFC 6749 §6. Throws `vendor.login_expired` when the vendor says that the grant is lost, and
 * `oauth.not_configured` when it says that the client is not ours.
 */
export async function refreshGrant(
  { slug, name, oauth }: OfVendor & { readonly oauth: OAuth },
  { http, clock, partner }: LoginSession,
  tokens: Tokens,
): Promise<Tokens> {
  const client = clientFields(oauth, partner);
  try {
    const answer = await http.send({
      method: 'POST',
      host: 'token',
      path: new URL(oauth.tokenUrl).pathname,
      use: 'login',
      form: { grant_type: 'refresh_token', refresh_token: tokens.refresh ?? '', ...client.form },
      headers: client.headers,
    });
    return tokensIn(name, answer.json(), { now: clock.now(), before: tokens });
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    if (!isLost(error, oauth)) throw clientRefused({ slug, name }, error) ?? error;
    throw new AppError('vendor.login_expired', `the sign-in at ${name} has expired; link the account again`, {
      cause: error,
    });
  }
}

/** The error for a vendor that does not take our client id and secret: neither signing in again nor waiting would help. */
export function clientRefused({ slug, name }: OfVendor, failure: HttpFailure): AppError | undefined {
  if (failure.kind !== 'refused' || !says(failure, NOT_OUR_CLIENT)) return undefined;
  const prefix = `ELNAV_${slug.toUpperCase()}`;
  return new AppError(
    'oauth.not_configured',
    `${name} rejected the client id and secret of this server; the operator must check ${prefix}_CLIENT_ID and ${prefix}_CLIENT_SECRET`,
    { cause: failure },
  );
}

function isLost(failure: HttpFailure, { lostLoginErrors = [] }: OAuth): boolean {
  if (failure.status === undefined || failure.status >= 500 || failure.status === 429) return false;
  return says(failure, [...LOST, ...lostLoginErrors]);
}

const says = (failure: HttpFailure, words: readonly string[]): boolean =>
  words.includes(errorIn(failure.bodyText()) ?? '');

/** The word for the error in a response of RFC 6749 §5.2; a description may name others. */
function errorIn(body: string): string | undefined {
  try {
    const told: unknown = JSON.parse(body);
    const error = typeof told === 'object' && told !== null && 'error' in told ? told.error : undefined;
    return typeof error === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}

/** The refresh grant of an OAuth vendor; given by who speaks OAuth. */
type RefreshGrant = (session: LoginSession, tokens: Tokens) => Promise<Tokens>;

interface RenewalOptions {
  readonly adapter: Pick<Adapter, 'name' | 'login' | 'oauth'>;
  readonly session: LoginSession;
  readonly credentials: JsonObject;
  readonly refreshGrant: RefreshGrant | undefined;
}

/**
 * From old tokens to new ones: refreshed, or where that is lost and the password is kept, signed in again. Throws
 * `vendor.login_expired` only when the user alone can help.
 */
export async function renewTokens(tokens: Tokens, options: RenewalOptions): Promise<Tokens> {
  const { adapter, session, credentials, refreshGrant } = options;
  const { login } = adapter;
  const refresh =
    login?.refresh === undefined
      ? refreshGrant === undefined
        ? undefined
        : () => refreshGrant(session, tokens)
      : () => login.refresh?.(session, tokens, credentials);
  try {
    const renewed = tokens.refresh === null ? undefined : await refresh?.();
    if (renewed !== undefined) return renewed;
  } catch (error) {
    const isLost = error instanceof AppError && error.code === 'vendor.login_expired';
    if (!isLost || login?.signIn === undefined) throw error;
  }
  if (login?.signIn === undefined) throw lost(`the sign-in at ${adapter.name} has expired`);
  try {
    return await login.signIn(session, credentials, tokens);
  } catch (error) {
    const isRefused = error instanceof AppError && error.code === 'link.credentials_refused';
    if (!isRefused) throw error;
    // They were good when the account was linked: the user has changed them, or the vendor has closed the account.
    throw lost(`${adapter.name} no longer accepts the sign-in that the account was linked with`, error);
  }
}

const lost = (sentence: string, cause?: unknown): AppError =>
  new AppError('vendor.login_expired', `${sentence}; link the account again`, { cause });
