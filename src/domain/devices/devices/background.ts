import type { Adapter } from '../../../adapter/adapter.ts';
import { adapterOf, kindOf } from '../../../adapter/adapters.ts';
import { isUnreachable } from '../../../adapter/failures.ts';
import { type Said, saidByError } from '../../../adapter/interventions.ts';
import type { LinkKey } from '../../../adapter/session.ts';
import type { Clock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import type { Calls } from '../../vendor-calls/calls/index.ts';
import { type CachedDevice, cachedOf, deviceKey } from './memory.ts';
import type { Reader } from './reader.ts';
import type { DeviceRow, DeviceStore, Snapshot } from './store.ts';

/** Reads that nobody waits for. They keep nothing in memory, and give way to whatever is learnt while they run. */
export interface Background {
  /** The devices of a link with what is known of them. */
  ofLink(link: LinkKey): Promise<DeviceRow[]>;
  /** Asks the vendor for one device; joins a read that somebody waits for. */
  read(device: DeviceRow): Promise<Outcome>;
  /** Asks the vendor for all of them together. */
  sweep(devices: readonly [DeviceRow, ...DeviceRow[]]): Promise<Outcome>;
}

export interface Outcome {
  /** Devices that a sweep left out. */
  readonly left: readonly DeviceRow[];
  /** What was read; empty for a read that was joined. */
  readonly snapshots: readonly Snapshot[];
  /** Something was learnt of a device while it was read, and so its answer was let go. */
  readonly isOvertaken: boolean;
}

/** Marks a read under way, until something newer is learnt of the device. */
export interface ReadInFlight {
  isOvertaken: boolean;
}

interface BackgroundOptions {
  readonly store: DeviceStore;
  readonly reader: Reader;
  readonly calls: Pick<Calls, 'withVendor'>;
  readonly clock: Clock;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly inFlight: Map<string, Set<ReadInFlight>>;
  /** A read of the device that somebody waits for. */
  readonly flightOf: (device: DeviceRow) => Promise<unknown> | undefined;
  /** Takes what was read; `began` is when the vendor was asked. */
  readonly record: (cached: CachedDevice, snapshot: Snapshot, began: number) => void;
  /** Takes what the vendor says that the user must do; never rejects. */
  readonly intervene: (cached: CachedDevice, said: Said) => Promise<void> | undefined;
  /** Takes that a device could not be asked. */
  readonly markUnreachable: (cached: CachedDevice, began: number) => void;
}

export function createBackground(options: BackgroundOptions): Background {
  const { store, reader, calls, clock, adapters, inFlight, flightOf, record, intervene, markUnreachable } =
    options;
  /** Runs the work with the devices marked as being read, and takes what of its answer has not been overtaken. */
  async function reading<T>(
    devices: readonly DeviceRow[],
    work: () => Promise<T>,
    rawOf: (answer: T, device: DeviceRow) => { readonly raw: unknown } | undefined,
  ): Promise<Outcome> {
    const began = clock.now();
    const marks = devices.map((device) => {
      const key = deviceKey(device);
      const mark: ReadInFlight = { isOvertaken: false };
      const others = inFlight.get(key) ?? new Set();
      inFlight.set(key, others.add(mark));
      return { device, key, mark };
    });
    try {
      const answer = await work();
      const left: DeviceRow[] = [];
      const snapshots: Snapshot[] = [];
      let isOvertaken = false;
      let fault: unknown;
      for (const { device, mark } of marks) {
        const found = rawOf(answer, device);
        if (found === undefined) {
          left.push(device);
          continue;
        }
        if (mark.isOvertaken) {
          isOvertaken = true;
          continue;
        }
        const cached = cachedOf(device, clock.now());
        try {
          const adapter = adapterOf(adapters, device.vendor);
          const understood = reader.understand(adapter, cached, found.raw);
          record(cached, understood, began);
          snapshots.push(understood);
          await intervene(cached, reader.said(adapter, cached, { raw: found.raw, snapshot: understood }));
        } catch (error) {
          // One device that is not understood costs the others nothing.
          fault = error;
        }
      }
      if (fault !== undefined) throw fault;
      return { left, snapshots, isOvertaken };
    } catch (error) {
      if (isUnreachable(error))
        for (const { device } of marks) markUnreachable(cachedOf(device, began), began);
      throw error;
    } finally {
      for (const { key, mark } of marks) {
        const others = inFlight.get(key);
        others?.delete(mark);
        if (others?.size === 0) inFlight.delete(key);
      }
    }
  }

  return {
    ofLink: (link) => store.rowsOfLink(link),

    async read(device) {
      const running = flightOf(device);
      if (running !== undefined) {
        await running;
        return { left: [], snapshots: [], isOvertaken: false };
      }
      const kind = kindOf(adapterOf(adapters, device.vendor), device.type);
      const ask = async () => {
        try {
          return await calls.withVendor(device, 'poll', (session) => kind.read(session, device));
        } catch (error) {
          await intervene(cachedOf(device, clock.now()), saidByError(error));
          throw error;
        }
      };
      return reading([device], ask, (raw) => ({ raw }));
    },

    sweep(devices) {
      const [first] = devices;
      const adapter = adapterOf(adapters, first.vendor);
      if (adapter.sweep === undefined)
        throw new AppError('server.internal', `${first.vendor} cannot be asked for devices together`);
      const sweep = adapter.sweep.bind(adapter);
      return reading(
        devices,
        () => calls.withVendor(first, 'poll', (session) => sweep(session, devices)),
        (raws, { id }) => (raws.has(id) ? { raw: raws.get(id) } : undefined),
      );
    },
  };
}
