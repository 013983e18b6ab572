import type { Adapter } from '../../../adapter/adapter.ts';
import { adapterOf } from '../../../adapter/adapters.ts';
import { isUnreachable } from '../../../adapter/failures.ts';
import { saidByError } from '../../../adapter/interventions.ts';
import { AppError } from '../../../core/errors.ts';
import type { Database } from '../../../db/database.ts';
import { question } from '../../../db/topic.ts';
import type { Calls, DeviceOf } from '../../vendor-calls/calls/index.ts';
import type { Lookup } from './lookup.ts';
import { type CachedDevice, deviceKey } from './memory.ts';
import type { Reader } from './reader.ts';
import type { Snapshots } from './snapshots.ts';
import type { Snapshot } from './store.ts';

/** A device of a station or behind a gateway, and what the process that it is connected to reads of it. */
const READ = question<DeviceOf, Snapshot | null>('devices.read');
const OTHER_PROCESS_MS = 1_500;

interface VendorReadsOptions {
  readonly database: Pick<Database, 'engine' | 'bus' | 'moments'>;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly calls: Pick<Calls, 'isHere' | 'outbound'>;
  readonly reader: Reader;
  readonly lookup: Lookup;
  readonly snapshots: Snapshots;
}

/** Asks what devices are like now: their vendors, or the processes that they are connected to. */
export function createVendorReads(options: VendorReadsOptions) {
  const { database, adapters, calls, reader, lookup } = options;
  const { record, setSnapshot, markUnreachable, intervene, take } = options.snapshots;
  const { bus, moments } = database;
  const flights = new Map<string, Promise<CachedDevice>>();

  async function askHere(cached: CachedDevice): Promise<unknown> {
    const began = moments.clock.now();
    try {
      return await reader.ask(adapterOf(adapters, cached.row.vendor), cached);
    } catch (error) {
      if (isUnreachable(error)) markUnreachable(cached, began);
      await intervene(cached, saidByError(error));
      throw error;
    }
  }

  async function ask(cached: CachedDevice): Promise<CachedDevice> {
    if (await calls.isHere(cached.row)) {
      await take(cached, await askHere(cached));
      return cached;
    }
    // It may be connected to another process by now, which has stored so: that must not be overwritten.
    const latest = await newestOf(cached);
    const read = latest.snapshot?.state.online === false ? undefined : await askOthers(latest);
    if (read === undefined) record(latest, reader.offline(latest));
    else setSnapshot(latest, read);
    return latest;
  }

  /** What is stored of the device by now; what was known where it is gone. */
  async function newestOf(cached: CachedDevice): Promise<CachedDevice> {
    const { account, vendor, id } = cached.row;
    return (await lookup.newest(account, id)).find(({ row }) => row.vendor === vendor) ?? cached;
  }

  /** The process that a station or a gateway is connected to answers for its devices. */
  async function askOthers({ row }: CachedDevice): Promise<Snapshot | null | undefined> {
    const { account, link, vendor, id } = row;
    if (database.engine === 'sqlite') return undefined;
    const asked = await READ.ask(bus, { account, link, vendor, id }, { timeoutMs: OTHER_PROCESS_MS });
    if (asked.state === 'lost')
      throw new AppError(
        'database.unavailable',
        'the other instances are unreachable, and the device may be connected to one of them; retry later',
        { retryAfterSeconds: 2 },
      );
    return asked.state === 'answered' ? asked.message : undefined;
  }
  READ.answer(bus, async ({ account, link, vendor, id }) => {
    if (!(await calls.isHere({ account, link, vendor }))) return undefined;
    const { snapshot } = await refresh(await lookup.find(account, id, vendor));
    return snapshot;
  });

  /** What is stored, where nothing is called. */
  async function unasked(cached: CachedDevice): Promise<CachedDevice> {
    if (cached.snapshot === null) calls.outbound.require();
    return cached;
  }

  /** Asks the vendor, whatever is stored; concurrent callers share one call. */
  function refresh(cached: CachedDevice): Promise<CachedDevice> {
    if (!calls.outbound.isOn) return unasked(cached);
    const key = deviceKey(cached.row);
    const running = flights.get(key);
    if (running !== undefined) return running;
    const flight = ask(cached).finally(() => flights.delete(key));
    flights.set(key, flight);
    return flight;
  }

  return {
    refresh,
    newestOf,

    /** A read of the device that somebody waits for. */
    flightOf: (device: CachedDevice['row']): Promise<CachedDevice> | undefined =>
      flights.get(deviceKey(device)),
  };
}

export type VendorReads = ReturnType<typeof createVendorReads>;
