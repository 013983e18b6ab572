import { createHash, createHmac } from 'node:crypto';
import type { Partner } from '../../adapter/login.ts';
import type { SimulatedAnswer, SimulatedRequest } from '../../adapter/simulator.ts';
import type { Clock } from '../../core/clock.ts';
import { type Random, randomBase62 } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import { languageOf } from '../../core/language.ts';
import { signInPage } from './sign-in-page.ts';

interface Grant {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: string | null;
  readonly scopes: readonly string[];
  readonly user: string;
  readonly expiresAt: number;
}

/** What a token says of itself, so that it outlives a restart of the simulator. */
interface Claims {
  readonly kind: 'access' | 'refresh';
  readonly clientId: string;
  readonly user: string;
  readonly scopes: readonly string[];
  /** ms since 1970; for a refresh token, when it was made. */
  readonly at: number;
  /** Makes each one another. */
  readonly id: string;
}

interface SimulatedOAuthOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly partner: Partner | undefined;
  /** Shown on the sign-in page. */
  readonly vendor: string;
  /** Passwords by user name. */
  readonly users: ReadonlyMap<string, string>;
  readonly accessSeconds: number;
  /** Whether a refresh token is good for one refresh alone. */
  readonly isRotating: boolean;
  /** A refresh is taken without the client's secret. */
  readonly refreshesWithoutSecret?: boolean;
  readonly issuer?: string;
  /** What the vendor adds to a token answer. */
  readonly extra?: (user: string, scopes: readonly string[]) => JsonObject;
  /** What the vendor's tokens say of the user, besides `sub` and `scp`. */
  readonly claims?: (user: string) => JsonObject;
}

const CODE_MS = 60_000;

/** A vendor's authorization server (RFC 6749, 7636) with a sign-in page, for simulators; says on each page that it is one. */
export function createSimulatedOAuth(options: SimulatedOAuthOptions) {
  const { clock, random, partner, users } = options;
  const codes = new Map<string, Grant>();
  /** Refresh tokens that were rotated. */
  const spent = new Set<string>();
  /** How many tokens had been made when a user's, or everybody's access, were taken back: those are no longer valid. */
  const revokedAt = new Map<string, number>();
  let expiredAt = -1;
  let count = 0;
  /** Tokens of an earlier run of the simulator are older than all of this one. */
  const run = randomBase62(random, 12);
  const ageOf = ({ id }: Claims): number => (id.startsWith(`${run}-`) ? Number(id.slice(run.length + 1)) : 0);

  function issue({ clientId, user, scopes }: Pick<Grant, 'clientId' | 'user' | 'scopes'>): SimulatedAnswer {
    const made = (kind: Claims['kind']) => {
      count += 1;
      return tokenOf({
        ...options.claims?.(user),
        kind,
        clientId,
        user,
        scopes,
        at: clock.now(),
        id: `${run}-${count}`,
      });
    };
    return {
      status: 200,
      json: {
        access_token: made('access'),
        refresh_token: made('refresh'),
        token_type: 'Bearer',
        expires_in: options.accessSeconds,
        ...options.extra?.(user, scopes),
      },
    };
  }

  const refusal = (error: string, status = 400): SimulatedAnswer => ({ status, json: { error } });

  function clientOf(request: SimulatedRequest, form: URLSearchParams): Partner | undefined {
    const basic = /^Basic (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    const [id, secret] =
      basic === undefined
        ? [form.get('client_id'), form.get('client_secret')]
        : Buffer.from(basic, 'base64').toString().split(':', 2).map(decodeURIComponent);
    const client = { clientId: id ?? '', clientSecret: secret ?? '' };
    if (partner === undefined) return client;
    if (client.clientId !== partner.clientId) return undefined;
    const needsNone = options.refreshesWithoutSecret === true && form.get('grant_type') === 'refresh_token';
    if (secret == null && needsNone) return client;
    return client.clientSecret === partner.clientSecret ? client : undefined;
  }

  function exchange(form: URLSearchParams, client: Partner): SimulatedAnswer {
    const code = form.get('code') ?? '';
    const grant = codes.get(code);
    codes.delete(code);
    if (grant === undefined || grant.expiresAt < clock.now() || grant.clientId !== client.clientId)
      return refusal('invalid_grant');
    if (grant.redirectUri !== form.get('redirect_uri')) return refusal('invalid_grant');
    if (grant.challenge !== null && grant.challenge !== challengeOf(form.get('code_verifier') ?? ''))
      return refusal('invalid_grant');
    return issue(grant);
  }

  function refresh(form: URLSearchParams, client: Partner): SimulatedAnswer {
    const token = form.get('refresh_token') ?? '';
    const claims = claimsOf(token);
    if (claims?.kind !== 'refresh' || claims.clientId !== client.clientId || isRevoked(claims))
      return refusal('invalid_grant');
    if (spent.has(claims.id)) return refusal('invalid_grant');
    if (options.isRotating) spent.add(claims.id);
    return issue(claims);
  }

  const isRevoked = (claims: Claims): boolean =>
    !users.has(claims.user) || ageOf(claims) <= (revokedAt.get(claims.user) ?? -1);

  return {
    /** The sign-in page (GET) and what its form sends (POST: `username`, `password`, or `cancel`). */
    authorize(request: SimulatedRequest): SimulatedAnswer {
      const { query } = request;
      const redirectUri = query.get('redirect_uri') ?? '';
      const clientId = query.get('client_id') ?? '';
      if (partner !== undefined && clientId !== partner.clientId) return refusal('invalid_client', 401);
      if (!URL.canParse(redirectUri) || query.get('response_type') !== 'code')
        return refusal('invalid_request');
      const page = { ...options, language: languageOf(request.headers['accept-language']) };
      if (request.method !== 'POST') return { status: 200, ...signInPage({ ...page, hasFailed: false }) };
      const form = new URLSearchParams(Buffer.from(request.body).toString());
      const back = new URL(redirectUri);
      back.searchParams.set('state', query.get('state') ?? '');
      if (options.issuer !== undefined) back.searchParams.set('iss', options.issuer);
      if (form.has('cancel')) {
        back.searchParams.set('error', 'access_denied');
        return { status: 302, headers: { location: back.href } };
      }
      const user = form.get('username') ?? '';
      if (users.get(user) === undefined || users.get(user) !== form.get('password'))
        return { status: 200, ...signInPage({ ...page, hasFailed: true }) };
      const code = `code-${randomBase62(random, 32)}`;
      codes.set(code, {
        clientId,
        redirectUri,
        challenge: query.get('code_challenge'),
        // A test grants less than was asked for.
        scopes: (form.get('granted') ?? query.get('scope') ?? '').split(' ').filter((scope) => scope !== ''),
        user,
        expiresAt: clock.now() + CODE_MS,
      });
      back.searchParams.set('code', code);
      return { status: 302, headers: { location: back.href } };
    },

    /** The token endpoint: `authorization_code` and `refresh_token`. */
    token(request: SimulatedRequest): SimulatedAnswer {
      const text = Buffer.from(request.body).toString();
      const isJson = request.headers['content-type']?.startsWith('application/json') === true;
      const form = new URLSearchParams(isJson ? (JSON.parse(text) as Record<string, string>) : text);
      const client = clientOf(request, form);
      if (client === undefined) return refusal('invalid_client', 401);
      switch (form.get('grant_type')) {
        case 'authorization_code':
          return exchange(form, client);
        case 'refresh_token':
          return refresh(form, client);
        default:
          return refusal('unsupported_grant_type');
      }
    },

    /** Who an access token stands for; undefined when it is unknown or expired. */
    userOf(access: string): { readonly user: string; readonly scopes: readonly string[] } | undefined {
      const claims = claimsOf(access);
      if (claims?.kind !== 'access' || isRevoked(claims) || ageOf(claims) <= expiredAt) return undefined;
      return claims.at + options.accessSeconds * 1000 <= clock.now() ? undefined : claims;
    },

    /** Makes all access tokens expire, as time would. */
    expireAll(): void {
      expiredAt = count;
    },

    /** The user takes the permission back: no token of theirs is good any more. */
    revoke(user: string): void {
      revokedAt.set(user, count);
    },
  };
}

export type SimulatedOAuth = ReturnType<typeof createSimulatedOAuth>;

/** Nothing real hangs on it: it only marks the simulator's own tokens. */
const SIMULATOR_KEY = 'a simulator has no secrets';

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const HEADER = encoded({ alg: 'HS256', typ: 'JWT' });
const macOf = (text: string) => createHmac('sha256', SIMULATOR_KEY).update(text).digest('base64url');

/** A JWT (RFC 7519), as those of many vendors are; some say in it what was granted. */
function tokenOf(claims: Claims): string {
  const text = `${HEADER}.${encoded({ sub: claims.user, scp: [...claims.scopes], ...claims })}`;
  return `${text}.${macOf(text)}`;
}

function claimsOf(token: string): Claims | undefined {
  const [header, payload = '', mac] = token.split('.', 3);
  if (mac !== macOf(`${header}.${payload}`)) return undefined;
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
}

function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
