import type { Clock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import type { Database } from '../../../db/database.ts';
import type { EventLog } from '../../records/events/index.ts';
import type { CachedDevice, DeviceMemory } from './memory.ts';
import type { SnapshotWriter } from './snapshot-writer.ts';
import type { DeviceStore, PlannedRow } from './store.ts';

/** What leaves no event, such as the limits of a device, is read again after this time at the latest: other processes may have changed it. */
const OLD_MS = 30_000;

/** Devices of an id on their way out of the database. */
interface Load {
  devices: Promise<CachedDevice[]>;
  /** One of them has changed meanwhile. */
  isOvertaken: boolean;
}

interface LookupOptions {
  readonly database: Pick<Database, 'engine' | 'bus'>;
  readonly eventLog: Pick<EventLog, 'follow'>;
  readonly store: Pick<DeviceStore, 'byId'>;
  readonly memory: DeviceMemory;
  readonly writer: Pick<SnapshotWriter, 'pending' | 'flush'>;
  readonly clock: Clock;
}

/**
 * Finds devices in memory, or else in the database. What other processes change is dropped from memory when the log of events says so:
 * memory is not used while the log cannot be read up to almost now, nor while messages of other processes are missed.
 */
export interface Lookup {
  /** Whether memory may be used. */
  isTrusted(): boolean;
  /** All devices of the account with this id. All that ask for one at a time get the same object of it: what one learns, all know. */
  byId(account: number, id: string): CachedDevice[] | Promise<CachedDevice[]>;
  /**
   * The same as it is by now, whichever process has changed it: for what is decided or written by the whole of it. What is not stored yet was
   * learnt here.
   */
  newest(account: number, id: string): CachedDevice[] | Promise<CachedDevice[]>;
  /** The device, or 404; an id that two vendors use needs `vendor`. */
  find(account: number, id: string, vendor?: string): Promise<CachedDevice>;
  /** What is being loaded of the device may be from before a change: it is not kept, and who asks now loads again. */
  overtake(account: number, id: string): void;
  drop(account: number, id: string): void;
  /** It is loaded again when it is asked for; pages of the account stay. */
  forget(account: number, id: string): void;
}

export function createLookup(options: LookupOptions): Lookup {
  const { database, eventLog, store, memory, writer, clock } = options;
  const { bus } = database;
  const isShared = database.engine === 'postgres';
  const loads = new Map<string, Load>();

  function overtake(account: number, id: string): void {
    const key = `${account}/${id}`;
    const load = loads.get(key);
    if (load === undefined) return;
    load.isOvertaken = true;
    loads.delete(key);
  }

  function drop(account: number, id: string): void {
    memory.drop(account, id);
    overtake(account, id);
  }

  function dropAll(): void {
    memory.dropAll();
    for (const load of loads.values()) load.isOvertaken = true;
    loads.clear();
  }

  bus.onGap(dropAll);
  const log = isShared
    ? eventLog.follow({
        drop(events) {
          for (const { account_id: account, device_id: device } of events)
            if (device === null) memory.dropPages(account);
            else drop(account, device);
        },
        dropAll,
      })
    : undefined;
  const isTrusted = () => log === undefined || (bus.live && log.isCurrent);

  function load(account: number, id: string): Promise<CachedDevice[]> {
    const key = `${account}/${id}`;
    const running = loads.get(key);
    if (running !== undefined) return running.devices;
    memory.forget(account, id);
    const one: Load = { isOvertaken: false, devices: Promise.resolve([]) };
    one.devices = loadById(account, id, one).finally(() => {
      if (loads.get(key) === one) loads.delete(key);
    });
    loads.set(key, one);
    return one.devices;
  }

  async function loadById(account: number, id: string, one: Load): Promise<CachedDevice[]> {
    // What was learnt of a device that is not in memory may not be stored yet: the stored state would be kept as the newest.
    if (writer.pending(account, id)) await writer.flush();
    const asOf = clock.now();
    const devices = (await store.byId(account, id)).map(
      ({ snapshot, open, plan, ...row }: PlannedRow): CachedDevice => ({
        row,
        snapshot,
        open,
        plan,
        asOf,
        answer: null,
      }),
    );
    const remembered = memory.cached(account, id);
    if (remembered !== undefined && isTrusted()) return remembered;
    if (isTrusted() && !one.isOvertaken && devices.length > 0) memory.keep(account, id, devices);
    return devices;
  }

  function byId(account: number, id: string): CachedDevice[] | Promise<CachedDevice[]> {
    const remembered = isTrusted() ? memory.cached(account, id) : undefined;
    const isOld = isShared && remembered?.some(({ asOf }) => clock.now() - asOf >= OLD_MS);
    return remembered === undefined || isOld === true ? load(account, id) : remembered;
  }

  return {
    isTrusted,
    byId,
    newest: (account, id) =>
      isShared && !writer.pending(account, id) ? load(account, id) : byId(account, id),
    find: async (account, id, vendor) => only(await byId(account, id), id, vendor),
    overtake,
    drop,
    forget(account, id) {
      memory.forget(account, id);
      overtake(account, id);
    },
  };
}

function only(all: readonly CachedDevice[], id: string, vendor?: string): CachedDevice {
  const [device, ...others] = vendor === undefined ? all : all.filter(({ row }) => row.vendor === vendor);
  if (device === undefined) throw new AppError('device.not_found', `there is no device ${id.slice(0, 100)}`);
  if (others.length > 0) {
    const vendors = [device, ...others].map(({ row }) => row.vendor).join(', ');
    throw new AppError(
      'device.ambiguous',
      `several vendors have a device ${id}: ${vendors}; add ?vendor= to name one`,
    );
  }
  return device;
}
