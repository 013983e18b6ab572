import { hash } from 'node:crypto';
import { BoundedMap } from '../../core/bounded-map.ts';
import type { Clock } from '../../core/clock.ts';
import { MINUTE_MS } from '../../core/durations.ts';
import { AppError } from '../../core/errors.ts';
import { clientAddress, isLoopback } from '../../domain/access/accounts/index.ts';
import { makePlan } from '../../http/rate-limit-plan.ts';
import { callAt, MemoryTallies } from '../../http/rate-limit-tally.ts';

/** Unknown keys per minute and address: each costs a query. */
const KEYS = makePlan([{ name: 'unknown-gateways', calls: 60, lengthMs: MINUTE_MS }]);
/** Different wrong pairing codes per address. */
const CODES = makePlan([{ name: 'wrong-codes', calls: 10, lengthMs: 10 * MINUTE_MS }]);
const MOST_ADDRESSES = 10_000;
const MOST_REMEMBERED = 50_000;

/** What a gateway shows at the door. */
export interface Shown {
  readonly key: string;
  readonly code: string | undefined;
}

const digestOf = (...parts: readonly string[]): string => hash('sha256', parts.join(' '));

/**
 * Limits what an address tries at the door for gateways. Nothing of it brings a ban nearer: a key has 256 random bits, a code 80 for ten
 * minutes, so that who shows a wrong one is nearly always a gateway that was removed, or a typo, at the home of a customer. For the same
 * reason a ban of the address, which others there may have brought about, refuses nobody here.
 */
export function limitAttempts(clock: Clock) {
  const unknownKeys = new MemoryTallies(MOST_ADDRESSES);
  const wrongCodes = new MemoryTallies(MOST_ADDRESSES);
  /** Keys that were right: they are looked up whatever others at the address try. */
  const right = new BoundedMap<string, true>(MOST_REMEMBERED);
  /** Codes that were wrong at an address: they never become right. */
  const wrong = new BoundedMap<string, true>(MOST_REMEMBERED);

  const tally = (of: MemoryTallies, plan: typeof KEYS, ip: string, cost: 0 | 1): boolean =>
    isLoopback(ip) || of.take(clientAddress(ip), plan, callAt(clock, cost)).isWithin;

  return {
    /** What `admit` answers to what is shown; throws its error, or `limit.exceeded` where the address has tried too much. */
    async of<T>(ip: string, { key, code }: Shown, admit: (shown: Shown) => Promise<T>): Promise<T> {
      const keyDigest = digestOf(key);
      // Few unknown keys of gateways are looked up for an address.
      if (!right.has(keyDigest) && !tally(unknownKeys, KEYS, ip, 0))
        throw new AppError(
          'limit.exceeded',
          'too many gateways with unknown keys knock from this address; retry in a minute',
          { retryAfterSeconds: MINUTE_MS / 1_000 },
        );
      const codeDigest = code === undefined ? undefined : digestOf(clientAddress(ip), code);
      // A gateway that is started again and again with its old code makes no further guess.
      const isNew = codeDigest !== undefined && !wrong.has(codeDigest);
      // Few pairing codes are looked up for an address.
      const mayTry = isNew && tally(wrongCodes, CODES, ip, 0);
      try {
        const admitted = await admit({ key, code: mayTry ? code : undefined });
        right.set(keyDigest, true);
        return admitted;
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'gateway.key_invalid') throw error;
        tally(unknownKeys, KEYS, ip, 1);
        if (mayTry) {
          tally(wrongCodes, CODES, ip, 1);
          wrong.set(codeDigest, true);
        } else if (isNew)
          throw new AppError(
            'limit.exceeded',
            'too many wrong pairing codes came from this address; retry in ten minutes, with a new code',
            { retryAfterSeconds: (10 * MINUTE_MS) / 1_000 },
          );
        throw error;
      }
    },
  };
}
