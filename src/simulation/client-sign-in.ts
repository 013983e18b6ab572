import type { SimulatedAnswer, SimulatedRequest } from '../adapter/simulator.ts';
import { randomBase62 } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import { bodyOf } from './routes.ts';
import { bearerOf, type MakeSignIn } from './sign-in.ts';

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
