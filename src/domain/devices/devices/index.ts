import type { Adapter } from '../../../adapter/adapter.ts';
import { isUnreachable } from '../../../adapter/failures.ts';
import type { Said } from '../../../adapter/interventions.ts';
import type { Database } from '../../../db/database.ts';
import type { Host } from '../../../db/host.ts';
import { topic } from '../../../db/topic.ts';
import type { EventLog } from '../../records/events/index.ts';
import type { Calls } from '../../vendor-calls/calls/index.ts';
import type { Interventions } from '../../vendor-calls/interventions/index.ts';
import { createFreshAnswers } from './answers.ts';
import { createBackground } from './background.ts';
import { createListings } from './listings.ts';
import { createLookup, type Lookup } from './lookup.ts';
import { type CachedDevice, DeviceMemory } from './memory.ts';
import { createPages } from './pages.ts';
import { createReader } from './reader.ts';
import { createReports } from './reported.ts';
import { createSnapshotWriter, type SnapshotWriter } from './snapshot-writer.ts';
import { createSnapshots } from './snapshots.ts';
import { asUnreachable, createDeviceStore } from './store.ts';
import { createVendorReads } from './vendor-reads.ts';

export { CommandedDevice, commandedOf, DeviceReading, ListedDevice } from './answers.ts';
export type { Outcome } from './background.ts';
export { CONFIRMED_MS, type Evidence, type Relisted } from './listings.ts';
export type { CachedDevice } from './memory.ts';
export { NEVER } from './next-read.ts';
export type { ListQuery } from './pages.ts';
export { receivedError, type SentError, sentError } from './reader.ts';
export type { DeviceRow, LinksOf, Snapshot } from './store.ts';
export { countDevicesOf } from './store.ts';

/**
 * Devices of which a caller gets a response: that they are linked or removed, or their state after a command. The other processes drop them
 * from memory before they read of it in the event log.
 */
const ANNOUNCED = topic<{ from: string; devices: (readonly [account: number, id: string])[] }>(
  'devices.announced',
);

interface DevicesOptions {
  readonly host: Pick<Host, 'database' | 'log'>;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly calls: Pick<Calls, 'withVendor' | 'isHere' | 'outbound'>;
  readonly interventions: Pick<Interventions, 'said' | 'listed' | 'onChanged'>;
  readonly eventLog: Pick<EventLog, 'follow'>;
}

interface AnnouncementsOptions {
  readonly database: Pick<Database, 'engine' | 'bus'>;
  readonly lookup: Pick<Lookup, 'drop'>;
  readonly memory: Pick<DeviceMemory, 'dropPages'>;
  readonly writer: Pick<SnapshotWriter, 'flushForeground'>;
}

/** Has the other processes drop devices from memory whose state a caller is about to get. */
function createAnnouncements({ database, lookup, memory, writer }: AnnouncementsOptions) {
  const { bus } = database;
  const self = crypto.randomUUID();
  ANNOUNCED.on(bus, ({ from, devices }) => {
    if (from !== self) for (const [account, id] of devices) lookup.drop(account, id);
  });

  return {
    /** Drops devices from memory, here and on every process; resolves when all have done so. */
    async changed(account: number, ids: readonly { readonly id: string }[]): Promise<void> {
      for (const { id } of ids) lookup.drop(account, id);
      memory.dropPages(account);
      await ANNOUNCED.publishAndWait(bus, { from: self, devices: ids.map(({ id }) => [account, id]) });
    },

    /** Stores the state after a command, and has the other processes drop the device from memory. */
    async storeAndAnnounce({ row: { account, id } }: CachedDevice): Promise<void> {
      await writer.flushForeground();
      if (database.engine === 'postgres')
        await ANNOUNCED.publish(bus, { from: self, devices: [[account, id]] });
    },
  };
}

/** The devices of all accounts: what they are, what they were last like, and reading them from their vendors. */
export function createDevices(options: DevicesOptions) {
  const { adapters, calls, interventions, eventLog } = options;
  const { database, log } = options.host;
  // When a device was read is compared with what other processes have read.
  const { clock } = database.moments;
  const store = createDeviceStore(database);
  const memory = new DeviceMemory();
  const reader = createReader({ clock, calls, log });
  const writer = createSnapshotWriter({ store, clock, log, stored: (account) => memory.dropPages(account) });
  const lookup = createLookup({ database, eventLog, store, memory, writer, clock });
  const { find } = lookup;
  const snapshots = createSnapshots({
    ...{ adapters, reader, interventions, memory, lookup, writer, clock, log },
  });
  const { record, intervene, take, markUnreachable } = snapshots;
  const vendorReads = createVendorReads({ database, adapters, calls, reader, lookup, snapshots });
  const { refresh, flightOf } = vendorReads;

  const { changed, storeAndAnnounce } = createAnnouncements({ database, lookup, memory, writer });
  interventions.onChanged(changed);

  return {
    find,
    refresh,

    background: createBackground({
      store,
      reader,
      calls,
      clock,
      adapters,
      inFlight: snapshots.inFlight,
      flightOf,
      record,
      intervene,
      markUnreachable,
    }),

    /** Takes what an accepted or a failed command says that the user of the device must do. */
    async intervene(cached: CachedDevice, said: Said): Promise<void> {
      await intervene(cached, said);
    },

    named: store.named,

    ...createReports({ store, writer, clock, lookup, reader, snapshots }),
    read: createFreshAnswers({ adapters, clock, memory, lookup, vendorReads }),

    /** Asks the vendor now, not joining a read that began earlier: for the state after a command. */
    async readAfterCommand(cached: CachedDevice): Promise<CachedDevice> {
      await flightOf(cached.row)?.catch(() => {});
      const read = await refresh(cached);
      await storeAndAnnounce(read);
      return read;
    },

    /** The state may be wrong by now, as after a command that failed with `error`: the next read asks the vendor, however fresh it is. */
    markStale(cached: CachedDevice, error?: unknown): void {
      if (cached.snapshot === null) return;
      const lost = isUnreachable(error) ? asUnreachable(cached.snapshot) : undefined;
      record(cached, { ...(lost ?? cached.snapshot), fetchedAt: 0 });
      // A change of the times alone leaves no event.
      storeAndAnnounce(cached).catch((error: unknown) =>
        log.warn({ err: error }, 'it was not announced to the other processes that a state may be wrong'),
      );
    },

    /** Takes what a vendor said of a device outside a read, and stores it. */
    async take(cached: CachedDevice, raw: unknown): Promise<CachedDevice> {
      await take(cached, raw);
      await storeAndAnnounce(cached);
      return cached;
    },

    /** Background reads of these devices were planned otherwise: what this process remembers of them is loaded again. */
    planned(devices: readonly { readonly account: number; readonly id: string }[]): void {
      for (const { account, id } of devices) lookup.forget(account, id);
    },

    ...createPages({ store, memory, lookup, writer }),
    ...createListings({ adapters, store, interventions, clock }),

    countByLink: store.countByLink,

    setUserRef: store.setUserRef,

    /** Locks the devices of a link for a transaction that is about to delete it. */
    hold: store.hold,

    /** Writes the events of the devices of a link that the same transaction is about to delete. */
    logRemoved: store.logRemoved,

    ofLink: store.ofLink,

    /** The devices of a link with all that is known of them. */
    knownOfLink: store.rowsOfLink,

    changed,

    /** Stores what is still waiting to be stored. */
    flush: writer.flush,
  };
}

export type Devices = ReturnType<typeof createDevices>;
