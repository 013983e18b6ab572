import type { Database } from '../../src/db/database.ts';
import { createDeviceStore, type SnapshotWrite } from '../../src/domain/devices/devices/store.ts';

/** A snapshot of a device, whichever link it has. */
export type SnapshotOf = Omit<SnapshotWrite, 'link'>;

/** Stores what devices are like through the links that they have now, as readings do. */
export function snapshotStore(database: Database) {
  const store = createDeviceStore(database);
  const linked = async (snapshot: SnapshotOf): Promise<SnapshotWrite> => {
    const { account, vendor, id } = snapshot;
    const device = await database.queries
      .selectFrom('devices')
      .select('link_id')
      .where('account_id', '=', account)
      .where('vendor', '=', vendor)
      .where('id', '=', id)
      .executeTakeFirst();
    return { ...snapshot, link: device?.link_id ?? 'none' };
  };
  return {
    write: async (snapshot: SnapshotOf) => void (await store.write(await linked(snapshot))),
    writeInBackground: async (snapshot: SnapshotOf) =>
      void (await store.writeInBackground(await linked(snapshot))),
  };
}
