import type { FastifyRequest } from 'fastify';
import type { Clock } from '../core/clock.ts';
import { AppError } from '../core/errors.ts';
import type { Secret } from '../core/secret.ts';
import { type Accounts, clientAddress, isWellFormedKey, type Principal } from '../domain/accounts/index.ts';
import type { ConsoleCaller, Operator, Person } from './access.ts';
import { keyOf } from './key-of.ts';
import { MemoryTallies } from './rate-limit-memory.ts';
import { makePlan } from './rate-limit-plan.ts';

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
const MOST_ADDRESSES = 10_000;

/**
 * What a ban still allows. An address can be a home, an office or a mobile network, so a right key, session or admin token from it
 * is accepted, while a wrong or missing one is refused. Attempts are counted in this process only, so that none waits for Redis.
 */
export function createBannedGate(options: BannedGateOptions) {
  const { accounts, clock, adminToken, personOf, operatorOf } = options;
  const lookedUp = new MemoryTallies(MOST_ADDRESSES);
  const tokens = new MemoryTallies(MOST_ADDRESSES);

  const tally = (of: MemoryTallies, plan: typeof TOKENS, ip: string, cost: 0 | 1): boolean =>
    of.take(clientAddress(ip), plan, { now: clock.now(), cost }).isWithin;

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
