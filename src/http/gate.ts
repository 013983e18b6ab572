import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../core/clock.ts';
import { AppError } from '../core/errors.ts';
import type { Secret } from '../core/secret.ts';
import type { Accounts, Principal, Scope, StatusClass } from '../domain/access/accounts/index.ts';
import type { Access, ConsoleCaller, Gate, Operator, Person, TokenGate } from './access.ts';
import { createBannedGate, wrongKeys } from './banned.ts';
import { keyOf } from './caller.ts';
import type { Service } from './errors.ts';
import type { Limits } from './rate-limit.ts';
import { unknownPath } from './unknown-routes.ts';
import { wantsPage } from './wants-page.ts';

interface GateOptions {
  readonly service: Service;
  readonly accounts: Accounts;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly adminToken: Secret;
  /** Whether a request comes from the operator's addresses. */
  readonly isOperator: (request: FastifyRequest) => boolean;
  /** The signed-in person of a request; undefined for a service without sign-in. */
  readonly personOf?: (request: FastifyRequest) => Promise<Person | undefined>;
  /** Who uses the operator's pages; undefined for nobody. Throws for a person without the role. */
  readonly operatorOf?: (request: FastifyRequest) => Promise<Operator | undefined>;
  /** Who uses the console, for a service with one: undefined for a request without its cookie. Throws for pages of other sites. */
  readonly consoleOf?: (request: FastifyRequest) => Promise<ConsoleCaller | undefined> | undefined;
}

/** Calls of a session of the console per minute: whoever looks at devices uses up nothing of what the account's programs may call. */
const CONSOLE_CALLS_A_MINUTE = 1_200;
/** Wrong admin tokens per minute from one address; this also slows down loopback, which is never banned. */
const WRONG_TOKENS_A_MINUTE = 60;

const NOT_IN_CONSOLE = 'you are not signed in any more; open /console to sign in';

const STATUS_CLASSES: readonly StatusClass[] = ['1xx', '2xx', '3xx', '4xx', '5xx'];

/** Judges admin tokens; wrong ones are counted for each address. */
function adminTokens({ limits, accounts, adminToken }: GateOptions) {
  const wrongTokens = limits.perIp('wrong-admin-tokens', WRONG_TOKENS_A_MINUTE, 60);

  /** Throws the sentence for a wrong token, which counts towards a ban. */
  async function judge(ip: string, token: string, sentence: string): Promise<void> {
    if (adminToken.equals(token)) return;
    await wrongTokens.take(ip);
    await accounts.bans.countWrong(ip, 'admin tokens');
    throw new AppError('admin.token_invalid', sentence);
  }

  async function admit({ ip, headers }: FastifyRequest): Promise<void> {
    await wrongTokens.check(ip);
    const token = headers['x-admin-token'];
    if (token === undefined || token === '') {
      throw new AppError('admin.token_invalid', 'the header x-admin-token is missing');
    }
    await judge(ip, String(token), 'the admin token in the header x-admin-token is wrong');
  }

  return { admit, judge, check: wrongTokens.check };
}

/** Throws `key.scope_missing` for an operation that the key has not the scope for. */
function requireScope(access: Access | undefined, { scopes }: Principal): void {
  // control: no key manages keys, whatever its scopes [connect/routes/account]
  if (access === 'console') {
    throw new AppError(
      'key.scope_missing',
      'this endpoint is for people who are signed in to the console, and no API key has the scope for it; open /console',
    );
  }
  const scope = scopeOf(access);
  // control: a key without the scope of an operation is refused [http/gate]
  if (scope !== undefined && !scopes.has(scope)) {
    throw new AppError(
      'key.scope_missing',
      `this endpoint requires the scope ${scope}, which the API key does not have`,
    );
  }
}

async function admitPerson(request: FastifyRequest, personOf: GateOptions['personOf']): Promise<void> {
  const person = await personOf?.(request);
  if (person === undefined)
    throw new AppError('signin.required', 'you are not signed in; sign in at /auth/login');
  request.person = person;
}

async function admitOperatorSession(
  request: FastifyRequest,
  operatorOf: GateOptions['operatorOf'],
): Promise<void> {
  const operator = await operatorOf?.(request);
  if (operator === undefined)
    throw new AppError('signin.required', 'you are not signed in as an operator; sign in at /operator');
  request.operator = operator;
}

/**
 * The gate of a service: bans, keys, scopes and limits, in this order. With a cached key and limits in memory `admit`
 * returns synchronously, without a promise.
 */
export function createGate(options: GateOptions): Gate & TokenGate {
  const { service, accounts, limits, clock, adminToken, isOperator } = options;
  const consoleCalls = limits.perName('console', CONSOLE_CALLS_A_MINUTE, 60);
  const wrong = wrongKeys({ accounts, limits, clock, adminToken });
  const tokens = adminTokens(options);
  const personOf = async (request: FastifyRequest) => options.personOf?.(request);
  const operatorOf = async (request: FastifyRequest) => options.operatorOf?.(request);
  const banned = createBannedGate({ ...options, personOf, operatorOf });

  function admitPrincipal(
    request: FastifyRequest,
    reply: FastifyReply,
    principal: Principal,
  ): Promise<void> | void {
    request.principal = principal;
    requireScope(request.routeOptions.config.access, principal);
    const { access } = request.routeOptions.config;
    return limits.account(principal, reply, { isCommand: access === 'devices:command' });
  }

  function admitKey(request: FastifyRequest, reply: FastifyReply, key: string): Promise<void> | void {
    wrong.check(request, key);
    let found: Principal | Promise<Principal>;
    try {
      found = accounts.authenticate(key);
    } catch (error) {
      return wrong.refuse(error, request, key);
    }
    if (!(found instanceof Promise)) return admitPrincipal(request, reply, found);
    return found
      .catch((error: unknown) => wrong.refuse(error, request, key))
      .then((principal) => admitPrincipal(request, reply, principal));
  }

  async function admitConsole(
    request: FastifyRequest,
    reply: FastifyReply,
    found: Promise<ConsoleCaller | undefined>,
  ): Promise<void> {
    const caller = await found;
    const { access } = request.routeOptions.config;
    // What needs no key needs no session: one that has ended takes nothing away.
    // control: a session of the console that has ended is refused where a key is needed [http/gate] => caller === undefined
    if (caller === undefined && access === 'anonymous') return limits.anonymous(request.ip, reply);
    if (caller === undefined && access === 'optional') return;
    if (caller === undefined) throw new AppError('signin.required', NOT_IN_CONSOLE);
    request.principal = caller.principal;
    await consoleCalls.take(caller.session, reply);
  }

  /** Where a key is optional and none came: the console, or anybody. */
  function admitGuest(request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
    // A browser that asks for a page is admitted whatever its headers contain.
    if (wantsPage(request)) return undefined;
    const until = accounts.bans.bannedUntil(request.ip);
    const found = until === null ? options.consoleOf?.(request) : banned.callerOf(request, until);
    return found === undefined ? undefined : admitConsole(request, reply, found);
  }

  /** Everybody except the operator gets a 404; a wrong admin token is still counted. */
  async function admitOperator(request: FastifyRequest): Promise<void> {
    try {
      const until = accounts.bans.bannedUntil(request.ip);
      if (until === null) await tokens.admit(request);
      else banned.admitAdmin(request.ip, tokenOf(request), until);
    } catch (error) {
      throw error instanceof AppError ? unknownPath(request.url.split('?', 1)[0] ?? '') : error;
    }
  }

  async function admitBanned(request: FastifyRequest, reply: FastifyReply, access: Access): Promise<void> {
    const until = accounts.bans.bannedUntil(request.ip) ?? 0;
    if (access === 'admin') return banned.admitAdmin(request.ip, tokenOf(request), until);
    if (access === 'session') return banned.admitPerson(request, until);
    if (access === 'operator-session') return banned.admitOperatorSession(request, until);
    const caller = banned.callerOf(request, until);
    if (caller !== undefined) return admitConsole(request, reply, caller);
    return admitPrincipal(request, reply, await banned.principalOf(request, until));
  }

  return {
    admit(request, reply, access) {
      if (access === 'public') return;
      if (access === 'optional' && (wantsPage(request) || keyOf(request) === undefined))
        return admitGuest(request, reply);
      // control: metrics and readiness are for the operator alone [http/gate]
      if (access === 'operator') return isOperator(request) ? undefined : admitOperator(request);
      // control: a banned address is refused [http/gate]
      if (accounts.bans.bannedUntil(request.ip) !== null) return admitBanned(request, reply, access);
      if (access === 'admin') return tokens.admit(request);
      if (access === 'session') return admitPerson(request, personOf);
      if (access === 'operator-session') return admitOperatorSession(request, operatorOf);
      const key = keyOf(request);
      if (key !== undefined) return admitKey(request, reply, key);
      const found = options.consoleOf?.(request);
      if (found !== undefined) return admitConsole(request, reply, found);
      if (access === 'anonymous') return limits.anonymous(request.ip, reply);
      if (access === 'console') throw new AppError('signin.required', NOT_IN_CONSOLE);
      throw new AppError(
        'key.missing',
        'an API key is required, in the header Authorization: Bearer <key> or X-Api-Key: <key>; create one in the console, or with npm run key on the server',
      );
    },
    async admitToken(ip, token) {
      const until = accounts.bans.bannedUntil(ip);
      if (until !== null) return banned.admitAdmin(ip, token, until);
      await tokens.check(ip);
      // control: a wrong admin token in a form is refused, and counts towards a ban [grid/operator/operator]
      await tokens.judge(ip, token, 'the admin token is wrong');
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

const tokenOf = ({ headers }: FastifyRequest): string => String(headers['x-admin-token'] ?? '');

function scopeOf(access: Access | undefined): Scope | undefined {
  switch (access) {
    case undefined:
    case 'public':
    case 'anonymous':
    case 'optional':
    case 'key':
    case 'console':
    case 'admin':
    case 'session':
    case 'operator':
    case 'operator-session':
      return undefined;
    default:
      return access;
  }
}
