import type { SimulatedAnswer, SimulatedRequest, SimulatorOptions } from '../adapter/simulator.ts';
import { randomBase62 } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { Refusal } from './faults.ts';
import { createSimulatedOAuth } from './oauth.ts';
import { bodyOf } from './routes.ts';

/** One password for all users of all simulators: it protects nothing. */
export const PASSWORD = 'simulated';

/** Who a call comes from. */
interface Caller {
  readonly user: string;
  readonly scopes: readonly string[];
}

/** How the users of a simulated vendor sign in. */
export interface SimulatedSignIn {
  /** The sign-in page, which no fault breaks. */
  page(request: SimulatedRequest): SimulatedAnswer | undefined;
  /** The token endpoint; undefined for a request that is none of its. `isLost`: nobody can sign in or renew any more. */
  token(request: SimulatedRequest, isLost: boolean): SimulatedAnswer | undefined;
  callerOf(request: SimulatedRequest): Caller | undefined;
  expireTokens(): void;
  /** No token is good any more; signing in again is. */
  revoke(): void;
  credentialsOf(user: string): JsonObject;
}

export interface SignInContext extends SimulatorOptions {
  readonly vendor: string;
  readonly users: readonly string[];
  readonly refusal: Refusal;
}

export type MakeSignIn = (context: SignInContext) => SimulatedSignIn;

const bearerOf = ({ headers }: SimulatedRequest): string =>
  /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';

interface OAuthOptions {
  readonly authorizePath: string;
  readonly tokenPath: string;
  readonly accessSeconds: number;
  /** Whether a refresh token is good once; true unless it is said. */
  readonly isRotating?: boolean;
  /** A refresh is taken without the client's secret. */
  readonly refreshesWithoutSecret?: boolean;
  readonly issuer?: string;
  /** What the vendor adds to a token response. */
  readonly extra?: (user: string, scopes: readonly string[]) => JsonObject;
}

/** Users sign in on a page (RFC 6749, 7636). */
export function byOAuth({ authorizePath, tokenPath, isRotating = true, ...rest }: OAuthOptions): MakeSignIn {
  return ({ clock, random, partner, vendor, users }) => {
    const oauth = createSimulatedOAuth({
      clock,
      random,
      partner,
      vendor,
      users: new Map(users.map((user) => [user, PASSWORD])),
      isRotating,
      ...rest,
    });
    return {
      page: (request) => (request.path === authorizePath ? oauth.authorize(request) : undefined),
      token(request, isLost) {
        if (request.path !== tokenPath) return undefined;
        return isLost ? { status: 400, json: { error: 'invalid_grant' } } : oauth.token(request);
      },
      callerOf: (request) => oauth.userOf(bearerOf(request)),
      expireTokens: () => oauth.expireAll(),
      revoke() {
        for (const user of users) oauth.revoke(user);
      },
      credentialsOf: () => ({}),
    };
  };
}

interface PasswordOptions {
  /** `POST` with user name and password. */
  readonly path: string;
  readonly accessSeconds: number;
  /** Where the body has them; `username` and `password` unless it is said. */
  readonly fields?: { readonly user: string; readonly password: string };
  /** What wrong credentials get; the vendor's refusal with 401 unless it is said. */
  readonly wrong?: SimulatedAnswer;
  /** The token response; that of RFC 6749 unless it is said. */
  readonly answer?: (tokens: { readonly access: string; readonly seconds: number }) => JsonObject;
}

/** Users sign in with user name and password; the token ends by itself. */
export function byPassword({ path, accessSeconds, fields, wrong, answer }: PasswordOptions): MakeSignIn {
  const { user: userField, password: passwordField } = fields ?? { user: 'username', password: 'password' };
  return ({ clock, random, users, refusal }) => {
    const issued = new Map<string, { readonly user: string; readonly endsAt: number }>();
    return {
      page: () => undefined,
      token(request, isLost) {
        if (request.method !== 'POST' || request.path !== path) return undefined;
        const { [userField]: user, [passwordField]: password } = bodyOf(request);
        if (isLost || typeof user !== 'string' || !users.includes(user) || password !== PASSWORD)
          return wrong ?? refusal(401, 'wrong user name or password');
        const access = randomBase62(random, 32);
        issued.set(access, { user, endsAt: clock.now() + accessSeconds * 1_000 });
        return {
          status: 200,
          json: answer?.({ access, seconds: accessSeconds }) ?? {
            access_token: access,
            expires_in: accessSeconds,
          },
        };
      },
      callerOf(request) {
        const known = issued.get(bearerOf(request));
        return known !== undefined && known.endsAt > clock.now()
          ? { user: known.user, scopes: [] }
          : undefined;
      },
      expireTokens: () => issued.clear(),
      revoke: () => issued.clear(),
      credentialsOf: (user) => ({ username: user, password: PASSWORD }),
    };
  };
}

/** Each call carries the user's key, which never ends. */
export function byKey({
  keyOf,
}: {
  readonly keyOf: (request: SimulatedRequest) => string | undefined;
}): MakeSignIn {
  return ({ users }) => {
    let isRevoked = false;
    return {
      page: () => undefined,
      token: () => undefined,
      callerOf(request) {
        const user = /^simulated-key-of-(.+)$/.exec(keyOf(request) ?? '')?.[1];
        return user !== undefined && users.includes(user) && !isRevoked ? { user, scopes: [] } : undefined;
      },
      expireTokens: () => {},
      revoke() {
        isRevoked = true;
      },
      credentialsOf: (user) => ({ api_key: `simulated-key-of-${user}` }),
    };
  };
}
