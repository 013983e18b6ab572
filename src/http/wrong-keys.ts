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
    uncounted.take(clientAddress(ip), UNCOUNTED, { now: clock.now(), cost }).isWithin;

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
