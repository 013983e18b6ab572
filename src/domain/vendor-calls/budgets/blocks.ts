import type { Adapter } from '../../../adapter/adapter.ts';
import { DeviceLimited } from '../../../adapter/failures.ts';
import { HttpFailure } from '../../../adapter/http.ts';
import type { LinkKey } from '../../../adapter/session.ts';
import { AppError } from '../../../core/errors.ts';
import type { Log } from '../../../core/log.ts';
import type { Database } from '../../../db/database.ts';
import { linkName } from '../../../db/rows.ts';
import { topic } from '../../../db/topic.ts';
import { type Block, createBlockStore } from './store.ts';

const BLOCKED = topic<Block>('vendors.blocked');
/** Of a vendor that does not say for how long. */
const UNSTATED_SECONDS = 60;
const MOST_SECONDS = 86_400;
/** A block that is told again in the same moment is not stored again. */
const SAME_MS = 1_000;

/** Who calls which host of which vendor. */
export interface Called {
  readonly adapter: Pick<Adapter, 'slug' | 'name' | 'budgets'>;
  readonly host: string;
  readonly link: LinkKey;
}

const keyOf = ({ vendor, host, subject }: Omit<Block, 'until'>): string => `${vendor} ${host} ${subject}`;

/**
 * What vendors have said of calls that are too many: until then nothing is sent. Some count from the last call, so that a caller that goes on
 * calling is never let in again. Kept in the database, and known to every process.
 */
export function createBlocks({ database, log }: { readonly database: Database; readonly log: Log }) {
  const { bus, moments } = database;
  const store = createBlockStore(database);
  const blocks = new Map<string, Block>();
  let loading: Promise<void> | undefined;

  BLOCKED.on(bus, keep);
  bus.onGap(() => {
    loading = undefined;
  });

  function keep(block: Block): void {
    const known = blocks.get(keyOf(block));
    if (known === undefined || known.until < block.until) blocks.set(keyOf(block), block);
  }

  async function load(): Promise<void> {
    for (const block of await store.all()) keep(block);
  }

  /** Blocks that were stored before this process began, or while it heard nothing, count too. */
  function known(): Promise<void> {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  }

  function active(vendor: string): Block[] {
    const now = moments.clock.now();
    for (const [key, { until }] of blocks) if (until <= now) blocks.delete(key);
    return [...blocks.values()].filter((block) => block.vendor === vendor);
  }

  /**
   * Whom a refusal is of, by the vendor's limits: everybody, where there is one of the address or none but of the app; the link
   * otherwise. Where links have limits too, it is of everybody as soon as two links are refused at once.
   */
  function sharedBy({ adapter, host, link }: Called): string {
    const of = new Set((adapter.budgets ?? []).map((rule) => rule.of));
    if (of.has('address')) return '';
    if (!of.has('app')) return linkName(link);
    if (!of.has('link') && !of.has('site') && !of.has('device')) return '';
    const others = active(adapter.slug).filter(
      (block) => block.host === host && block.subject !== linkName(link),
    );
    return others.length > 0 ? '' : linkName(link);
  }

  return {
    /** Throws `vendor.rate_limited` with what is left of a block. */
    async check({ adapter, host, link }: Called): Promise<void> {
      await known();
      if (blocks.size === 0) return;
      const now = moments.clock.now();
      const ends = ['', linkName(link)].map(
        (subject) => blocks.get(keyOf({ vendor: adapter.slug, host, subject }))?.until ?? 0,
      );
      const seconds = Math.ceil((Math.max(...ends) - now) / 1000);
      if (seconds > 0)
        throw new HeldBack(`${adapter.name} limits our calls; retry in ${seconds} seconds`, seconds);
    },

    /** Remembers what a failure says of further calls; most say nothing. */
    async learn(error: unknown, called: Called): Promise<void> {
      const seconds = secondsIn(error);
      if (seconds === undefined) return;
      const { adapter, host } = called;
      const until = moments.clock.now() + seconds * 1000;
      const block = { vendor: adapter.slug, host, subject: sharedBy(called), until };
      if (until - (blocks.get(keyOf(block))?.until ?? 0) < SAME_MS) return;
      keep(block);
      log.info({ ...block, seconds }, 'a vendor refuses calls for a while');
      try {
        await store.put(block);
        await BLOCKED.publish(bus, block);
        await store.removeBefore(moments.clock.now() - MOST_SECONDS * 1000);
      } catch (cause) {
        // It holds here; the others learn of it by their own calls.
        log.warn({ err: cause, vendor: adapter.slug }, 'that a vendor refuses calls was not stored');
      }
    },

    /** Blocks of all vendors that hold now. */
    async all(): Promise<Block[]> {
      await known();
      const now = moments.clock.now();
      return [...blocks.values()].filter(({ until }) => until > now);
    },

    /** Blocks of a vendor that concern these links. */
    async of(vendor: string, links: readonly LinkKey[]): Promise<Block[]> {
      await known();
      const own = new Set(['', ...links.map(linkName)]);
      return active(vendor).filter(({ subject }) => own.has(subject));
    },
  };
}

export type Blocks = ReturnType<typeof createBlocks>;

/** For how long a failure tells us not to call; undefined where it does not, is of one device, or where we have held the call back. */
function secondsIn(error: unknown): number | undefined {
  if (error instanceof HeldBack || error instanceof DeviceLimited) return undefined;
  const failure = error instanceof AppError ? error.cause : error;
  const isOurs =
    failure instanceof HttpFailure && failure.kind === 'rate_limited' && failure.status === undefined;
  const isLimit =
    error instanceof AppError
      ? error.code === 'vendor.rate_limited'
      : error instanceof HttpFailure && error.kind === 'rate_limited';
  if (!isLimit || isOurs) return undefined;
  const { retryAfterSeconds = UNSTATED_SECONDS } = error as AppError | HttpFailure;
  return Math.min(Math.max(1, retryAfterSeconds), MOST_SECONDS);
}

/** `vendor.rate_limited` by ourselves: the vendor was not asked, and so it has said nothing new. */
export class HeldBack extends AppError {
  constructor(sentence: string, retryAfterSeconds: number) {
    super('vendor.rate_limited', sentence, { retryAfterSeconds });
  }
}
