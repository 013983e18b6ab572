import { type Selectable, sql } from 'kysely';
import type { LinkKey } from '../../../adapter/session.ts';
import type { Database } from '../../../db/database.ts';
import { linkName, linkRows } from '../../../db/rows.ts';
import { sharedReads } from '../../../db/shared-reads.ts';
import type { Tables } from '../../../db/tables.ts';
import { type DeviceRow, deviceJson, type PlannedRow, planOf, toRow } from './rows.ts';
import { createListStore, type LinksOf } from './store-lists.ts';
import { createSightingStore } from './store-snapshots.ts';

/** Counts the devices of one account by vendor. The primary key begins with both, so it alone is read. */
export async function countDevicesOf(
  { queries }: Pick<Database, 'queries'>,
  account: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await queries
    .selectFrom('devices')
    .select(({ fn }) => ['vendor', fn.countAll().as('devices')])
    .where('account_id', '=', account)
    .groupBy('vendor')
    .execute();
  return new Map(rows.map(({ vendor, devices }) => [vendor, Number(devices)]));
}

export { asUnreachable, type DeviceRow, type PlannedRow, type Snapshot } from './rows.ts';

export type { LinksOf, NewDevice, OfLink } from './store-lists.ts';

export type { SnapshotWrite } from './store-snapshots.ts';

export interface PageFilter {
  readonly account: number;
  readonly vendor?: string;
  readonly deviceType?: string;
  readonly userRef?: string;
  readonly after?: { readonly vendor: string; readonly id: string };
  readonly limit: number;
}

/** What is read of `devices`, beside what lists and snapshots store. Only the stores of this folder have SQL for them. */
export function createDeviceStore(database: Database) {
  const { queries, rows } = database;

  return {
    /** All devices of an account that carry this id: one for each vendor that has it. */
    async byId(account: number, id: string): Promise<PlannedRow[]> {
      // Ordered here: to have the rows by vendor, SQLite would read all devices of the account by their primary key.
      const rows = await queries
        .selectFrom('devices')
        .innerJoin('links', (join) =>
          join.onRef('links.account_id', '=', 'devices.account_id').onRef('links.id', '=', 'devices.link_id'),
        )
        // A poll is of one device, or of all devices of the link.
        .leftJoin('device_polls as poll', (join) =>
          join
            .onRef('poll.account_id', '=', 'devices.account_id')
            .onRef('poll.link_id', '=', 'devices.link_id')
            .on(sql<boolean>`poll.device_id in ('', devices.id)`),
        )
        .selectAll('devices')
        .select([
          'links.status as link_status',
          'poll.due_at',
          'poll.planned_at',
          'poll.interval_s',
          'poll.hinted_at',
          'poll.active_until',
        ])
        // control: an account reads its own devices alone [devices/devices]
        .where('devices.account_id', '=', account)
        .where('devices.id', '=', id)
        .execute();
      return rows
        .map((row) => ({ ...toRow(row), plan: planOf(row) }))
        .toSorted((a, b) => (a.vendor < b.vendor ? -1 : 1));
    },

    /** The devices of a link, with all that is known of them. */
    rowsOfLink: sharedReads(async (links: readonly LinkKey[]): Promise<DeviceRow[][]> => {
      const { rows: found } = await sql<Selectable<Tables['devices']>>`
        select devices.* from ${linkRows(rows, links)} as r
        join devices on devices.account_id = r.account and devices.link_id = r.link`.execute(queries);
      // Asked for an order, SQLite would go through all devices of the account to have it.
      const sorted = found.map(toRow).sort((a, b) => (a.id < b.id ? -1 : 1));
      const byLink = Map.groupBy(sorted, linkName);
      return links.map((link) => byLink.get(linkName(link)) ?? []);
    }),

    /** Devices that a vendor names without saying whose they are. */
    async named(
      vendor: string,
      named: { readonly vendorAccount?: string | undefined; readonly device?: string | undefined },
    ): Promise<(LinkKey & { readonly id: string })[]> {
      let query = queries
        .selectFrom('devices')
        .innerJoin('links', (join) =>
          join.onRef('links.account_id', '=', 'devices.account_id').onRef('links.id', '=', 'devices.link_id'),
        )
        .select(['devices.account_id', 'devices.link_id', 'devices.id'])
        .where('devices.vendor', '=', vendor);
      if (named.vendorAccount !== undefined)
        query = query
          .where('links.vendor', '=', vendor)
          .where('links.vendor_account', '=', named.vendorAccount);
      if (named.device !== undefined) query = query.where('devices.id', '=', named.device);
      const rows = await query.execute();
      return rows.map((row) => ({ account: row.account_id, link: row.link_id, id: row.id }));
    },

    /** A page in the order of (vendor, id), as the JSON text of each device. */
    async page(filter: PageFilter): Promise<{ vendor: string; id: string; json: string }[]> {
      let query = queries
        .selectFrom('devices')
        .select([
          'vendor',
          'id',
          'device_type',
          'name',
          'link_id',
          'user_ref',
          'capabilities_json',
          'state_json',
          'observed_at',
          'measures',
          'interventions_json',
        ])
        .where('account_id', '=', filter.account);
      if (filter.vendor !== undefined) query = query.where('vendor', '=', filter.vendor);
      if (filter.deviceType !== undefined) query = query.where('device_type', '=', filter.deviceType);
      if (filter.userRef !== undefined) query = query.where('user_ref', '=', filter.userRef);
      const { after } = filter;
      if (after !== undefined) {
        query = query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('vendor', 'id'), '>', tuple(after.vendor, after.id)),
        );
      }
      const rows = await query.orderBy('vendor').orderBy('id').limit(filter.limit).execute();
      return rows.map((row) => ({ vendor: row.vendor, id: row.id, json: deviceJson(row) }));
    },

    /** How many devices each of these links has, and when one of them was read last. */
    async countByLink({
      account,
      links,
    }: LinksOf): Promise<Map<string, { readonly devices: number; readonly readAt: number | null }>> {
      if (links.length === 0) return new Map();
      const rows = await queries
        .selectFrom('devices')
        .select(({ fn }) => [
          'link_id',
          fn.countAll<number>().as('devices'),
          fn.max('fetched_at').as('read_at'),
        ])
        .where('account_id', '=', account)
        .where('link_id', 'in', links)
        .groupBy('link_id')
        .execute();
      return new Map(rows.map((row) => [row.link_id, { devices: row.devices, readAt: row.read_at }]));
    },

    /** Devices of these links of which it is known what their users permit. */
    async permitted({
      account,
      links,
    }: LinksOf): Promise<Pick<DeviceRow, 'link' | 'vendor' | 'type' | 'details' | 'granted'>[]> {
      if (links.length === 0) return [];
      const found = await queries
        .selectFrom('devices')
        .selectAll()
        .where('account_id', '=', account)
        .where('link_id', 'in', links)
        .where('granted_json', 'is not', null)
        .execute();
      return found.map(toRow);
    },

    ...createListStore(database),
    ...createSightingStore(database),
  };
}

export type DeviceStore = ReturnType<typeof createDeviceStore>;
