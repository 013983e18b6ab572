import { sql } from 'kysely';
import type { Database } from '../../../db/database.ts';

/** A delivery as it is taken in. */
export interface Arrived {
  readonly vendor: string;
  /** Names it at its vendor; the same one again is the same delivery. */
  readonly deliveryId: string;
  readonly receivedAt: number;
  readonly status: 'pending' | 'failed';
  readonly reason: string | null;
  readonly headersJson: string;
  readonly body: Uint8Array;
}

export interface Pending {
  readonly id: number;
  readonly receivedAt: number;
  readonly attempts: number;
  readonly headersJson: string;
  readonly body: Uint8Array;
}

/** Rows of a statement. Few sizes make few statements, which are prepared once. */
const SIZES = [64, 8, 1];
const IDS = 64;

/** The only SQL for `webhook_deliveries`. */
export function createDeliveryStore(database: Database) {
  const { queries, moments } = database;
  return {
    /** Stores all or none of them, but those that are known already; answers the ids of what is new, `vendor deliveryId`. */
    add(arrived: readonly Arrived[]): Promise<Set<string>> {
      return database.transaction(async (transaction) => {
        const added = new Set<string>();
        for (const batch of inSizes(arrived)) {
          const rows = await transaction
            .insertInto('webhook_deliveries')
            .values(
              batch.map((one) => ({
                vendor: one.vendor,
                delivery_id: one.deliveryId,
                received_at: one.receivedAt,
                status: one.status,
                due_at: 0,
                attempts: 0,
                reason: one.reason,
                headers_json: one.headersJson,
                body: one.body,
              })),
            )
            .onConflict((conflict) => conflict.columns(['vendor', 'delivery_id']).doNothing())
            .returning(['vendor', 'delivery_id'])
            .execute();
          for (const row of rows) added.add(`${row.vendor} ${row.delivery_id}`);
        }
        return added;
      });
    },

    /** What is due of a vendor, in the order of arrival. */
    async pending(vendor: string, most: number): Promise<Pending[]> {
      const rows = await queries
        .selectFrom('webhook_deliveries')
        .select(['id', 'received_at', 'attempts', 'headers_json', 'body'])
        .where('vendor', '=', vendor)
        .where('status', '=', 'pending')
        .where('due_at', '<=', moments.now)
        .orderBy('id')
        .limit(most)
        .execute();
      return rows.map((row) => ({
        id: row.id,
        receivedAt: row.received_at,
        attempts: row.attempts,
        headersJson: row.headers_json ?? '{}',
        body: row.body ?? new Uint8Array(),
      }));
    },

    /** Vendors of which something waits, with how much. */
    async backlog(): Promise<{ vendor: string; count: number }[]> {
      return queries
        .selectFrom('webhook_deliveries')
        .select(({ fn }) => ['vendor', fn.countAll<number>().as('count')])
        .where('status', '=', 'pending')
        .groupBy('vendor')
        .execute();
    },

    /** They are applied: of each only its id is kept, so that it is known when it comes again. */
    async done(ids: readonly number[]): Promise<void> {
      for (let from = 0; from < ids.length; from += IDS) {
        const some = ids.slice(from, from + IDS);
        const last = some.at(-1) ?? 0;
        await queries
          .updateTable('webhook_deliveries')
          .set({ status: 'done', reason: null, headers_json: null, body: null })
          .where('id', 'in', [...some, ...Array.from({ length: IDS - some.length }, () => last)])
          .execute();
      }
    },

    /** It could not be applied: it is tried again after `waitMs`, or kept as failed. */
    async notDone(
      id: number,
      what: { readonly attempts: number; readonly waitMs: number | undefined; readonly reason: string },
    ): Promise<void> {
      const { attempts, waitMs, reason } = what;
      const next =
        waitMs === undefined ? { status: 'failed' } : { due_at: sql<number>`${moments.now} + ${waitMs}` };
      await queries
        .updateTable('webhook_deliveries')
        .set({ attempts, reason, ...next })
        .where('id', '=', id)
        .execute();
    },

    /** Those that have ended so. */
    ended: (status: 'done' | 'failed') => ({
      /** Removes at most `limit` of those that arrived before a moment; resolves to how many. */
      async removeBefore(moment: number, limit: number): Promise<number> {
        const { numDeletedRows } = await queries
          .deleteFrom('webhook_deliveries')
          .where('id', 'in', (eb) =>
            eb
              .selectFrom('webhook_deliveries')
              .select('id')
              .where('status', '=', status)
              .where('received_at', '<', moment)
              .limit(limit),
          )
          .executeTakeFirst();
        return Number(numDeletedRows);
      },
    }),
  };
}

export type DeliveryStore = ReturnType<typeof createDeliveryStore>;

function* inSizes<T>(items: readonly T[]): Generator<readonly T[]> {
  let from = 0;
  for (const size of SIZES)
    for (; items.length - from >= size; from += size) yield items.slice(from, from + size);
}
