import { hash } from 'node:crypto';
import type { Adapter } from '../../../adapter/adapter.ts';
import { credentialFields } from '../../../adapter/credential-fields.ts';
import { DAY_MS, HOUR_MS } from '../../../core/durations.ts';
import { AppError } from '../../../core/errors.ts';
import { createSemaphore, type Semaphore } from '../../../core/semaphore.ts';
import type { Limits } from '../../../http/rate-limit.ts';

const HOUR_SECONDS = HOUR_MS / 1_000;
const DAY_SECONDS = DAY_MS / 1_000;

const WRONG = 10;
const WINDOW_SECONDS = 900;
/** Further tries for the same user are refused while these wait for the one that is made. */
const WAITING = 10;
/** Different users of an account that a vendor's cloud may refuse, by tier: each is a try of a password that may be stolen. */
const REFUSED_USERS = {
  free: { hour: 10, day: 100 },
  pro: { hour: 100, day: 1_000 },
} as const;
/** Users of an account that are signed in at a vendor at a time, and that wait: no more are refused beyond the limit. */
const USERS_AT_ONCE = 4;
const USERS_WAITING = 200;

interface Try {
  readonly account: number;
  readonly vendor: string;
  readonly credentials: unknown;
}

interface GuessOptions {
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly limits: Limits;
  readonly tierOf: (account: number) => Promise<string>;
}

/**
 * Keeps an account from guessing the passwords of a vendor's users, and from trying stolen ones: what the vendor refuses is counted for each
 * user, by whatever way it came, and so are the users. A vendor sees one address, ours, and blocks it for everybody. Another account is not
 * slowed down by it.
 */
export function guessLimit({ adapters, limits, tierOf }: GuessOptions) {
  const wrong = limits.perName('link.wrong', WRONG, WINDOW_SECONDS);
  const inTurn = queues({ places: 1, waiting: WAITING });
  const oneOfFew = queues({ places: USERS_AT_ONCE, waiting: USERS_WAITING });
  const users = refusedUsers({ limits, tierOf });

  async function tryOnce<T>(name: string, tried: Try | undefined, work: () => Promise<T>): Promise<T> {
    await wrong.check(name);
    // An account tries few users of a vendor whom it refuses.
    if (tried !== undefined) await users.check(name, tried);
    try {
      return await work();
    } catch (error) {
      if (error instanceof AppError && error.code === 'link.credentials_refused') {
        if (tried !== undefined) await users.count(name, tried);
        await wrong.take(name);
      }
      throw error;
    }
  }

  return async function guarded<T>(tried: Try, work: () => Promise<T>): Promise<T> {
    const adapter = adapters.get(tried.vendor);
    // Where no secret is asked for there is nothing to guess; a code of a sign-in is good once.
    const name = adapter?.oauth === undefined && adapter !== undefined ? nameOf(adapter, tried) : undefined;
    if (name === undefined) return work();
    // A device in the user's network has no other users.
    if (adapter?.isLocal === true) return inTurn(name, () => tryOnce(name, undefined, work));
    return inTurn(name, () => oneOfFew(keyOf(tried), () => tryOnce(name, tried, work)));
  };
}

const keyOf = ({ account, vendor }: Try): string => `${account}/${vendor}`;

/** Counts the different users whom a vendor refuses to an account. */
function refusedUsers({ limits, tierOf }: Pick<GuessOptions, 'limits' | 'tierOf'>) {
  const limitsOf = (tier: keyof typeof REFUSED_USERS) => [
    limits.perName(`link.refused-hour.${tier}`, REFUSED_USERS[tier].hour, HOUR_SECONDS),
    limits.perName(`link.refused-day.${tier}`, REFUSED_USERS[tier].day, DAY_SECONDS),
  ];
  const byTier = { free: limitsOf('free'), pro: limitsOf('pro') };
  /** Whether a user has been counted: who mistypes a password again is no further user. */
  const counted = limits.perName('link.refused-user', 1, HOUR_SECONDS);
  const of = async ({ account }: Try) => byTier[(await tierOf(account)) === 'pro' ? 'pro' : 'free'];
  const isWithin = async (limit: () => Promise<void> | void): Promise<boolean> => {
    try {
      await limit();
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === 'limit.exceeded') return false;
      throw error;
    }
  };

  return {
    /** Throws `limit.exceeded` for one user too many. */
    async check(name: string, tried: Try): Promise<void> {
      if (!(await isWithin(() => counted.check(name)))) return;
      for (const limit of await of(tried))
        try {
          await limit.check(keyOf(tried));
        } catch (error) {
          if (!(error instanceof AppError) || error.retryAfterSeconds === undefined) throw error;
          throw new AppError(
            'limit.exceeded',
            `the vendor has refused the credentials of too many different users of this account; retry in ${error.retryAfterSeconds} seconds`,
            { cause: error, retryAfterSeconds: error.retryAfterSeconds },
          );
        }
    },

    async count(name: string, tried: Try): Promise<void> {
      if (!(await isWithin(() => counted.take(name)))) return;
      for (const limit of await of(tried)) await isWithin(() => limit.take(keyOf(tried)));
    },
  };
}

/** A few tries at a time for each name: many at once would all be sent before the first refusal is counted. */
function queues(size: { readonly places: number; readonly waiting: number }) {
  const waiting = new Map<string, { readonly semaphore: Semaphore; tries: number }>();
  return async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const queue = waiting.get(name) ?? { semaphore: createSemaphore(size), tries: 0 };
    if (queue.semaphore.isFull)
      throw new AppError('limit.busy', 'other requests are linking this vendor account; wait for them', {
        retryAfterSeconds: 15,
      });
    waiting.set(name, queue);
    queue.tries += 1;
    try {
      return await queue.semaphore.run(work);
    } finally {
      queue.tries -= 1;
      if (queue.tries === 0) waiting.delete(name);
    }
  };
}

export type GuessLimit = ReturnType<typeof guessLimit>;

/** Whose password it is, without saying so; undefined where there is none. */
function nameOf(adapter: Adapter, { account, credentials }: Try): string | undefined {
  const fields = credentialFields(adapter.credentials);
  if (!fields.some(({ kind }) => kind.is === 'secret')) return undefined;
  const given = new Map(
    typeof credentials === 'object' && credentials !== null ? Object.entries(credentials) : [],
  );
  const whose = fields
    .filter(({ kind }) => kind.is !== 'secret')
    .map(({ name }) =>
      String(given.get(name) ?? '')
        .trim()
        .toLowerCase(),
    );
  return hash('sha256', JSON.stringify([account, adapter.slug, ...whose]), 'hex');
}
