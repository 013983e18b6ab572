import type { DeviceType, HouseMeter } from '../../../adapter/device.ts';
import { type Capability, READ_CAPABILITIES, READS } from '../../../adapter/fields.ts';
import type { LinkKey } from '../../../adapter/session.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { Database, Queries } from '../../../db/database.ts';
import type { NewEvent } from '../../../db/events.ts';
import { type DeviceRow, toRow } from './rows.ts';

type At = { readonly at: number };

/** A link has a device that it did not have, or one that is called otherwise now, or can do something else. */
const deviceListed = (
  of: OfLink,
  { id, type, name, capabilities }: NewDevice,
  { at, as }: At & { readonly as: 'device.linked' | 'device.updated' },
): NewEvent => ({
  ...subjectOf(of, id),
  type: as,
  occurredAt: at,
  data: { device_type: type, name, capabilities },
});

/** A device is gone: its vendor does not list it any more, or its link was removed. */
const deviceRemoved = (
  of: OfLink,
  id: string,
  { at, reason }: At & { readonly reason: 'not_listed' | 'link_removed' },
): NewEvent => ({
  ...subjectOf(of, id),
  type: 'device.removed',
  occurredAt: at,
  data: { reason },
});

const subjectOf = ({ account, link, vendor, userRef }: OfLink, device: string) => ({
  ...{ account, link, vendor, userRef },
  device,
});

/** A device of a link, as it is to be stored. */
export interface NewDevice {
  readonly id: string;
  readonly type: DeviceType;
  readonly name: string | null;
  readonly capabilities: readonly Capability[];
  readonly details: JsonObject;
  readonly site: string | null;
  /** What it measures of a house, where it is a meter of one. */
  readonly measures: HouseMeter | null;
  /** What the user permits for it; null where nobody asks, or knows. */
  readonly granted: readonly string[] | null;
}

export interface OfLink extends LinkKey {
  readonly vendor: string;
  readonly userRef: string;
}

/** Some links of an account. */
export interface LinksOf extends Pick<LinkKey, 'account'> {
  readonly links: readonly string[];
}

/** Stores which devices links have, as their vendors list them. */
export function createListStore({ engine, queries, events }: Database) {
  /**
   * Locks the devices of a link until the transaction ends, in the order in which `write` does: what changes them in another order then
   * never waits for a `write` of another process that waits for it.
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

  /** Devices whose type, name or capabilities are not those that are stored; not those that are new. */
  async function otherwise(
    on: Queries,
    { account, link }: LinkKey,
    devices: readonly NewDevice[],
  ): Promise<NewDevice[]> {
    if (devices.length === 0) return [];
    const stored = await on
      .selectFrom('devices')
      .select(['id', 'device_type', 'name', 'capabilities_json'])
      .where('account_id', '=', account)
      .where('link_id', '=', link)
      .where(
        'id',
        'in',
        devices.map(({ id }) => id),
      )
      .execute();
    const before = new Map(stored.map((row) => [row.id, row]));
    return devices.filter((device) => {
      const row = before.get(device.id);
      const { device_type, name, capabilities_json } = columnsOf(device);
      return (
        row !== undefined &&
        (row.device_type !== device_type || row.name !== name || row.capabilities_json !== capabilities_json)
      );
    });
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

  /** Takes from states what their devices cannot tell any more, with the events of it: until the next reading it would be shown. */
  async function forgetLost(transaction: Queries, of: OfLink, devices: readonly NewDevice[]): Promise<void> {
    const capabilities = new Map(devices.map((device) => [device.id, device.capabilities]));
    const known = await transaction
      .selectFrom('devices')
      .select(['id', 'state_json', 'observed_at', 'fetched_at'])
      .where('account_id', '=', of.account)
      .where('link_id', '=', of.link)
      .where('id', 'in', [...capabilities.keys()])
      .where('state_json', 'is not', null)
      .execute();
    for (const { id, state_json, observed_at, fetched_at } of known) {
      const from = JSON.parse(state_json ?? '{}') as JsonObject;
      const lost = READ_CAPABILITIES.filter(
        (capability) => capabilities.get(id)?.includes(capability) !== true,
      );
      const fields: readonly string[] = lost.map((capability) => READS[capability]);
      const to = Object.fromEntries(Object.entries(from).filter(([field]) => !fields.includes(field)));
      if (Object.keys(to).length === Object.keys(from).length) continue;
      await transaction
        .updateTable('devices')
        .set({ state_json: JSON.stringify(to) })
        .where('account_id', '=', of.account)
        .where('vendor', '=', of.vendor)
        .where('id', '=', id)
        .execute();
      await events.append(transaction, [
        {
          ...subjectOf(of, id),
          type: 'device.state_changed',
          occurredAt: observed_at ?? 0,
          data: { from, to, fetched_at: fetched_at ?? 0 },
        },
      ]);
    }
  }

  return {
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
      const changed = await otherwise(transaction, of, devices);
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
        ...devices
          .filter(({ id }) => !before.has(id))
          .map((device) => deviceListed(of, device, { at, as: 'device.linked' })),
        ...changed.map((device) => deviceListed(of, device, { at, as: 'device.updated' })),
      ]);
      if (devices.length > 0) await forgetLost(transaction, of, devices);
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
        added.map((device) => deviceListed(of, device, { at, as: 'device.linked' })),
      );
      return added.map(({ id }) => id);
    },

    /** What the vendor says of a device of the link now. */
    async update(transaction: Queries, of: OfLink, device: NewDevice, { at }: At): Promise<void> {
      const changed = await otherwise(transaction, of, [device]);
      await transaction
        .updateTable('devices')
        .set(columnsOf(device))
        .where('account_id', '=', of.account)
        .where('link_id', '=', of.link)
        .where('id', '=', device.id)
        .execute();
      await events.append(
        transaction,
        changed.map((one) => deviceListed(of, one, { at, as: 'device.updated' })),
      );
      await forgetLost(transaction, of, [device]);
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
  };
}

const columnsOf = ({ type, name, site, measures, granted, capabilities, details }: NewDevice) => ({
  device_type: type,
  name,
  site,
  measures,
  granted_json: granted === null ? null : JSON.stringify(granted),
  capabilities_json: JSON.stringify(capabilities),
  details_json: JSON.stringify(details),
});
