import { digestOf } from '../../adapter/kit/digest.ts';
import type { SimulatedAnswer, SimulatedRequest, SimulatorOptions } from '../../adapter/simulator.ts';
import { type Random, randomBase62 } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Refusal } from './faults.ts';
import { createSimulatedOAuth } from './oauth.ts';
import { bodyOf } from './routes.ts';

/** The one of sign-in pages: it protects nothing. */
export const PASSWORD = 'simulated';

/** Who a call comes from. */
interface Caller {
  readonly user: string;
  readonly scopes: readonly string[];
}

/** How the users of a simulated vendor sign in. */
interface SimulatedSignIn {
  /** The sign-in page, which no fault breaks. */
  page(request: SimulatedRequest): SimulatedAnswer | undefined;
  /** The token endpoint; undefined for a request that is none of its. `isLost`: nobody can sign in or renew any more. */
  token(request: SimulatedRequest, isLost: boolean): SimulatedAnswer | undefined;
  callerOf(request: SimulatedRequest): Caller | undefined;
  expireTokens(): void;
  /** No token is good any more; signing in again is. */
  revoke(): void;
  credentialsOf(user: string): JsonObject;
  /** The one of all users. */
  readonly password: string;
}

interface SignInContext extends SimulatorOptions {
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
  /** What the vendor's tokens say of the user. */
  readonly claims?: (user: string) => JsonObject;
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
      password: PASSWORD,
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
  readonly answer?: (tokens: {
    readonly access: string;
    /** Only where tokens can be renewed. */
    readonly refresh: string;
    readonly seconds: number;
  }) => JsonObject;
  /** Where tokens are renewed, and the field of the body that has the refresh token, which is good once; they end for good without it. */
  readonly refresh?: { readonly path: string; readonly field: string; readonly wrong?: SimulatedAnswer };
  /** What a user signs in as: an e-mail address, say; the name itself unless it is said. */
  readonly signsInAs?: (user: string) => string;
}

/** Unlike the one of pages it is a secret that must never be shown, and so no part of the name of a file. */
const TYPED_PASSWORD = 'simulated-password';

/** Users sign in with user name and password; the token ends by itself, and is renewed where the vendor does so. */
export function byPassword(parts: PasswordOptions): MakeSignIn {
  const { path, accessSeconds, wrong, answer, refresh, signsInAs = (user: string) => user } = parts;
  const { user: userField, password: passwordField } = parts.fields ?? {
    user: 'username',
    password: 'password',
  };
  return ({ clock, random, users, refusal }) => {
    const issued = new Map<string, { readonly user: string; readonly endsAt: number }>();
    const renewable = new Map<string, string>();

    function issue(user: string): SimulatedAnswer {
      const access = randomBase62(random, 32);
      const renewal = randomBase62(random, 32);
      issued.set(access, { user, endsAt: clock.now() + accessSeconds * 1_000 });
      if (refresh !== undefined) renewable.set(renewal, user);
      const json = answer?.({ access, refresh: renewal, seconds: accessSeconds }) ?? {
        access_token: access,
        expires_in: accessSeconds,
        ...(refresh === undefined ? {} : { refresh_token: renewal }),
      };
      return { status: 200, json };
    }

    return {
      page: () => undefined,
      token(request, isLost) {
        if (request.method !== 'POST') return undefined;
        const body = bodyOf(request);
        if (request.path === refresh?.path) {
          const old = String(body[refresh.field]);
          const user = renewable.get(old);
          renewable.delete(old);
          if (isLost || user === undefined)
            return refresh.wrong ?? refusal(401, 'the refresh token is not valid');
          return issue(user);
        }
        if (request.path !== path) return undefined;
        const user = users.find((one) => signsInAs(one) === body[userField]);
        if (isLost || user === undefined || body[passwordField] !== TYPED_PASSWORD)
          return wrong ?? refusal(401, 'wrong user name or password');
        return issue(user);
      },
      callerOf(request) {
        const token = issued.get(bearerOf(request));
        return token !== undefined && token.endsAt > clock.now()
          ? { user: token.user, scopes: [] }
          : undefined;
      },
      expireTokens: () => issued.clear(),
      revoke() {
        issued.clear();
        renewable.clear();
      },
      credentialsOf: (user) => ({ username: signsInAs(user), password: TYPED_PASSWORD }),
      password: TYPED_PASSWORD,
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
      password: PASSWORD,
    };
  };
}

/** Requests carry no secret: the address identifies the user. The user `home` is at the address itself, others at names below it. */
export function byAddress(): MakeSignIn {
  return ({ baseUrl, users }) => ({
    page: () => undefined,
    token: () => undefined,
    callerOf({ headers }) {
      const [name = ''] = (headers.host ?? '').split('.');
      return { user: users.includes(name) ? name : 'home', scopes: [] };
    },
    expireTokens: () => {},
    revoke: () => {},
    credentialsOf: (user) => ({ host: hostOf(user, baseUrl()) }),
    password: '',
  });
}

/** Where the device of a simulated user is. */
export function hostOf(user: string, baseUrl: string): string {
  const host = baseUrl.replace('http://', '');
  return user === 'home' ? host : `${user}.${host}`;
}

interface ClientOptions {
  readonly tokenPath: string;
  readonly accessSeconds: number;
  /** What the user gives besides the client id and secret. */
  readonly fields: (user: string) => JsonObject;
  /** Whether a user's client may ask for this one of the scopes. */
  readonly grants: (user: string, scope: string) => boolean;
  /** Where a call has its token; `Authorization: Bearer` unless it is said. */
  readonly tokenOf?: (request: SimulatedRequest) => string;
}

/** Unlike the password of sign-in pages it is a secret that must never be shown. */
const SECRET = 'simulated-client-secret';

const clientIdOf = (user: string) => `simulated-client-of-${user}`;

/** Each user has a client id and secret, which the token endpoint takes by HTTP Basic (RFC 6749 §2.3.1, §4.4). */
export function byClient({
  tokenPath,
  accessSeconds,
  fields,
  grants,
  tokenOf = bearerOf,
}: ClientOptions): MakeSignIn {
  return ({ clock, random, users }) => {
    const issued = new Map<
      string,
      { readonly user: string; readonly scopes: readonly string[]; readonly endsAt: number }
    >();

    function tokenFor(request: SimulatedRequest): SimulatedAnswer {
      const { grant_type, scope } = bodyOf(request);
      const user = users.find((one) => request.headers.authorization === basicOf(clientIdOf(one), SECRET));
      if (user === undefined) return refused(401, 'invalid_client');
      if (grant_type !== 'client_credentials') return refused(400, 'unsupported_grant_type');
      const scopes = String(scope ?? '')
        .split(' ')
        .filter((one) => one !== '');
      if (scopes.length === 0 || !scopes.every((one) => grants(user, one)))
        return refused(400, 'invalid_scope');
      const access_token = randomBase62(random, 64);
      issued.set(access_token, { user, scopes, endsAt: clock.now() + accessSeconds * 1_000 });
      return {
        status: 200,
        json: { access_token, token_type: 'Bearer', expires_in: accessSeconds, scope: scopes.join(' ') },
      };
    }

    return {
      page: () => undefined,
      token(request, isLost) {
        if (request.method !== 'POST' || request.path !== tokenPath) return undefined;
        return isLost ? refused(401, 'invalid_client') : tokenFor(request);
      },
      callerOf(request) {
        const token = issued.get(tokenOf(request));
        return token !== undefined && token.endsAt > clock.now() ? token : undefined;
      },
      expireTokens: () => issued.clear(),
      revoke: () => issued.clear(),
      credentialsOf: (user) => ({ client_id: clientIdOf(user), client_secret: SECRET, ...fields(user) }),
      password: SECRET,
    };
  };
}

const refused = (status: number, error: string): SimulatedAnswer => ({
  status,
  json: { error, error_description: 'the simulator does not grant it' },
});

const basicOf = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

interface DoorOptions {
  readonly random: Random;
  readonly realm: string;
  readonly user: string;
  /** Null where none is set: everybody may call. */
  readonly password: () => string | null;
}

/** The sign-in of a simulated device by digest (RFC 7616, SHA-256): it verifies what clients make of its nonces. */
export function digestDoor({ random, realm, user, password }: DoorOptions) {
  /** How often each nonce was used. */
  const nonces = new Map<string, number>();

  return {
    /** Status 401 with a fresh nonce. */
    challenge(): SimulatedAnswer {
      const nonce = randomBase62(random, 16);
      nonces.set(nonce, 0);
      const parameters = `qop="auth", realm="${realm}", nonce="${nonce}", algorithm=SHA-256`;
      return { status: 401, headers: { 'www-authenticate': `Digest ${parameters}` } };
    },

    /** Whether a request carries a right digest, of a nonce that is known, with a count that was not used before. */
    isRight({ method, path, headers }: SimulatedRequest): boolean {
      const secret = password();
      if (secret === null) return true;
      const [, given = ''] = /^Digest (.*)$/.exec(headers.authorization ?? '') ?? [];
      const found = given.matchAll(/(\w+)=(?:"([^"]*)"|([^\s,]+))/g);
      const parts = new Map(
        Array.from(found, ([, name = '', quoted, plain]) => [name, quoted ?? plain ?? '']),
      );
      const part = (name: string) => parts.get(name) ?? '';
      const [nonce, count] = [part('nonce'), part('nc')];
      const used = nonces.get(nonce);
      const times = Number.parseInt(count, 16);
      if (used === undefined || !(times > used) || count.length !== 8) return false;
      const use = { count, cnonce: part('cnonce'), of: `${method}:${path}` };
      const expected = digestOf({ name: user, password: secret }, { realm, nonce }, use);
      const isRight =
        part('username') === user &&
        part('uri') === path &&
        part('realm') === realm &&
        part('response') === expected;
      if (isRight) nonces.set(nonce, times);
      return isRight;
    },

    /** No nonce is good any more. */
    forget: () => nonces.clear(),
  };
}
