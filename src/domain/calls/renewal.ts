import type { Adapter } from '../../adapter/adapter.ts';
import type { LoginSession, Tokens } from '../../adapter/login.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';

/** The refresh grant of an OAuth vendor; given by who speaks OAuth. */
export type RefreshGrant = (session: LoginSession, tokens: Tokens) => Promise<Tokens>;

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
