import type { FastifyRequest } from 'fastify';
import type { Clock } from '../core/clock.ts';
import { AppError } from '../core/errors.ts';
import type { Secret } from '../core/secret.ts';
import {
  type Accounts,
  clientAddress,
  isWellFormedKey,
  type Principal,
} from '../domain/access/accounts/index.ts';
import type { ConsoleCaller, Operator, Person } from './access.ts';
import { isFromForeignPage, keyOf } from './caller.ts';
import type { Limits } from './rate-limit.ts';
import { makePlan } from './rate-limit-plan.ts';
import { callAt, MemoryTallies } from './rate-limit-tally.ts';

interface WrongKeysOptions {
  readonly accounts: Pick<Accounts, 'bans' | 'isKnown'>;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly adminToken: Secret;
}

/** How often in ten minutes an address may learn that its key is the admin token: as often as it may try that token itself. */
const HINTS_IN_TEN_MINUTES = 9;

/** Wrong keys per minute and address that do not count towards a ban: each still costs a query. */
const UNCOUNTED = makePlan([{ name: 'uncounted-keys', calls: 60, lengthMs: 60_000 }]);
const MOST_ADDRESSES = 10_000;

/**
 * Handles wrong keys. Only a possible guess counts towards a ban: not a typo, whose checksum does not match, and not a request that
 * a page of another site made a visitor's browser send.
 */
export function wrongKeys({ accounts, limits, clock, adminToken }: WrongKeysOptions) {
  const uncounted = new MemoryTallies(MOST_ADDRESSES);
  const hints = limits.perIp('admin-token-as-key', HINTS_IN_TEN_MINUTES, 600);

  /** Constant time, and not an oracle: an address gets as many answers as it has attempts at the token itself. */
  async function isAdminToken(ip: string, key: string): Promise<boolean> {
    try {
      await hints.take(ip);
    } catch {
      return false;
    }
    return adminToken.equals(key);
  }

  const tally = (ip: string, cost: 0 | 1): boolean =>
    uncounted.take(clientAddress(ip), UNCOUNTED, callAt(clock, cost)).isWithin;

  return {
    /** Throws `limit.exceeded` when too many wrong keys came from pages at this address. */
    check(request: FastifyRequest, key: string): void {
      if (!isFromForeignPage(request) || accounts.isKnown(key) || tally(request.ip, 0)) return;
      throw new AppError(
        'limit.exceeded',
        'too many wrong API keys came from pages at this address; retry in a minute',
        { retryAfterSeconds: 60 },
      );
    },

    /** Counts the wrong key, and throws the error for the caller. */
    async refuse(error: unknown, request: FastifyRequest, key: string): Promise<never> {
      if (!(error instanceof AppError) || error.code !== 'key.invalid') throw error;
      if (isWellFormedKey(key)) {
        if (isFromForeignPage(request)) tally(request.ip, 1);
        else await accounts.bans.countWrong(request.ip, 'API keys');
      } else if (await isAdminToken(request.ip, key)) {
        throw new AppError(
          'key.invalid',
          'this is the admin token, not an API key; send it in the header X-Admin-Token, to /admin on Grid only; npm run key creates an API key',
        );
      }
      throw error;
    },
  };
}

interface BannedGateOptions {
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly adminToken: Secret;
  readonly personOf: (request: FastifyRequest) => Promise<Person | undefined>;
  readonly operatorOf: (request: FastifyRequest) => Promise<Operator | undefined>;
  readonly consoleOf?: (request: FastifyRequest) => Promise<ConsoleCaller | undefined> | undefined;
}

/** Failed look-ups of keys and sessions per minute for a banned address: they cannot be guessed, but each costs a query. */
const LOOKED_UP = makePlan([{ name: 'banned', calls: 60, lengthMs: 60_000 }]);
/** Wrong admin tokens per hour: an operator may have chosen a guessable one, so a ban slows down guessing. */
const TOKENS = makePlan([{ name: 'banned-tokens', calls: 5, lengthMs: 3_600_000 }]);

/**
 * What a ban still allows. An address can be a home, an office or a mobile network, so a right key, session or admin token from it
 * is accepted, while a wrong or missing one is refused. Attempts are counted in this process only, so that none waits for Redis.
 */
export function createBannedGate(options: BannedGateOptions) {
  const { accounts, clock, adminToken, personOf, operatorOf } = options;
  const lookedUp = new MemoryTallies(MOST_ADDRESSES);
  const tokens = new MemoryTallies(MOST_ADDRESSES);

  const tally = (of: MemoryTallies, plan: typeof TOKENS, ip: string, cost: 0 | 1): boolean =>
    of.take(clientAddress(ip), plan, callAt(clock, cost)).isWithin;

  function refusal(until: number): AppError {
    const seconds = Math.max(1, Math.ceil((until - clock.now()) / 1000));
    return new AppError(
      'client.banned',
      `this IP address is banned after too many wrong keys; for another ${seconds} seconds, only requests with a valid key are accepted`,
      { retryAfterSeconds: seconds },
    );
  }

  /** Looks a session up, unless too many look-ups of the address have failed; throws `client.banned` where there is none. */
  async function lookUp<T>(
    ip: string,
    until: number,
    find: () => Promise<T | undefined> | undefined,
  ): Promise<T> {
    if (!tally(lookedUp, LOOKED_UP, ip, 0)) throw refusal(until);
    const found = await find();
    if (found !== undefined) return found;
    tally(lookedUp, LOOKED_UP, ip, 1);
    throw refusal(until);
  }

  return {
    /** The principal of a request's key; throws `client.banned` when the key is wrong or missing. */
    async principalOf(request: FastifyRequest, until: number): Promise<Principal> {
      const { ip } = request;
      const key = carriedKey(request);
      if (key === undefined || !isWellFormedKey(key)) throw refusal(until);
      // A key that was right before is always looked up, whatever others at the address try.
      // Few keys are looked up for a banned address.
      if (!accounts.isKnown(key) && !tally(lookedUp, LOOKED_UP, ip, 0)) throw refusal(until);
      try {
        return await accounts.authenticate(key);
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'key.invalid') throw error;
        tally(lookedUp, LOOKED_UP, ip, 1);
        throw refusal(until);
      }
    },

    /** Admits a signed-in person. */
    async admitPerson(request: FastifyRequest, until: number): Promise<void> {
      request.person = await lookUp(request.ip, until, () => personOf(request));
    },

    /** Who uses the console; undefined for a request that has a key, or no session. */
    callerOf(request: FastifyRequest, until: number): Promise<ConsoleCaller> | undefined {
      const found = carriedKey(request) === undefined ? options.consoleOf?.(request) : undefined;
      return found === undefined ? undefined : lookUp(request.ip, until, () => found);
    },

    /** Admits who may use the operator's pages. */
    async admitOperatorSession(request: FastifyRequest, until: number): Promise<void> {
      request.operator = await lookUp(request.ip, until, () => operatorOf(request));
    },

    /** Admits the admin token. */
    admitAdmin(ip: string, token: string, until: number): void {
      if (token === '' || !tally(tokens, TOKENS, ip, 0)) throw refusal(until);
      if (adminToken.equals(token)) return;
      tally(tokens, TOKENS, ip, 1);
      throw refusal(until);
    },
  };
}

/** Undefined also for headers without a valid key. */
function carriedKey(request: FastifyRequest): string | undefined {
  try {
    return keyOf(request);
  } catch {
    return undefined;
  }
}
