import type { SimulatedAnswer, SimulatedRequest } from '../../adapter/simulator.ts';
import { randomBase62 } from '../../core/ids.ts';
import { languageOf } from '../../core/language.ts';
import { bodyOf } from '../../proof/simulation/routes.ts';
import { type MakeSignIn, PASSWORD } from '../../proof/simulation/sign-in.ts';
import { signInPage } from '../../proof/simulation/sign-in-page.ts';
import { TOKEN_PATH } from './sign-in.ts';
import { USER_IDS, type User } from './simulated-car.ts';

const APP_SECONDS = 3_600;
/** Tokens of one user, of version 2. */
const USER_SECONDS = 7_200;
const USERS = Object.keys(USER_IDS) as User[];

/** A user who has permitted something on the page of Smartcar Connect. */
export interface Consent {
  readonly user: User;
  readonly scopes: readonly string[];
  readonly externalId: string | null;
  readonly redirectUri: string;
}

interface Issued {
  /** The user of a token of version 2; undefined for one of the app. */
  readonly user: User | undefined;
  readonly endsAt: number;
}

const refused = (status: number, error: string): SimulatedAnswer => ({ status, json: { error } });
const userNamed = (name: unknown): User | undefined => USERS.find((user) => user === name);

/**
 * Smartcar Connect, the tokens of apps (version 3, by client credentials) and those of users (version 2, by the code that Connect returns
 * where `response_type` is `code`). A call with a token of the app names its user in `sc-user-id`.
 */
export function signInAt(consented: (consent: Consent) => void): MakeSignIn {
  return ({ clock, random, partner, vendor }) => {
    const issued = new Map<string, Issued>();
    const grants = new Map<string, User>();
    const applicationId = partner?.more?.application_id;

    function token(user: User | undefined): SimulatedAnswer {
      const access = randomBase62(random, 32);
      const seconds = user === undefined ? APP_SECONDS : USER_SECONDS;
      issued.set(access, { user, endsAt: clock.now() + seconds * 1_000 });
      const json = { access_token: access, token_type: 'Bearer', expires_in: seconds };
      if (user === undefined) return { status: 200, json };
      const refresh_token = randomBase62(random, 32);
      grants.set(refresh_token, user);
      return { status: 200, json: { ...json, refresh_token } };
    }

    function page(request: SimulatedRequest): SimulatedAnswer {
      const { query } = request;
      const asks = query.get('response_type');
      const redirectUri = query.get('redirect_uri') ?? '';
      const app = query.get('application_id') ?? query.get('client_id');
      const isKnown = applicationId === undefined || app === applicationId;
      if (!isKnown || !URL.canParse(redirectUri) || (asks !== 'none' && asks !== 'code'))
        return refused(400, 'configuration_error');
      const users = new Map(USERS.map((user) => [user as string, PASSWORD]));
      const shown = { vendor, users, language: languageOf(request.headers['accept-language']) };
      if (request.method !== 'POST') return { status: 200, ...signInPage({ ...shown, hasFailed: false }) };
      const form = new URLSearchParams(Buffer.from(request.body).toString());
      const back = new URL(redirectUri);
      const state = query.get('state');
      if (state !== null) back.searchParams.set('state', state);
      const user = userNamed(form.get('username'));
      if (form.has('cancel')) {
        back.searchParams.set('error', 'access_denied');
        return { status: 302, headers: { location: back.href } };
      }
      if (user === undefined || form.get('password') !== PASSWORD)
        return { status: 200, ...signInPage({ ...shown, hasFailed: true }) };
      const externalId = query.get('external_id');
      // A test grants less than was asked for.
      const scopes = (form.get('granted') ?? query.get('scope') ?? '').split(' ');
      consented({ user, scopes, externalId, redirectUri });
      back.searchParams.set('user_id', USER_IDS[user]);
      if (externalId !== null) back.searchParams.set('external_id', externalId);
      if (asks === 'code') {
        const code = randomBase62(random, 32);
        grants.set(code, user);
        back.searchParams.set('code', code);
      }
      return { status: 302, headers: { location: back.href } };
    }

    /** Version 3: as JSON, or as a form. */
    function tokenOfApp(request: SimulatedRequest): SimulatedAnswer {
      const { grant_type, client_id, client_secret } = bodyOf(request);
      if (grant_type !== 'client_credentials') return refused(400, 'invalid_request');
      const isOurs =
        partner === undefined || (client_id === partner.clientId && client_secret === partner.clientSecret);
      return isOurs ? token(undefined) : refused(401, 'invalid_client');
    }

    /** Version 2: the app by its application id, a code or a refresh token once. */
    function tokenOfUser(request: SimulatedRequest): SimulatedAnswer {
      const basic = Buffer.from(
        /^Basic (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '',
        'base64',
      );
      const { code, refresh_token } = bodyOf(request);
      const isOurs = partner === undefined || basic.toString() === `${applicationId}:${partner.clientSecret}`;
      if (!isOurs) return refused(401, 'invalid_client');
      const grant = String(code ?? refresh_token);
      const user = grants.get(grant);
      grants.delete(grant);
      return user === undefined ? refused(400, 'invalid_grant') : token(user);
    }

    return {
      page: (request) => (request.path === '/oauth/authorize' ? page(request) : undefined),
      token(request) {
        if (request.method !== 'POST') return undefined;
        if (request.path === TOKEN_PATH) return tokenOfApp(request);
        return request.path === '/oauth/token' ? tokenOfUser(request) : undefined;
      },
      callerOf({ headers, query }) {
        const access = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
        const found = issued.get(access);
        if (found === undefined || found.endsAt <= clock.now()) return undefined;
        if (found.user !== undefined) return { user: found.user, scopes: ['of one user'] };
        const named = headers['sc-user-id'] ?? query.get('filter[userId]') ?? undefined;
        const user = USERS.find((one) => USER_IDS[one] === named);
        // A call of the app about no user: which calls are about one, their routes say.
        return { user: user ?? 'none', scopes: user === undefined ? [] : ['of one user'] };
      },
      expireTokens: () => issued.clear(),
      revoke() {
        issued.clear();
        grants.clear();
      },
      credentialsOf: () => ({}),
      password: PASSWORD,
    };
  };
}
