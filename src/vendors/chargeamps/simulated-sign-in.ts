import type { SimulatedRequest } from '../../adapter/simulator.ts';
import { claimsIn } from '../../adapter/token-claims.ts';
import type { JsonObject } from '../../core/json.ts';
import { byPassword } from '../../simulation/index.ts';

const LOGIN = '/api/v5/auth/login';
const REFRESH = '/api/v5/auth/refreshToken';
const ACCESS_SECONDS = 7_200;
/** An eleventh sign-in ends the oldest one. */
const MOST_SIGN_INS = 10;
/** The one of all users: it protects nothing. */
const API_KEY = 'simulated-api-key';

type MakeSignIn = ReturnType<typeof byPassword>;

/**
 * Signing in with the API key in a header; tokens are JWTs that say themselves when they end.
 * @param signedIn is called for each user that signs in, and not for those who renew
 */
export function signInWithKey(signedIn: (user: string) => void): MakeSignIn {
  return (context) => {
    const encoded = (json: JsonObject) => Buffer.from(JSON.stringify(json)).toString('base64url');
    const jwtOf = (jti: string, seconds: number) => {
      const exp = Math.floor(context.clock.now() / 1_000) + seconds;
      return `${encoded({ alg: 'none' })}.${encoded({ exp, jti })}.simulated`;
    };
    const inner = byPassword({
      path: LOGIN,
      accessSeconds: ACCESS_SECONDS,
      fields: { user: 'email', password: 'password' },
      signsInAs: (user) => `${user}@chargeamps.simulated`,
      refresh: { path: REFRESH, field: 'refreshToken' },
      answer: ({ access, refresh, seconds }) => ({
        token: jwtOf(access, seconds),
        refreshToken: refresh,
        message: 'simulated',
        user: { id: 'simulated' },
      }),
    })(context);
    /** Tokens of each user's sign-ins, the oldest first. */
    const live = new Map<string, { access: string; refresh: string }[]>();
    const isLive = (of: 'access' | 'refresh', token: string) =>
      [...live.values()].flat().some((one) => one[of] === token);
    const accessIn = ({ headers }: SimulatedRequest) =>
      String(claimsIn((headers.authorization ?? '').replace(/^Bearer /, ''))?.jti);
    const callerWith = (request: SimulatedRequest, access: string) =>
      inner.callerOf({ ...request, headers: { ...request.headers, authorization: `Bearer ${access}` } });

    return {
      ...inner,
      token(request, isLost) {
        // Clients write the path in two ways.
        const path = [LOGIN, REFRESH].find((one) => one.toLowerCase() === request.path.toLowerCase());
        if (path === undefined) return undefined;
        if (request.headers.apikey !== API_KEY) return context.refusal(401, 'the API key is not valid');
        const before = String(
          (JSON.parse(Buffer.from(request.body).toString() || '{}') as JsonObject).refreshToken,
        );
        if (path === REFRESH && !isLive('refresh', before))
          return context.refusal(401, 'the refresh token is not valid');
        const answer = inner.token({ ...request, path }, isLost);
        if (answer?.status !== 200) return answer;
        const { token, refreshToken } = answer.json as { token: string; refreshToken: string };
        const access = String(claimsIn(token)?.jti);
        const user = callerWith(request, access)?.user ?? '';
        const mine = (live.get(user) ?? []).filter(({ refresh }) => path === LOGIN || refresh !== before);
        live.set(user, [...mine, { access, refresh: refreshToken }].slice(-MOST_SIGN_INS));
        if (path === LOGIN) signedIn(user);
        return answer;
      },
      callerOf(request) {
        const access = accessIn(request);
        return isLive('access', access) ? callerWith(request, access) : undefined;
      },
      credentialsOf: (user) => ({ ...inner.credentialsOf(user), api_key: API_KEY }),
    };
  };
}
