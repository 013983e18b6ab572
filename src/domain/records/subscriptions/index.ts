import { AppError } from '../../../core/errors.ts';
import { randomId } from '../../../core/ids.ts';
import type { Database } from '../../../db/database.ts';
import type { Host } from '../../../db/host.ts';
import { topic } from '../../../db/topic.ts';
import type { Vault } from '../../vendor-calls/calls/index.ts';
import { type EventLog, type GivenPosition, isAfter, type Position } from '../events/index.ts';
import { createDeliveries } from './deliveries.ts';
import { createDelivery } from './delivery.ts';
import type { Poster } from './post.ts';
import { createSubscriptionSecrets, sealedIn } from './secrets.ts';
import {
  createTesting,
  type Listed,
  type ListedAttempt,
  shown,
  shownAttempt,
  type TestResult,
} from './shown.ts';
import type { Signature } from './signing.ts';
import {
  createSubscriptionStore,
  type ListedRow,
  type SubscriptionKey,
  type SubscriptionStore,
} from './store.ts';

export type { Poster } from './post.ts';
export { SIGNATURES } from './signing.ts';
export { ATTEMPTS_KEPT, type SubscriptionKey } from './store.ts';

/** Subscriptions of an account at most. */
export const MOST_OF_ACCOUNT = 20;
/** Of the payload: another form gets another one. */
export const PAYLOAD_VERSION = 1;

/** Subscriptions of all accounts in one state. */
interface SubscriptionsInState {
  /** active, failing (the last delivery failed) or paused. */
  readonly state: string;
  readonly count: number;
  /** Age of the oldest event that one of them waits for, s; 0 where none waits. */
  readonly lag: number;
}

/** How many subscriptions there are, and how far they are behind, by state. */
export async function subscriptionStates(database: Database): Promise<readonly SubscriptionsInState[]> {
  const now = database.moments.clock.now();
  return (await createSubscriptionStore(database).states()).map(({ state, count, waiting_since: since }) => ({
    ...{ state, count },
    lag: since === null ? 0 : Math.max(0, now - since) / 1_000,
  }));
}

/** Subscriptions were made or changed. */
const CHANGED = topic<null>('subscriptions.changed');

/** What is posted where; null: all. */
export interface Wanted {
  readonly url: string;
  readonly types: readonly string[] | null;
  readonly device: string | null;
  readonly userRef: string | null;
}

interface SubscriptionsOptions {
  readonly host: Host;
  readonly vault: Vault;
  readonly eventLog: Pick<EventLog, 'page' | 'oldestAt' | 'watch' | 'bounds' | 'boundsFor'>;
  readonly poster: Poster;
}

/** What a new one begins with. */
const NEW = {
  ...{ status: 'active', reason: null, generation: 0, pending: 0 },
  ...{ free_at: 0, retry_at: 0, failures: 0, failing_since: null },
  ...{ lost_from: null, lost_until: null, attempts: 0, is_slow: 0 },
} as const;

/** Throws `subscription.too_many`. */
function insert(
  database: Pick<Database, 'transaction'>,
  store: SubscriptionStore,
  row: Parameters<SubscriptionStore['insert']>[1],
): Promise<void> {
  return database.transaction(async (queries) => {
    if ((await store.count(queries, row.account_id)) >= MOST_OF_ACCOUNT)
      throw new AppError(
        'subscription.too_many',
        `the account has ${MOST_OF_ACCOUNT} subscriptions, which is the limit; delete one, or change one with PATCH`,
      );
    await store.insert(queries, row);
  });
}

/** Throws `request.invalid`, `subscription.address_not_permitted`. */
function checked(poster: Pick<Poster, 'check'>, text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new AppError(
      'request.invalid',
      'url must be an address with https, such as https://app.example.com/events',
    );
  const url = new URL(text);
  url.hash = '';
  try {
    poster.check(url);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(
      'subscription.address_not_permitted',
      `events are not posted to ${url.host}: url must be a public address with https, without a user name, at port 443 or 8443, or an address in a network that the operator permits by ELNAV_LOCAL_NETWORKS`,
    );
  }
  return url.href;
}

async function rowOf(store: SubscriptionStore, key: SubscriptionKey): Promise<ListedRow> {
  const row = await store.find(key);
  if (row !== undefined) return row;
  throw new AppError(
    'subscription.not_found',
    `there is no subscription ${key.id.slice(0, 100)}; GET /subscriptions lists them`,
  );
}

/** Receivers of accounts, to which events are posted: readers of the log, each with a cursor of its own. */
export function createSubscriptions({ host, vault, eventLog, poster }: SubscriptionsOptions) {
  const { database, clock, random, log, metrics } = host;
  const { bus } = database;
  const moments = database.moments.clock;
  const store = createSubscriptionStore(database);
  const secrets = createSubscriptionSecrets({ vault, random });
  const deliver = createDelivery({ eventLog, poster, secrets, clock, moments, random, metrics });
  const deliveries = createDeliveries({ store, eventLog, deliver, clock, moments, log });
  const test = createTesting({ poster, secrets, clock, random });
  CHANGED.on(bus, () => deliveries.changed());
  metrics.watchSubscriptions(() => subscriptionStates(host.database));

  const announce = () => CHANGED.publish(bus, null);

  const find = async (key: SubscriptionKey): Promise<Listed> => shown(await rowOf(store, key), moments.now());

  return {
    /** Throws `subscription.too_many` and what a url is refused with. The secret is shown this once. */
    async create(
      account: number,
      { url: text, types, device, userRef }: Wanted,
      signature: Signature,
    ): Promise<Listed & { readonly secret: string | null }> {
      const url = checked(poster, text);
      const key = { account, id: randomId(random) };
      const { sealed, secret, publicKey } = secrets.make(key, signature);
      const { end } = await eventLog.bounds();
      const now = moments.now();
      await insert(database, store, {
        account_id: account,
        id: key.id,
        url,
        types_json: types === null ? null : JSON.stringify(types),
        device_id: device,
        user_ref: userRef,
        version: PAYLOAD_VERSION,
        signature,
        public_key: publicKey,
        vault_key: sealed.keyId,
        sealed_secrets: sealed.text,
        ...{ created_at: now, cursor_tx: end.tx, cursor_id: end.id, covered_at: now, ...NEW },
      });
      await announce();
      return { ...(await find(key)), secret };
    },

    list: async (account: number): Promise<Listed[]> => {
      const now = moments.now();
      return (await store.list(account)).map((row) => shown(row, now));
    },

    /** This and all that follow throw `subscription.not_found`, whether it does not exist or belongs to another account. */
    find,

    /** Where it goes and what it wants; what is undefined stays. The next delivery comes at once. */
    async change(key: SubscriptionKey, { url, types, device, userRef }: Partial<Wanted>): Promise<Listed> {
      await rowOf(store, key);
      await store.change(key, {
        ...(url === undefined ? {} : { url: checked(poster, url) }),
        ...(types === undefined ? {} : { types_json: types === null ? null : JSON.stringify(types) }),
        ...(device === undefined ? {} : { device_id: device }),
        ...(userRef === undefined ? {} : { user_ref: userRef }),
      });
      await announce();
      return find(key);
    },

    async remove(key: SubscriptionKey): Promise<void> {
      if (!(await store.remove(key))) await rowOf(store, key);
      await announce();
    },

    /** A new secret; the old one signs, too, for another day. */
    async rotate(key: SubscriptionKey): Promise<Listed & { readonly secret: string | null }> {
      const row = await rowOf(store, key);
      const { sealed, secret, publicKey } = secrets.rotate(row, clock.now());
      if (!(await store.setSecrets(key, sealedIn(row), { sealed, publicKey })))
        throw new AppError('limit.busy', 'the secret is being rotated by another request', {
          retryAfterSeconds: 1,
        });
      return { ...(await find(key)), secret };
    },

    /** Sends an event that is in no log, and answers what the receiver said. Throws `limit.busy`. */
    test: async (key: SubscriptionKey): Promise<TestResult> => test(await rowOf(store, key)),

    /** Delivers from there on, again or not at all; undefined: from the oldest event that is kept. Throws `Expired`. */
    async replay(key: SubscriptionKey, after: Position | GivenPosition | undefined): Promise<Listed> {
      await rowOf(store, key);
      const { removed } = await eventLog.boundsFor(after);
      await store.change(key, { after: after ?? removed });
      await announce();
      return find(key);
    },

    /** A paused one goes on where it was, or with the oldest event that is kept: `lost` says what is missing then. */
    async resume(key: SubscriptionKey): Promise<Listed> {
      const row = await rowOf(store, key);
      const { removed } = await eventLog.bounds();
      if (isAfter(removed, { tx: row.cursor_tx, id: row.cursor_id }))
        await store.skip(row, removed, { from: row.covered_at, until: await eventLog.oldestAt() });
      await store.change(key, { isResumed: true });
      await announce();
      return find(key);
    },

    /** The last ones, the newest first. */
    async attempts(key: SubscriptionKey): Promise<ListedAttempt[]> {
      await rowOf(store, key);
      return (await store.attempts(key)).map(shownAttempt);
    },

    /** Forgets those of a user; answers how many. */
    async removeOfUser(account: number, userRef: string): Promise<number> {
      const removed = await store.removeOfUser(account, userRef);
      if (removed > 0) await announce();
      return removed;
    },

    /** Forgets all of an account. */
    async removeAll(account: number): Promise<void> {
      if ((await store.removeAll(account)) > 0) await announce();
    },

    start: deliveries.start,
    stop: deliveries.stop,
    close: () => deliveries.close(),
  };
}

export type Subscriptions = ReturnType<typeof createSubscriptions>;
