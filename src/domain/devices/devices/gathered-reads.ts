import type { Adapter } from '../../../adapter/adapter.ts';
import { kindOf } from '../../../adapter/adapters.ts';
import { type Clock, sleep } from '../../../core/clock.ts';
import type { Calls } from '../../vendor-calls/calls/index.ts';
import type { CachedDevice } from './memory.ts';

/** A device waits no longer for the read of another of its link: a device that hangs must not hold up the others. */
const MOST_WAITED_MS = 1_000;

type DeviceRow = CachedDevice['row'];

/** The devices of a link that wait for the read under way. */
interface Gathered {
  readonly devices: DeviceRow[];
  readonly raws: Promise<ReadonlyMap<string, unknown>>;
}

/**
 * Asks vendors for devices that somebody waits for. Where a vendor can be asked for several devices together, those of a link that are wanted
 * while it is being asked for another are asked for together afterwards: a client that reads all devices of a house at once must not use up
 * what the vendor permits.
 */
export function createGatheredReads(clock: Clock, calls: Pick<Calls, 'withVendor'>) {
  const underWay = new Map<string, Promise<unknown>>();
  const gathered = new Map<string, Gathered>();

  const readAlone = (adapter: Adapter, device: DeviceRow): Promise<unknown> =>
    calls.withVendor(device, 'read', (session) => kindOf(adapter, device.type).read(session, device));

  function mark<T>(link: string, read: Promise<T>): Promise<T> {
    const marked = read.finally(() => {
      if (underWay.get(link) === marked) underWay.delete(link);
    });
    underWay.set(link, marked);
    return marked;
  }

  async function readTogether(
    sweep: NonNullable<Adapter['sweep']>,
    link: string,
    { devices, running }: { readonly devices: readonly DeviceRow[]; readonly running: Promise<unknown> },
  ): Promise<ReadonlyMap<string, unknown>> {
    await Promise.race([running.catch(() => undefined), sleep(clock, MOST_WAITED_MS)]);
    gathered.delete(link);
    const [first] = devices;
    // One alone is read as such, for its own error.
    if (first === undefined || devices.length === 1) return new Map();
    return mark(
      link,
      calls.withVendor(first, 'read', (session) => sweep(session, devices)),
    );
  }

  return async (adapter: Adapter, device: DeviceRow): Promise<unknown> => {
    if (adapter.sweep === undefined) return readAlone(adapter, device);
    const link = `${device.account}/${device.link}`;
    const running = underWay.get(link);
    if (running === undefined) return mark(link, readAlone(adapter, device));
    let waiting = gathered.get(link);
    if (waiting === undefined) {
      const devices: DeviceRow[] = [];
      const raws = readTogether(adapter.sweep.bind(adapter), link, { devices, running });
      waiting = { devices, raws };
      gathered.set(link, waiting);
    }
    waiting.devices.push(device);
    const raws = await waiting.raws;
    return raws.has(device.id) ? raws.get(device.id) : readAlone(adapter, device);
  };
}
