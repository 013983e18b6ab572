import type { SimulatedAnswer, SimulatedRequest } from '../../adapter/simulator.ts';
import { randomBase62 } from '../../core/ids.ts';
import { byOAuth } from '../../simulation/index.ts';
import { bodyOf } from '../../simulation/routes.ts';
import type { MakeSignIn } from '../../simulation/sign-in.ts';
import { TOKEN_PATH } from './partner.ts';
import { AUDIENCES } from './regions.ts';

const ACCESS_SECONDS = 28_800;

interface Registration {
  /** A partner has registered its domain. */
  isDone: boolean;
}

/** Tesla's sign-in: users by OAuth, and services by `client_credentials`, who register their domain with that token. */
export function signInAt(registration: Registration): MakeSignIn {
  const users = byOAuth({
    authorizePath: '/oauth2/v3/authorize',
    tokenPath: TOKEN_PATH,
    accessSeconds: ACCESS_SECONDS,
    refreshesWithoutSecret: true,
  });
  return (context) => {
    const { random, partner, refusal } = context;
    const ofUsers = users(context);
    const partnerTokens = new Set<string>();

    function partnerToken({ client_id, client_secret }: Record<string, unknown>): SimulatedAnswer {
      const isKnown =
        partner === undefined || (client_id === partner.clientId && client_secret === partner.clientSecret);
      if (!isKnown) return { status: 401, json: { error: 'unauthorized_client' } };
      const access = `partner-${randomBase62(random, 32)}`;
      partnerTokens.add(access);
      return {
        status: 200,
        json: { access_token: access, expires_in: ACCESS_SECONDS, token_type: 'Bearer' },
      };
    }

    function register(request: SimulatedRequest): SimulatedAnswer {
      const access = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
      if (!partnerTokens.has(access)) return refusal(401, 'invalid bearer token');
      const { domain } = bodyOf(request);
      if (typeof domain !== 'string' || !/^[a-z0-9.-]+\.[a-z]{2,}$/.test(domain))
        return refusal(422, 'invalid_field');
      registration.isDone = true;
      return {
        status: 200,
        json: { response: { account_id: 'simulated', domain, public_key: '04simulated' } },
      };
    }

    return {
      ...ofUsers,
      token(request, isLost) {
        if (request.method === 'POST' && request.path === '/api/1/partner_accounts') return register(request);
        if (request.method !== 'POST' || request.path !== TOKEN_PATH) return undefined;
        const body = bodyOf(request);
        if (body.grant_type === 'client_credentials') return partnerToken(body);
        const isForeign = !Object.values<unknown>(AUDIENCES).includes(body.audience);
        if (body.grant_type === 'authorization_code' && isForeign)
          return { status: 400, json: { error: 'invalid_request', error_description: 'audience' } };
        const answer = ofUsers.token(request, isLost);
        const isSpent = body.grant_type === 'refresh_token' && answer?.status === 400;
        return isSpent ? { status: 401, json: { error: 'login_required' } } : answer;
      },
    };
  };
}
