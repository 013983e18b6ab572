import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { vendorFailure } from '../failures.ts';
import { HttpFailure } from '../http.ts';
import type { LoginSession, OAuth, Partner, Tokens } from '../login.ts';
import { clientFields, tokensIn } from '../tokens.ts';
import { credentialsOf, type Fields, secret, text } from './credentials.ts';
import { guarded, type Linking } from './linking.ts';
import { jsonIn, objectIn } from './values.ts';

/* A token for a client, and for no user (RFC 6749 §4.4). */

interface TokenEndpoint {
  /** Below the host that `tokenHost` names. */
  readonly tokenPath: string;
  readonly tokenHost?: string;
  readonly scope?: string;
  /** What the vendor wants besides: an audience, say. */
  readonly tokenParameters?: Readonly<Record<string, string>>;
  /** How the client authenticates; `body` unless it is said. */
  readonly clientAuthentication?: OAuth['clientAuthentication'];
  /** The tokens that have ended: what they have besides is kept. */
  readonly before?: Tokens | undefined;
}

interface ClientCredentialsOptions extends Omit<TokenEndpoint, 'scope' | 'before'> {
  /** The vendor's name, for sentences. */
  readonly vendor: string;
  /**
   * Whose client id and secret they are; the operator's unless it is said. Where an id of the user's says nothing of what is theirs, as the
   * number of a building, only a client of the user's own proves that they may use it: `client_id` and `client_secret` are asked for.
   */
  readonly client?: 'operator' | 'user';
  /** What the user gives: the id of their site, say. Words of the vendor's for `client_id` and `client_secret` replace the usual ones. */
  readonly fields: Fields;
  /** What is asked for, which may depend on what the user gave. */
  readonly scope?: string | ((credentials: JsonObject) => string);
}

/** A client id and its secret are exchanged for a token; the user says what is theirs. */
export function clientCredentials(options: ClientCredentialsOptions): Linking {
  const { vendor, client = 'operator', fields, scope, ...rest } = options;
  const endpointFor = (credentials: JsonObject): TokenEndpoint => {
    const wanted = typeof scope === 'function' ? scope(credentials) : scope;
    return { ...rest, ...(wanted === undefined ? {} : { scope: wanted }) };
  };
  if (client === 'operator')
    return {
      ...credentialsOf(fields),
      login: {
        needsPartner: true,
        signIn: (session, credentials) => partnerTokens(vendor, session, endpointFor(credentials)),
      },
    };
  return {
    ...credentialsOf({ ...clientWords(vendor), ...fields }),
    login: {
      signIn: guarded(
        { vendor, isRefused: (failure) => failure.status === 401 || errorIn(failure) === 'invalid_client' },
        'client id or secret',
        (session, credentials) => usersTokens(vendor, { session, credentials }, endpointFor(credentials)),
      ),
    },
  };
}

const clientWords = (vendor: string): Fields => ({
  client_id: text({
    en: { label: `Client ID for ${vendor}` },
    sv: { label: `Klient-id hos ${vendor}` },
  }),
  client_secret: secret({
    en: { label: `Client secret for ${vendor}` },
    sv: { label: `Klienthemlighet hos ${vendor}` },
  }),
});

/** Tokens of the operator's own client, for no user. */
export async function partnerTokens(
  vendor: string,
  session: LoginSession,
  endpoint: TokenEndpoint,
): Promise<Tokens> {
  try {
    return await clientTokens(vendor, { session, client: session.partner }, endpoint);
  } catch (cause) {
    // The client id and secret are the operator's: a user's link must not end because of them.
    throw vendorFailure(vendor, cause);
  }
}

interface OfUser {
  readonly session: LoginSession;
  readonly credentials: JsonObject;
}

/** Tokens of a client of the user's, who alone can change what it may ask for. */
async function usersTokens(
  vendor: string,
  { session, credentials }: OfUser,
  endpoint: TokenEndpoint,
): Promise<Tokens> {
  const [clientId, clientSecret] = [credentials.client_id, credentials.client_secret].map((one) =>
    String(one).trim(),
  );
  const client = { clientId: clientId ?? '', clientSecret: clientSecret ?? '' };
  try {
    return await clientTokens(vendor, { session, client }, endpoint);
  } catch (cause) {
    if (!(cause instanceof HttpFailure) || errorIn(cause) !== 'invalid_scope') throw cause;
    const sentence = `${vendor} does not grant this client what is needed: ${endpoint.scope}`;
    throw new AppError('link.credentials_refused', sentence, { cause });
  }
}

async function clientTokens(
  vendor: string,
  {
    session: { http, clock },
    client,
  }: { readonly session: LoginSession; readonly client: Partner | undefined },
  endpoint: TokenEndpoint,
): Promise<Tokens> {
  const { tokenPath, tokenHost, scope, tokenParameters, clientAuthentication = 'body', before } = endpoint;
  const { form, headers } = clientFields({ clientAuthentication }, client);
  const response = await http.send({
    method: 'POST',
    path: tokenPath,
    ...(tokenHost === undefined ? {} : { host: tokenHost }),
    use: 'login',
    headers,
    form: {
      grant_type: 'client_credentials',
      ...form,
      ...(scope === undefined ? {} : { scope }),
      ...tokenParameters,
    },
  });
  return tokensIn(vendor, response.json(), { now: clock.now(), before });
}

/** The `error` of a token endpoint's refusal (RFC 6749 §5.2). */
const errorIn = (failure: HttpFailure): unknown => objectIn(jsonIn(failure.bodyText())).error;
