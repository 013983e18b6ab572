import { sql } from 'kysely';
import type { LinkKey, LinkOf } from '../../../adapter/session.ts';
import { claimRows } from '../../../db/claim.ts';
import type { Database } from '../../../db/database.ts';
import { MOST_IN_BACKGROUND } from '../../../db/group-commit.ts';
import { isActive, linkName, madeHere } from '../../../db/rows.ts';

const STREAMS = { table: 'link_streams', key: { account_id: 'account', link_id: 'link' } } as const;
const OPEN = { account: 'bigint', link: 'text', holder: 'text', since: 'bigint' } as const;

/** Since when the holder's stream of a link is open; null where it is not. */
interface Open extends LinkKey {
  readonly holder: string;
  readonly since: number | null;
}

/** The only SQL for `link_streams`. */
export function createStreamStore(database: Database) {
  const { queries, moments, group, lockedRows } = database;
  const inMs = (ms: number) => sql<number>`${moments.now} + ${ms}`;
  return {
    /** Links of these vendors whose stream nobody holds yet become ones that anybody may hold. */
    async addMissing(vendors: readonly string[], most: number): Promise<void> {
      const missing = await queries
        .selectFrom('links')
        .leftJoin('link_streams as stream', (join) =>
          join.onRef('stream.account_id', '=', 'links.account_id').onRef('stream.link_id', '=', 'links.id'),
        )
        .select(['links.account_id', 'links.id', 'links.vendor'])
        .where('links.vendor', 'in', [...vendors])
        .where('stream.link_id', 'is', null)
        .limit(most)
        .execute();
      if (missing.length === 0) return;
      await queries
        .insertInto('link_streams')
        .values(
          missing.map((row) => ({
            account_id: row.account_id,
            link_id: row.id,
            vendor: row.vendor,
            holder: null,
            held_until: 0,
            open_since: null,
          })),
        )
        .onConflict((conflict) => conflict.columns(['account_id', 'link_id']).doNothing())
        .execute();
    },

    /** Takes streams that nobody holds, or whose holder is dead. */
    async claim(
      holder: string,
      at: {
        readonly vendors: readonly string[];
        readonly leaseMs: number;
        readonly most: number;
        readonly instance: string;
      },
    ): Promise<LinkOf[]> {
      const rows = await claimRows(database, {
        ...{ table: 'link_streams', key: ['account_id', 'link_id'], due: 'held_until' },
        ...{ claimMs: at.leaseMs, most: at.most },
        where: sql`vendor in (${sql.join(at.vendors)}) and ${madeHere('link_streams', at.instance)} and ${isActive}`,
        set: { holder, open_since: null },
      });
      return rows.map((row) => ({ account: row.account_id, link: row.link_id, vendor: row.vendor }));
    },

    /** Keeps what this process holds; answers what that still is. */
    async renew(holder: string, leaseMs: number): Promise<LinkKey[]> {
      const rows = await queries
        .updateTable('link_streams')
        .set({ held_until: inMs(leaseMs) })
        .where('holder', '=', holder)
        .where(isActive)
        .returning(['account_id', 'link_id'])
        .execute();
      return rows.map((row) => ({ account: row.account_id, link: row.link_id }));
    },

    /** Of several that come at once for a link, the last one stays. */
    setOpen: group(async (on, streams: readonly Open[]): Promise<undefined[]> => {
      const last = new Map(
        streams.map(({ account, link, holder, since }) => [
          linkName({ account, link }),
          { account, link, holder, since },
        ]),
      );
      await sql`
        update link_streams set open_since = r.since from ${lockedRows(STREAMS, OPEN, [...last.values()])} as r
        where link_streams.account_id = r.account and link_streams.link_id = r.link and link_streams.holder = r.holder
      `.execute(on);
      return streams.map(() => undefined);
    }, MOST_IN_BACKGROUND),

    /** Gives a stream back; nobody takes it within `waitMs`. */
    async release({ account, link }: LinkKey, holder: string, waitMs: number): Promise<void> {
      await queries
        .updateTable('link_streams')
        .set({ holder: null, held_until: inMs(waitMs), open_since: null })
        .where('account_id', '=', account)
        .where('link_id', '=', link)
        .where('holder', '=', holder)
        .execute();
    },

    /** A stream that was given back for a while may be taken again. */
    async free({ account, link }: LinkKey): Promise<void> {
      await queries
        .updateTable('link_streams')
        .set({ held_until: 0 })
        .where('account_id', '=', account)
        .where('link_id', '=', link)
        .where('holder', 'is', null)
        .execute();
    },

    async isOpen({ account, link }: LinkKey): Promise<boolean> {
      const row = await queries
        .selectFrom('link_streams')
        .select('open_since')
        .where('account_id', '=', account)
        .where('link_id', '=', link)
        .where('held_until', '>', moments.now)
        .executeTakeFirst();
      return row?.open_since != null;
    },
  };
}

export type StreamStore = ReturnType<typeof createStreamStore>;
