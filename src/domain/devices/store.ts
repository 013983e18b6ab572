import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Capability } from '../../adapter/capabilities.ts';
import {
  type AvailableCapacity,
  type DeviceState,
  DeviceState as DeviceStateSchema,
  type DeviceType,
  type Limits,
} from '../../adapter/device.ts';
import type { DeviceRef, LinkKey } from '../../adapter/session.ts';
import { MINUTE_MS } from '../../core/durations.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Database, Queries } from '../../db/database.ts';
import { STATE_CONFIRMED } from '../../db/events.ts';
import { MOST_IN_BACKGROUND } from '../../db/group-commit.ts';
import { linkName, linkRows } from '../../db/rows.ts';
import { sharedReads } from '../../db/shared-reads.ts';
import type { Tables } from '../../db/tables.ts';
import { deviceLinked, deviceRemoved } from './list-events.ts';

/** What a device was like when it was last seen. */
export interface Seen {
  readonly state: DeviceState;
  readonly limits: Limits | null;
  readonly capacity: AvailableCapacity | null;
  /** When the vendor measured, ms since 1970. */
  readonly observedAt: number;
  /** When we learnt it. */
  readonly fetchedAt: number;
  /** Fields that the vendor has reported since the last whole reading. */
  readonly reported?: Reported;
}

export interface Reported {
  /** When the rest of the state was measured. */
  readonly whole: number;
  /** When each of the fields was so. */
  readonly fields: { readonly [F in keyof DeviceState]?: number };
}

export interface DeviceRow extends DeviceRef {
  readonly vendor: string;
  readonly name: string | null;
  readonly capabilities: readonly Capability[];
  readonly seen: Seen | null;
  /** Its open interventions, as JSON text. */
  readonly open: string | null;
  /** What its user permits, where capabilities depend on it and it is known. */
  readonly granted?: readonly string[];
  /** Since when lists of the account have left it out, ms since 1970. */
  readonly missingSince: number | null;
}

/** A device of a link, as it is to be stored. */
export interface NewDevice {
  readonly id: string;
  readonly type: DeviceType;
  readonly name: string | null;
  readonly capabilities: readonly Capability[];
  readonly details: JsonObject;
  readonly site: string | null;
  /** What the user permits for it; null where nobody asks, or knows. */
  readonly granted: readonly string[] | null;
}

export interface OfLink extends LinkKey {
  readonly vendor: string;
  readonly userRef: string;
}

export interface Sighting {
  readonly account: number;
  readonly vendor: string;
  readonly id: string;
  readonly seen: Seen;
  /** Stored only where nothing was learnt later than this, ms since 1970. */
  readonly unlessLaterThan?: number;
}

export interface PageFilter {
  readonly account: number;
  readonly vendor?: string;
  readonly deviceType?: string;
  readonly userRef?: string;
  readonly after?: { readonly vendor: string; readonly id: string };
  readonly limit: number;
}

const SIGHTING = {
  account: 'bigint',
  vendor: 'text',
  id: 'text',
  state_json: 'text',
  limits_json: 'text',
  available_capacity_json: 'text',
  observed_at: 'bigint',
  fetched_at: 'bigint',
  reported_json: 'text',
  unless_later_than: 'bigint',
} as const;

const OF_DEVICES = {
  table: 'devices',
  key: { account_id: 'account', vendor: 'vendor', id: 'id' },
  before: {
    state_before: 'state_json',
    fetched_before: 'fetched_at',
    link_id: 'link_id',
    user_ref: 'user_ref',
    logged_tx: 'logged_tx',
  },
} as const;

/** In the text of a state. A quote within a value is escaped, so that no value looks like it. */
const IS_OFFLINE = sql.lit('%"online":false%');
const asIfOnline = (state: string): RawBuilder<unknown> =>
  sql`replace(${sql.ref(state)}, '"online":false', '"online":true')`;

/** A state that stayed is an event of its own for readers within the service, where it had not been confirmed for so long. */
const SILENT_MS = 15 * MINUTE_MS;

/** In one order: texts of states are equal when the states are. */
const STATE_FIELDS = Object.keys(DeviceStateSchema.properties);

const sightingRow = ({ account, vendor, id, seen, unlessLaterThan }: Sighting) => ({
  account,
  vendor,
  id,
  state_json: JSON.stringify(seen.state, STATE_FIELDS),
  limits_json: seen.limits === null ? null : JSON.stringify(seen.limits),
  available_capacity_json: seen.capacity === null ? null : JSON.stringify(seen.capacity),
  observed_at: seen.observedAt,
  fetched_at: seen.fetchedAt,
  reported_json: seen.reported === undefined ? null : JSON.stringify(seen.reported),
  unless_later_than: unlessLaterThan ?? null,
});

/** The only SQL for `devices`. */
export function createDeviceStore(database: Database) {
  const { engine, queries, group, rows, lockedRows, events, moments } = database;

  /**
   * Locks the devices of a link until the transaction ends, in the order in which `see` does: what changes them in another order then
   * never waits for a `see` of another process that waits for it.
   */
  async function hold(transaction: Queries, { account, link }: LinkKey): Promise<void> {
    if (engine === 'sqlite') return;
    await transaction
      .selectFrom('devices')
      .select('id')
      .where('account_id', '=', account)
      .where('link_id', '=', link)
      .orderBy('vendor')
      .orderBy('id')
      .forUpdate()
      .execute();
  }

  async function idsOf(on: Queries, { account, link }: LinkKey): Promise<{ id: string; type: DeviceType }[]> {
    const found = await on
      .selectFrom('devices')
      .select(['id', 'device_type'])
      .where('account_id', '=', account)
      .where('link_id', '=', link)
      .orderBy('id')
      .execute();
    return found.map((row) => ({ id: row.id, type: row.device_type as DeviceType }));
  }

  async function removeOf(transaction: Queries, of: OfLink, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await transaction
      .deleteFrom('devices')
      .where('account_id', '=', of.account)
      .where('link_id', '=', of.link)
      .where('id', 'in', ids)
      .execute();
  }

  /** A state, and the events of what it changes: other values, and whether the device can be reached. */
  const see = async (on: Queries, sightings: readonly Sighting[]): Promise<undefined[]> => {
    const isNews = sql`(r.unless_later_than is null or r.fetched_before is null or r.fetched_before <= r.unless_later_than)`;
    const tx = events.txOf(sql.ref('r.logged_tx'));
    // What history needs to tell a value that stayed from one that nobody asked for. A state that is to be read again was fetched at 0.
    const confirmed = sql`coalesce(',"confirmed_at":' || nullif(r.fetched_before, 0), '') || case
      when r.fetched_at - r.fetched_before > ${sql.lit(SILENT_MS)} then coalesce(',"interval_s":' || (
        select max(turn.interval_s) from device_turns as turn
        where turn.account_id = r.account and turn.link_id = r.link_id and turn.device_id in ('', r.id)
      ), '') else '' end`;
    const event = (type: string, occurredAt: string, data: RawBuilder<unknown>) => sql`
      select r.account, ${tx}, ${sql.lit(type)}, r.id, r.vendor, r.link_id, r.user_ref, ${sql.ref(occurredAt)}, ${moments.now}, ${data}
      from r where ${isNews}`;
    await events.change(on, {
      rows: sql`select * from ${lockedRows(OF_DEVICES, SIGHTING, sightings.map(sightingRow))} as given`,
      update: sql`
        update devices
        set state_json = r.state_json, limits_json = r.limits_json, available_capacity_json = r.available_capacity_json,
          observed_at = r.observed_at, fetched_at = r.fetched_at, reported_json = r.reported_json, logged_tx = ${tx}
        from r
        where devices.account_id = r.account and devices.vendor = r.vendor and devices.id = r.id and ${isNews}`,
      events: sql`
        ${event('device.state_changed', 'r.observed_at', sql`'{"from":' || coalesce(r.state_before, 'null') || ',"to":' || r.state_json || ',"fetched_at":' || r.fetched_at || ${confirmed} || '}'`)}
          and (r.state_before is null or ${asIfOnline('r.state_json')} <> ${asIfOnline('r.state_before')})
        union all
        ${event('device.unreachable', 'r.fetched_at', sql`'{"to":' || r.state_json || ',"fetched_at":' || r.fetched_at || ${confirmed} || '}'`)}
          and r.state_json like ${IS_OFFLINE} and (r.state_before is null or r.state_before not like ${IS_OFFLINE})
        union all
        ${event('device.reachable', 'r.fetched_at', sql`'{"to":' || r.state_json || ',"fetched_at":' || r.fetched_at || ${confirmed} || '}'`)}
          and r.state_json not like ${IS_OFFLINE} and r.state_before like ${IS_OFFLINE}
        union all
        ${event(STATE_CONFIRMED, 'r.fetched_at', sql`'{"to":' || r.state_json || ',"fetched_at":' || r.fetched_at || ${confirmed} || '}'`)}
          and r.fetched_before > 0 and r.fetched_at - r.fetched_before > ${sql.lit(SILENT_MS)} and r.state_json = r.state_before
          and r.state_json not like ${IS_OFFLINE}`,
    });
    return sightings.map(() => undefined);
  };

  return {
    /** All devices of an account that carry this id: one for each vendor that has it. */
    async byId(account: number, id: string): Promise<DeviceRow[]> {
      // Ordered here: to have the rows by vendor, SQLite would read all devices of the account by their primary key.
      const rows = await queries
        .selectFrom('devices')
        .selectAll()
        .where('account_id', '=', account)
        .where('id', '=', id)
        .execute();
      return rows.map(toRow).toSorted((a, b) => (a.vendor < b.vendor ? -1 : 1));
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
          'capabilities_json',
          'state_json',
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

    /** How many devices each link has, and when one of them was read last. */
    async countByLink(
      account: number,
    ): Promise<Map<string, { readonly devices: number; readonly readAt: number | null }>> {
      const rows = await queries
        .selectFrom('devices')
        .select(({ fn }) => [
          'link_id',
          fn.countAll<number>().as('devices'),
          fn.max('fetched_at').as('read_at'),
        ])
        .where('account_id', '=', account)
        .groupBy('link_id')
        .execute();
      return new Map(rows.map((row) => [row.link_id, { devices: row.devices, readAt: row.read_at }]));
    },

    /** Devices of an account of which it is known what their users permit. */
    async permitted(
      account: number,
    ): Promise<Pick<DeviceRow, 'link' | 'vendor' | 'type' | 'details' | 'granted'>[]> {
      const found = await queries
        .selectFrom('devices')
        .selectAll()
        .where('account_id', '=', account)
        .where('granted_json', 'is not', null)
        .execute();
      return found.map(toRow);
    },

    ofLink: (link: LinkKey) => idsOf(queries, link),

    hold,

    /** Makes `devices` the devices of the link: what is known stays with its state, what is not listed goes. */
    async replace(
      transaction: Queries,
      of: OfLink,
      devices: readonly NewDevice[],
      at: number,
    ): Promise<void> {
      await hold(transaction, of);
      const before = new Set((await idsOf(transaction, of)).map(({ id }) => id));
      const gone = before.difference(new Set(devices.map(({ id }) => id)));
      await removeOf(transaction, of, [...gone]);
      for (const device of devices) {
        const written = {
          link_id: of.link,
          user_ref: of.userRef,
          ...columnsOf(device),
          missing_since: null,
        };
        await transaction
          .insertInto('devices')
          .values({ account_id: of.account, vendor: of.vendor, id: device.id, created_at: at, ...written })
          .onConflict((conflict) => conflict.columns(['account_id', 'vendor', 'id']).doUpdateSet(written))
          .execute();
      }
      await events.append(transaction, [
        ...[...gone].map((id) => deviceRemoved(of, id, { at, reason: 'not_listed' })),
        ...devices.filter(({ id }) => !before.has(id)).map((device) => deviceLinked(of, device, { at })),
      ]);
    },

    /** Writes that devices are gone, for a transaction that holds them and deletes them with their link. */
    async logRemoved(transaction: Queries, of: OfLink, at: number): Promise<void> {
      const gone = await idsOf(transaction, of);
      await events.append(
        transaction,
        gone.map(({ id }) => deviceRemoved(of, id, { at, reason: 'link_removed' })),
      );
    },

    /** The devices of a link, locked until the transaction ends. */
    async held(transaction: Queries, of: LinkKey): Promise<DeviceRow[]> {
      await hold(transaction, of);
      const found = await transaction
        .selectFrom('devices')
        .selectAll()
        .where('account_id', '=', of.account)
        .where('link_id', '=', of.link)
        .execute();
      return found.map(toRow);
    },

    /** Adds devices to a link; answers the ids of those that the account did not have, through whichever link. */
    async add(
      transaction: Queries,
      of: OfLink,
      { devices, at }: { readonly devices: readonly NewDevice[]; readonly at: number },
    ): Promise<string[]> {
      const added: NewDevice[] = [];
      for (const device of devices) {
        const { numInsertedOrUpdatedRows } = await transaction
          .insertInto('devices')
          .values({
            account_id: of.account,
            vendor: of.vendor,
            id: device.id,
            created_at: at,
            link_id: of.link,
            user_ref: of.userRef,
            ...columnsOf(device),
          })
          .onConflict((conflict) => conflict.columns(['account_id', 'vendor', 'id']).doNothing())
          .executeTakeFirstOrThrow();
        if (numInsertedOrUpdatedRows === 1n) added.push(device);
      }
      await events.append(
        transaction,
        added.map((device) => deviceLinked(of, device, { at })),
      );
      return added.map(({ id }) => id);
    },

    /** What the vendor says of a device of the link now. */
    async update(transaction: Queries, of: OfLink, device: NewDevice): Promise<void> {
      await transaction
        .updateTable('devices')
        .set(columnsOf(device))
        .where('account_id', '=', of.account)
        .where('link_id', '=', of.link)
        .where('id', '=', device.id)
        .execute();
    },

    async setMissing(
      transaction: Queries,
      of: OfLink,
      { ids, since }: { readonly ids: readonly string[]; readonly since: number | null },
    ): Promise<void> {
      if (ids.length === 0) return;
      await transaction
        .updateTable('devices')
        .set({ missing_since: since })
        .where('account_id', '=', of.account)
        .where('link_id', '=', of.link)
        .where('id', 'in', ids)
        .execute();
    },

    /** Removes devices that the vendor does not list any more. */
    async removeUnlisted(
      transaction: Queries,
      of: OfLink,
      { ids, at }: { readonly ids: readonly string[]; readonly at: number },
    ): Promise<void> {
      await removeOf(transaction, of, ids);
      await events.append(
        transaction,
        ids.map((id) => deviceRemoved(of, id, { at, reason: 'not_listed' })),
      );
    },

    async setUserRef(transaction: Queries, of: OfLink): Promise<void> {
      await hold(transaction, of);
      await transaction
        .updateTable('devices')
        .set({ user_ref: of.userRef })
        .where('account_id', '=', of.account)
        .where('link_id', '=', of.link)
        .execute();
    },

    /** Stores what was seen; a device that has gone in the meantime is passed over. Of one device, one at a time. */
    see: group(see),

    /** The same for what was read in the background: on PostgreSQL the other kind does not wait for it. */
    seeInBackground: group(see, MOST_IN_BACKGROUND),
  };
}

export type DeviceStore = ReturnType<typeof createDeviceStore>;

const columnsOf = ({ type, name, site, granted, capabilities, details }: NewDevice) => ({
  device_type: type,
  name,
  site,
  granted_json: granted === null ? null : JSON.stringify(granted),
  capabilities_json: JSON.stringify(capabilities),
  details_json: JSON.stringify(details),
});

function toRow(row: Selectable<Tables['devices']>): DeviceRow {
  return {
    account: row.account_id,
    link: row.link_id,
    id: row.id,
    vendor: row.vendor,
    type: row.device_type as DeviceType,
    name: row.name,
    capabilities: JSON.parse(row.capabilities_json) as Capability[],
    details: JSON.parse(row.details_json) as JsonObject,
    missingSince: row.missing_since,
    open: row.interventions_json,
    ...(row.site === null ? {} : { site: row.site }),
    ...(row.granted_json === null ? {} : { granted: JSON.parse(row.granted_json) as string[] }),
    seen:
      row.state_json === null || row.fetched_at === null
        ? null
        : {
            state: JSON.parse(row.state_json) as DeviceState,
            limits: parsed<Limits>(row.limits_json),
            capacity: parsed<AvailableCapacity>(row.available_capacity_json),
            observedAt: row.observed_at ?? row.fetched_at,
            fetchedAt: row.fetched_at,
            ...(row.reported_json === null ? {} : { reported: JSON.parse(row.reported_json) as Reported }),
          },
  };
}

function parsed<T>(text: string | null): T | null {
  return text === null ? null : (JSON.parse(text) as T);
}

interface ListedColumns {
  readonly vendor: string;
  readonly id: string;
  readonly device_type: string;
  readonly name: string | null;
  readonly capabilities_json: string;
  readonly state_json: string | null;
  readonly interventions_json: string | null;
}

/** The columns that hold JSON go into the answer as they are: a page of 1,000 devices is never parsed. */
function deviceJson(row: ListedColumns): string {
  const state = row.state_json === null ? '' : `,"state":${row.state_json}`;
  const open = row.interventions_json === null ? '' : `,"interventions":${row.interventions_json}`;
  return `{"id":${JSON.stringify(row.id)},"vendor":"${row.vendor}","device_type":"${row.device_type}","name":${JSON.stringify(row.name)},"capabilities":${row.capabilities_json}${state}${open}}`;
}
