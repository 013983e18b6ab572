import { hash } from 'node:crypto';
import type { Adapter } from '../../../adapter/adapter.ts';
import { credentialFields } from '../../../adapter/credential-fields.ts';
import { AppError } from '../../../core/errors.ts';
import { createSemaphore, type Semaphore } from '../../../core/semaphore.ts';
import type { Limits } from '../../../http/rate-limit.ts';

const WRONG = 10;
const WINDOW_SECONDS = 900;
/** Further tries for the same user are refused while these wait for the one that is made. */
const WAITING = 10;

interface Try {
  readonly account: number;
  readonly vendor: string;
  readonly credentials: unknown;
}

/**
 * Keeps an account from guessing the passwords of a vendor's users: what the vendor refuses is counted for each of them, by
 * whatever way it came. Another account is not slowed down by it.
 */
export function guessLimit(adapters: ReadonlyMap<string, Adapter>, limits: Limits) {
  const wrong = limits.perName('link.wrong', WRONG, WINDOW_SECONDS);
  const inTurn = oneByOne();
  return async function guarded<T>(tried: Try, work: () => Promise<T>): Promise<T> {
    const adapter = adapters.get(tried.vendor);
    // Where no secret is asked for there is nothing to guess; a code of a sign-in is good once.
    const name = adapter?.oauth === undefined && adapter !== undefined ? nameOf(adapter, tried) : undefined;
    if (name === undefined) return work();
    return inTurn(name, async () => {
      await wrong.check(name);
      try {
        return await work();
      } catch (error) {
        if (error instanceof AppError && error.code === 'link.credentials_refused') await wrong.take(name);
        throw error;
      }
    });
  };
}

/** One try at a time for each user: many at once would all be sent before the first refusal is counted. */
function oneByOne() {
  const queues = new Map<string, { readonly semaphore: Semaphore; tries: number }>();
  return async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const queue = queues.get(name) ?? {
      semaphore: createSemaphore({ places: 1, waiting: WAITING }),
      tries: 0,
    };
    if (queue.semaphore.isFull)
      throw new AppError('limit.busy', 'other requests are linking this vendor account; wait for them', {
        retryAfterSeconds: 15,
      });
    queues.set(name, queue);
    queue.tries += 1;
    try {
      return await queue.semaphore.run(work);
    } finally {
      queue.tries -= 1;
      if (queue.tries === 0) queues.delete(name);
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
