import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Adapter } from '../adapter.ts';
import { vendorFailure } from '../failures.ts';
import type { VendorRequest } from '../http.ts';
import { HttpFailure } from '../http.ts';
import { LinkCode, type Login, type LoginSession, type OAuth, type Tokens } from '../login.ts';
import type { TranslateFailure } from './calls.ts';
import { credentialsOf, type Fields, secret, text } from './credentials.ts';

/*
 * How a vendor is linked, as one part of its declaration: the schema of the credentials, the words that ask for them and the handling
 * of tokens come together, so that none of them is forgotten or left behind by a change of the others.
 */

export type Linking = Required<Pick<Adapter, 'credentials' | 'words' | 'login'>>;

/** The user signs in at the vendor (RFC 6749); the platform exchanges the code and renews the tokens. */
export function oauth2(
  options: Omit<OAuth, 'pkce' | 'clientAuthentication'> &
    Partial<Pick<OAuth, 'pkce' | 'clientAuthentication'>> &
    Pick<Login, 'isTokenRefused' | 'scopesIn' | 'headers'>,
): Required<Pick<Adapter, 'credentials' | 'oauth'>> & Pick<Adapter, 'login'> {
  const { isTokenRefused, scopesIn, headers, ...oauth } = options;
  const login = {
    ...(headers === undefined ? {} : { headers }),
    ...(isTokenRefused === undefined ? {} : { isTokenRefused }),
    ...(scopesIn === undefined ? {} : { scopesIn }),
  };
  return {
    credentials: LinkCode,
    oauth: { pkce: true, clientAuthentication: 'body', ...oauth },
    ...(Object.keys(login).length === 0 ? {} : { login }),
  };
}

export interface SignInOptions {
  /** The vendor's name, for sentences. */
  readonly vendor: string;
  /** Statuses that say that the credentials are wrong; 401 alone unless it is said. */
  readonly refusedWith?: readonly number[];
  /** The same, where a status does not tell. */
  readonly isRefused?: (failure: HttpFailure) => boolean;
  /** The vendor's own words for other failures, as for its other calls. */
  readonly failure?: TranslateFailure;
}

interface PasswordOptions<More extends string> extends SignInOptions, Omit<Login, 'signIn' | 'needsPartner'> {
  /** What the user name is; it is the field `username` in each case. */
  readonly user: keyof typeof USER_WORDS;
  /** Fields besides `username` and `password`. */
  readonly fields?: Readonly<Record<More, Fields[string]>>;
  /** Statuses of a refresh that say that the sign-in has ended, and that the account must be linked again; 401 alone unless it is said. */
  readonly refreshLostWith?: readonly number[];
  /** Sends the credentials and reads the tokens; its failures are translated here. */
  readonly signIn: (
    session: LoginSession,
    credentials: Readonly<Record<'username' | 'password' | More, string>>,
  ) => Promise<Tokens>;
}

/** The user gives a user name and a password, which are exchanged for tokens. */
export function password<More extends string = never>(options: PasswordOptions<More>): Linking {
  const { vendor, user, fields = {}, signIn, refresh, headers, isTokenRefused } = options;
  const words = USER_WORDS[user];
  const all: Fields = {
    username: text({
      en: { label: words.en(vendor) },
      sv: { label: words.sv(vendor) },
    }),
    password: secret({
      en: { label: `Password for ${vendor}` },
      sv: { label: `Lösenord till ${vendor}` },
    }),
    ...fields,
  };
  return {
    ...credentialsOf(all),
    login: {
      signIn: guarded(options, 'user name or password', (session, credentials) =>
        signIn(session, credentials as Readonly<Record<'username' | 'password' | More, string>>),
      ),
      ...(refresh === undefined ? {} : { refresh: refreshed(options, refresh) }),
      ...(headers === undefined ? {} : { headers }),
      ...(isTokenRefused === undefined ? {} : { isTokenRefused }),
    },
  };
}

type Refresh = NonNullable<Login['refresh']>;

/** Wraps a refresh so that only what says so is a lost login. */
function refreshed(
  {
    vendor,
    refreshLostWith = [401],
    failure,
  }: Pick<PasswordOptions<never>, 'refreshLostWith' | keyof SignInOptions>,
  refresh: Refresh,
): Refresh {
  return async (...call) => {
    try {
      return await refresh(...call);
    } catch (cause) {
      const isLost = cause instanceof HttpFailure && refreshLostWith.includes(cause.status ?? 0);
      if (!isLost) throw failure?.(cause, 'the sign-in') ?? vendorFailure(vendor, cause);
      const sentence = `the sign-in at ${vendor} has expired; link the account again`;
      throw new AppError('vendor.login_expired', sentence, { cause });
    }
  };
}

const USER_WORDS = {
  email: {
    en: (vendor: string) => `Email address for ${vendor}`,
    sv: (vendor: string) => `E-postadress hos ${vendor}`,
  },
  'user name': {
    en: (vendor: string) => `User name for ${vendor}`,
    sv: (vendor: string) => `Användarnamn hos ${vendor}`,
  },
} as const;

/** A key never expires: the last second of the year 9999, ms since 1970. */
export const NEVER = 253_402_300_799_000;

/** How a call carries the key: in headers, or in the query where the vendor takes it nowhere else. */
type KeyPlace = Readonly<
  | { headers: (key: string) => Readonly<Record<string, string>> }
  | { query: (key: string) => Readonly<Record<string, string>> }
>;

type ApiKeyOptions = KeyPlace & ApiKeyCheck;

interface ApiKeyCheck extends SignInOptions {
  /** Fields besides `api_key`: what the key is to be used for, say. They are not part of the check. */
  readonly fields?: Fields;
  /** Any cheap call with a JSON response: it shows whether the key is right. */
  readonly check: VendorRequest;
  /** Where the user finds the key. */
  readonly hint?: { readonly en: string; readonly sv: string };
}

/** The user gives a key that the vendor made for them; it is tried once, and sent with each call. */
export function apiKey(options: ApiKeyOptions): Linking {
  const { vendor, fields = {}, check, hint } = options;
  const field = secret({
    en: { label: `API key for ${vendor}`, ...(hint === undefined ? {} : { hint: hint.en }) },
    sv: { label: `API-nyckel till ${vendor}`, ...(hint === undefined ? {} : { hint: hint.sv }) },
  });
  return {
    ...credentialsOf({ api_key: field, ...fields }),
    login: {
      signIn: guarded(options, 'API key', async ({ http }, { api_key }) => {
        // Copied keys come with spaces and line breaks around them.
        const key = String(api_key).trim();
        const carried =
          'query' in options
            ? { query: { ...check.query, ...options.query(key) } }
            : { headers: { ...check.headers, ...options.headers(key) } };
        const response = await http.send({ use: 'login', ...check, ...carried });
        // A page instead of an answer says nothing of the key.
        response.json();
        return { access: key, refresh: null, expiresAt: NEVER };
      }),
      ...('query' in options
        ? { query: ({ access }) => options.query(access) }
        : { headers: ({ access }) => options.headers(access) }),
    },
  };
}

/** Wraps a sign-in so that only what says so is a wrong credential. An outage or a quota must not cost the user the link. */
export function guarded(
  { vendor, refusedWith = [401], isRefused, failure }: SignInOptions,
  what: string,
  signIn: (session: LoginSession, credentials: JsonObject) => Promise<Tokens>,
): NonNullable<Login['signIn']> {
  const refuses =
    isRefused ?? (({ status }: HttpFailure) => status !== undefined && refusedWith.includes(status));
  return async (session, credentials) => {
    try {
      return await signIn(session, credentials);
    } catch (cause) {
      if (cause instanceof HttpFailure && refuses(cause))
        throw new AppError('link.credentials_refused', `the ${vendor} ${what} is wrong`, { cause });
      throw failure?.(cause, 'the sign-in') ?? vendorFailure(vendor, cause);
    }
  };
}
