import type { Selectable } from 'kysely';
import type { LinkOf } from '../../../adapter/session.ts';
import type { Database, Queries } from '../../../db/database.ts';
import type { Tables } from '../../../db/tables.ts';

export type GatewayRow = Selectable<Tables['gateways']>;

/** One gateway of one account. */
export interface GatewayKey {
  readonly account: number;
  readonly id: string;
}

/** What a link is of, at its vendor. */
export interface VendorAccount {
  readonly vendor: string;
  readonly vendorAccount: string;
}

/** What a gateway says of itself when it connects. */
export interface Connected {
  readonly instance: string;
  readonly version: string | null;
  readonly networks: readonly string[];
  readonly at: number;
}

/** The only SQL for `gateways`. */
export function createGatewayStore({ queries }: Database) {
  const one = ({ account, id }: GatewayKey) =>
    queries.updateTable('gateways').where('account_id', '=', account).where('id', '=', id);
  return {
    async count(of: Queries, account: number): Promise<number> {
      const { gateways } = await of
        .selectFrom('gateways')
        .select(({ fn }) => fn.countAll().as('gateways'))
        .where('account_id', '=', account)
        .executeTakeFirstOrThrow();
      return Number(gateways);
    },

    async insert(of: Queries, row: GatewayRow): Promise<void> {
      await of.insertInto('gateways').values(row).execute();
    },

    /** False where there is no such gateway. */
    async setCode(
      of: Queries,
      { account, id }: GatewayKey,
      code: { readonly sha256: string; readonly expiresAt: number },
    ): Promise<boolean> {
      const { numUpdatedRows } = await of
        .updateTable('gateways')
        .set({ code_sha256: code.sha256, code_expires_at: code.expiresAt })
        .where('account_id', '=', account)
        .where('id', '=', id)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** The gateway that has the code, which is used up with that; its key is another from then on. */
    spendCode(
      of: Queries,
      code: { readonly sha256: string; readonly now: number },
      keySha256: string,
    ): Promise<GatewayRow | undefined> {
      return (
        of
          .updateTable('gateways')
          .set({ key_sha256: keySha256, code_sha256: null, code_expires_at: null, paired_at: code.now })
          .where('code_sha256', '=', code.sha256)
          // control: a pairing code is good for ten minutes [gateways/gateways]
          .where('code_expires_at', '>', code.now)
          .returningAll()
          .executeTakeFirst()
      );
    },

    byKey: (sha256: string): Promise<GatewayRow | undefined> =>
      queries.selectFrom('gateways').selectAll().where('key_sha256', '=', sha256).executeTakeFirst(),

    byId: (id: string): Promise<GatewayRow | undefined> =>
      queries.selectFrom('gateways').selectAll().where('id', '=', id).executeTakeFirst(),

    find: ({ account, id }: GatewayKey): Promise<GatewayRow | undefined> =>
      queries
        .selectFrom('gateways')
        .selectAll()
        // control: a gateway of another account is not found [gateways/gateways]
        .where('account_id', '=', account)
        .where('id', '=', id)
        .executeTakeFirst(),

    list: (account: number): Promise<GatewayRow[]> =>
      queries
        .selectFrom('gateways')
        .selectAll()
        .where('account_id', '=', account)
        .orderBy('created_at')
        .orderBy('id')
        .execute(),

    async remove(of: Queries, { account, id }: GatewayKey): Promise<boolean> {
      const { numDeletedRows } = await of
        .deleteFrom('gateways')
        .where('account_id', '=', account)
        .where('id', '=', id)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },

    async connected(key: GatewayKey, { instance, version, networks, at }: Connected): Promise<void> {
      await one(key)
        .set({ instance, version, networks_json: JSON.stringify(networks), last_heard_at: at })
        .execute();
    },

    async heard(ids: readonly string[], { instance, at }: { instance: string; at: number }): Promise<void> {
      if (ids.length === 0) return;
      await queries
        .updateTable('gateways')
        .set({ last_heard_at: at })
        .where('id', 'in', [...ids])
        .where('instance', '=', instance)
        .execute();
    },

    /** False where it has connected elsewhere meanwhile. */
    async disconnected(key: GatewayKey, instance: string): Promise<boolean> {
      const { numUpdatedRows } = await one(key)
        .set({ instance: null })
        .where('instance', '=', instance)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** Gateways whose process has not heard of them for so long that it must have ended; each is answered to one caller. */
    silentSince: (before: number): Promise<GatewayRow[]> =>
      queries
        .updateTable('gateways')
        .set({ instance: null })
        .where('instance', 'is not', null)
        .where('last_heard_at', '<', before)
        .returningAll()
        .execute(),

    /** Vendor accounts of an account that are linked, of those that are named. */
    async linkedOf(account: number, of: readonly VendorAccount[]): Promise<readonly VendorAccount[]> {
      if (of.length === 0) return [];
      const rows = await queries
        .selectFrom('links')
        .select(['vendor', 'vendor_account'])
        .where('account_id', '=', account)
        .where((where) =>
          where.or(
            of.map(({ vendor, vendorAccount }) =>
              where.and([where('vendor', '=', vendor), where('vendor_account', '=', vendorAccount)]),
            ),
          ),
        )
        .execute();
      return rows.map((row) => ({ vendor: row.vendor, vendorAccount: row.vendor_account }));
    },

    async links({ account, id }: GatewayKey): Promise<LinkOf[]> {
      const rows = await queries
        .selectFrom('links')
        .select(['id', 'vendor'])
        .where('account_id', '=', account)
        .where('gateway_id', '=', id)
        .execute();
      return rows.map((row) => ({ account, link: row.id, vendor: row.vendor }));
    },
  };
}

export type GatewayStore = ReturnType<typeof createGatewayStore>;
