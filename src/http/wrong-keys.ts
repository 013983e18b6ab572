import type { FastifyRequest } from 'fastify';
import type { Clock } from '../core/clock.ts';
import { AppError } from '../core/errors.ts';
import type { Secret } from '../core/secret.ts';
import { type Accounts, clientAddress, isWellFormedKey } from '../domain/accounts/index.ts';
import type { Limits } from './rate-limit.ts';
import { MemoryTallies } from './rate-limit-memory.ts';
import { makePlan } from './rate-limit-plan.ts';
import { isFromForeignPage } from './same-origin.ts';

interface WrongKeysOptions {
  readonly accounts: Pick<Accounts, 'bans' | 'isKnown'>;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly adminToken: Secret;
}

/** How often in ten minutes an address is told that its key is the admin token: as often as it may try that token itself. */
const TOLD_IN_TEN_MINUTES = 9;

/** Wrong keys of an address in a minute that do not bring it nearer to a ban: each costs a query all the same. */
const UNCOUNTED = makePlan([{ name: 'uncounted-keys', calls: 60, lengthMs: 60_000 }]);
const MOST_ADDRESSES = 10_000;

/**
 * What becomes of a key that is wrong. Only what could be a guess brings an address nearer to a ban: not a typo, whose checksum
 * does not fit, and nothing that a page of another site made a visitor's browser send.
 */
export function wrongKeys({ accounts, limits, clock, adminToken }: WrongKeysOptions) {
  const uncounted = new MemoryTallies(MOST_ADDRESSES);
  const told = limits.perIp('admin-token-as-key', TOLD_IN_TEN_MINUTES, 600);

  /** In constant time, and no oracle: an address gets as many answers as it has tries at the token itself. */
  async function isAdminToken(ip: string, key: string): Promise<boolean> {
    try {
      await told.take(ip);
    } catch {
      return false;
    }
    return adminToken.equals(key);
  }

  const tally = (ip: string, cost: 0 | 1): boolean =>
    uncounted.take(clientAddress(ip), UNCOUNTED, { now: clock.now(), cost }).isWithin;

  return {
    /** Throws `limit.exceeded` for a key that is not worth looking up any more. */
    check(request: FastifyRequest, key: string): void {
      if (!isFromForeignPage(request) || accounts.isKnown(key) || tally(request.ip, 0)) return;
      throw new AppError(
        'limit.exceeded',
        'too many wrong API keys came from pages at this address; retry in a minute',
        { retryAfterSeconds: 60 },
      );
    },

    /** Throws what the caller is told. */
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
