import { AppError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import type { Tokens } from './login.ts';
import { wordsIn } from './token-claims.ts';

/** A vendor that states no lifetime is asked for a new token after this. */
const UNSTATED_SECONDS = 3_600;
const MOST_SECONDS = 10 * 365 * 86_400;
/** RFC 6749 appendix A.12; nothing else can be sent in a header. */
const ACCESS_TOKEN = /^[\x20-\x7e]+$/;

/** Where a response has its tokens: RFC 6749 §5.1. */
const STANDARD = { access: 'access_token', refresh: 'refresh_token', seconds: 'expires_in' };

interface Reading {
  /** ms since 1970. */
  readonly now: number;
  readonly before: Tokens | undefined;
  /** Where the vendor has its tokens, if elsewhere. */
  readonly names?: typeof STANDARD;
}

/** Reads a token response; one without a refresh token keeps the old one. */
export function tokensIn(name: string, response: Json, { now, before, names = STANDARD }: Reading): Tokens {
  const fields =
    typeof response === 'object' && response !== null && !Array.isArray(response) ? response : {};
  const [access_token, refresh_token, expires_in] = [names.access, names.refresh, names.seconds].map(
    (one) => fields[one],
  );
  if (typeof access_token !== 'string' || !ACCESS_TOKEN.test(access_token))
    throw new AppError('vendor.answer_invalid', `the token response of ${name} was not understood`);
  const stated = Number(expires_in ?? UNSTATED_SECONDS);
  const seconds = stated > 0 ? Math.min(stated, MOST_SECONDS) : UNSTATED_SECONDS;
  const scopes = wordsIn(fields.scope) ?? before?.scopes;
  return {
    access: access_token,
    refresh: typeof refresh_token === 'string' ? refresh_token : (before?.refresh ?? null),
    expiresAt: now + Math.ceil(seconds * 1000),
    ...(scopes === undefined ? {} : { scopes }),
    ...(before?.extra === undefined ? {} : { extra: before.extra }),
  };
}
