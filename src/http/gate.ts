import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../core/clock.ts';
import { AppError } from '../core/errors.ts';
import type { Secret } from '../core/secret.ts';
import type { Accounts, Principal, Scope, StatusClass } from '../domain/accounts/index.ts';
import type { Access, Gate, Person } from './access.ts';
import type { Service } from './errors.ts';
import type { Limits } from './rate-limit.ts';
import { wantsPage } from './wants-page.ts';

interface GateOptions {
  readonly service: Service;
  readonly accounts: Accounts;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly adminToken: Secret;
  /** Who a request is signed in as; undefined where nobody signs in. */
  readonly personOf?: (request: FastifyRequest) => Promise<Person | undefined>;
}

/** Wrong admin tokens of one address in a minute before it must wait; it also slows down loopback, which is not banned. */
const WRONG_TOKENS_A_MINUTE = 60;

const STATUS_CLASSES: readonly StatusClass[] = ['1xx', '2xx', '3xx', '4xx', '5xx'];

/**
 * The gate of a service: bans, keys, scopes and limits, in this order. With a remembered key and limits in memory
 * `admit` answers at once, without a promise.
 */
export function createGate(options: GateOptions): Gate {
  const { service, accounts, limits, clock, adminToken } = options;
  const wrongTokens = limits.perIp('wrong-admin-tokens', WRONG_TOKENS_A_MINUTE, 60);

  function refuseBanned(ip: string): void {
    const until = accounts.bans.bannedUntil(ip);
    if (until === null) return;
    const seconds = Math.max(1, Math.ceil((until - clock.now()) / 1000));
    throw new AppError(
      'client.banned',
      `this address is banned after too many wrong keys; it is let in again in ${seconds} seconds`,
      { retryAfterSeconds: seconds },
    );
  }

  async function refuseKey(error: unknown, ip: string): Promise<never> {
    if (error instanceof AppError && error.code === 'key.invalid') {
      await accounts.bans.countWrong(ip, 'API keys');
    }
    throw error;
  }

  function letIn(request: FastifyRequest, reply: FastifyReply, principal: Principal): Promise<void> | void {
    request.principal = principal;
    const scope = scopeOf(request.routeOptions.config.access);
    if (scope !== undefined && !principal.scopes.has(scope)) {
      throw new AppError(
        'key.scope_missing',
        `this endpoint requires the scope ${scope}, which the API key does not have`,
      );
    }
    return limits.account(principal, reply);
  }

  function admitKey(request: FastifyRequest, reply: FastifyReply, key: string): Promise<void> | void {
    let found: Principal | Promise<Principal>;
    try {
      found = accounts.authenticate(key);
    } catch (error) {
      return refuseKey(error, request.ip);
    }
    if (!(found instanceof Promise)) return letIn(request, reply, found);
    return found
      .catch((error: unknown) => refuseKey(error, request.ip))
      .then((principal) => letIn(request, reply, principal));
  }

  async function admitAdmin(request: FastifyRequest): Promise<void> {
    const { ip } = request;
    await wrongTokens.check(ip);
    const token = request.headers['x-admin-token'];
    if (token === undefined || token === '') {
      throw new AppError('admin.token_invalid', 'the header x-admin-token is missing');
    }
    if (typeof token === 'string' && adminToken.equals(token)) return;
    await wrongTokens.take(ip);
    await accounts.bans.countWrong(ip, 'admin tokens');
    throw new AppError('admin.token_invalid', 'the admin token in the header x-admin-token is wrong');
  }

  async function admitPerson(request: FastifyRequest): Promise<void> {
    const person = await options.personOf?.(request);
    if (person === undefined)
      throw new AppError('signin.required', 'nobody is signed in; sign in at /auth/login');
    request.person = person;
  }

  return {
    admit(request, reply, access) {
      if (access === 'public') return;
      // A browser that asks for a page is not judged by what stands in its headers.
      if (access === 'optional' && (wantsPage(request) || keyOf(request) === undefined)) return;
      refuseBanned(request.ip);
      if (access === 'admin') return admitAdmin(request);
      if (access === 'session') return admitPerson(request);
      const key = keyOf(request);
      if (key !== undefined) return admitKey(request, reply, key);
      if (access === 'anonymous') return limits.anonymous(request.ip, reply);
      throw new AppError(
        'key.missing',
        'an API key is required, in the header Authorization: Bearer <key> or X-Api-Key: <key>',
      );
    },
    count(request, reply) {
      const { url, config } = request.routeOptions;
      const { principal } = request;
      if (url === undefined || (principal === null && config.access !== 'anonymous')) return;
      accounts.recordUsage({
        account: principal?.account ?? 0,
        keyId: principal?.keyId ?? '',
        service,
        route: `${request.method} ${url}`,
        statusClass: STATUS_CLASSES[Math.floor(reply.statusCode / 100) - 1] ?? '5xx',
      });
    },
  };
}

/** The key that a request carries; undefined when it carries none. */
function keyOf(request: FastifyRequest): string | undefined {
  const { authorization } = request.headers;
  const header = request.headers['x-api-key'];
  const named = header === undefined || header === '' ? undefined : String(header);
  if (authorization === undefined || authorization === '') return named;
  const bearer = /^bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (bearer === undefined) {
    if (named !== undefined) return named;
    throw new AppError('key.invalid', 'the header Authorization must be: Bearer <key>');
  }
  if (named !== undefined && named !== bearer) {
    throw new AppError(
      'key.invalid',
      'the headers Authorization and X-Api-Key carry two different keys; send one of them',
    );
  }
  return bearer;
}

function scopeOf(access: Access | undefined): Scope | undefined {
  switch (access) {
    case undefined:
    case 'public':
    case 'anonymous':
    case 'optional':
    case 'key':
    case 'admin':
    case 'session':
      return undefined;
    default:
      return access;
  }
}
