import type { Adapter } from '../../../adapter/adapter.ts';
import { adapterOf } from '../../../adapter/adapters.ts';
import type { Said } from '../../../adapter/interventions.ts';
import type { Clock } from '../../../core/clock.ts';
import type { Log } from '../../../core/log.ts';
import { type Interventions, isNews } from '../../vendor-calls/interventions/index.ts';
import type { ReadInFlight } from './background.ts';
import type { Lookup } from './lookup.ts';
import { type CachedDevice, type DeviceMemory, deviceKey } from './memory.ts';
import type { Reader } from './reader.ts';
import type { SnapshotWriter } from './snapshot-writer.ts';
import { asUnreachable, type Snapshot } from './store.ts';

interface SnapshotsOptions {
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly reader: Reader;
  readonly interventions: Pick<Interventions, 'said'>;
  readonly memory: DeviceMemory;
  readonly lookup: Pick<Lookup, 'overtake'>;
  readonly writer: Pick<SnapshotWriter, 'add'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Takes what is learnt of devices: into memory at once, and into the database soon after. */
export function createSnapshots(options: SnapshotsOptions) {
  const { adapters, reader, interventions, memory, lookup, writer, clock, log } = options;
  /** Reads in the background, by device. */
  const inFlight = new Map<string, Set<ReadInFlight>>();

  /** `began`: when the vendor was asked in the background; what was learnt after that stays. */
  function record(cached: CachedDevice, snapshot: Snapshot, began?: number): void {
    const { account, link, vendor, id } = cached.row;
    for (const mark of inFlight.get(deviceKey(cached.row)) ?? []) mark.isOvertaken = true;
    setSnapshot(cached, snapshot);
    // The device may have been dropped and loaded again since `cached` was found.
    for (const other of memory.cached(account, id) ?? [])
      if (other !== cached && deviceKey(other.row) === deviceKey(cached.row)) setSnapshot(other, snapshot);
    lookup.overtake(account, id);
    memory.dropPages(account);
    if (began === undefined) writer.add({ account, link, vendor, id, snapshot }, false);
    else writer.add({ account, link, vendor, id, snapshot, unlessLaterThan: began }, true);
  }

  function setSnapshot(cached: CachedDevice, snapshot: Snapshot | null): void {
    cached.snapshot = snapshot;
    cached.asOf = clock.now();
    cached.answer = null;
  }

  /** Takes what a vendor says that the user of a device must do. It writes news alone, and what it cannot store the vendor says again. */
  function intervene(cached: CachedDevice, said: Said): Promise<void> | undefined {
    return isNews(cached.open, said) ? storeNews(cached, said) : undefined;
  }

  async function storeNews(cached: CachedDevice, said: Said): Promise<void> {
    const { account, vendor, id } = cached.row;
    try {
      const now = await interventions.said(cached.row, said);
      if (now === undefined) return;
      const key = deviceKey(cached.row);
      const others = (memory.cached(account, id) ?? []).filter(({ row }) => deviceKey(row) === key);
      for (const one of [cached, ...others]) {
        one.open = now.shown;
        one.answer = null;
      }
      lookup.overtake(account, id);
      memory.dropPages(account);
    } catch (error) {
      log.warn({ err: error, vendor }, 'what the user of a device must do was not stored');
    }
  }

  /** Takes a vendor's response about a device, whether it was asked for or came by itself. */
  async function take(cached: CachedDevice, raw: unknown): Promise<void> {
    const adapter = adapterOf(adapters, cached.row.vendor);
    const snapshot = reader.understand(adapter, cached, raw);
    record(cached, snapshot);
    await intervene(cached, reader.said(adapter, cached, { raw, snapshot }));
  }

  /** The device could not be asked. `began`: when that was tried; what was learnt after that stays. */
  function markUnreachable(cached: CachedDevice, began: number): void {
    const snapshot = asUnreachable(cached.snapshot);
    if (snapshot !== undefined) record(cached, snapshot, began);
  }

  return { inFlight, record, setSnapshot, markUnreachable, intervene, take };
}

export type Snapshots = ReturnType<typeof createSnapshots>;
