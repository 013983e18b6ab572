import { readAll } from '../api/queries.ts';
import { type Device, type DeviceState, dataOf, type LoggedEvent } from '../api/shapes.ts';
import { createStore, type Store } from '../store.ts';

/** All devices of the account, by vendor and id, as they are now. */
export interface Devices {
  readonly list: readonly Device[];
  /** `loading`: the list is not whole yet. */
  readonly status: 'loading' | 'loaded' | 'failed';
  readonly error: Error | undefined;
}

const EMPTY: Devices = { list: [], status: 'loading', error: undefined };
/** Devices of a new link come one after the other. */
const RELOAD_AFTER_MS = 500;

export type DeviceId = Pick<Device, 'vendor' | 'id'>;

export const keyOf = (vendor: string, id: string): string => `${vendor}/${id}`;
export const keyOfDevice = ({ vendor, id }: DeviceId): string => keyOf(vendor, id);

interface DeviceList extends Pick<Store<Devices>, 'get' | 'subscribe'> {
  /** Loads all devices; what happens meanwhile is applied to what was loaded. */
  load(): Promise<void>;
  apply(events: readonly LoggedEvent[]): void;
  find(vendor: string, id: string): Device | undefined;
  /** When a device was measured, as far as an event or a reading said so since the page was opened. */
  observedAt(vendor: string, id: string): string | undefined;
  /**
   * Takes a state that was read or that a command left.
   * @param measuredAt when it was measured: one that is older than what is known is not taken
   */
  take(device: DeviceId, state: DeviceState, measuredAt?: string): void;
}

/** Keeps the devices current, and tells of many changes once a frame. */
export function createDeviceList(): DeviceList {
  const shown = createStore(EMPTY);
  let index = new Map<string, number>();
  let list: Device[] = [];
  const observedAt = new Map<string, string>();
  /** Events since each load that is under way began. */
  const waiting = new Set<LoggedEvent[]>();
  let isChanged = false;
  let reloading: ReturnType<typeof setTimeout> | undefined;

  /** Everything in `list` that changes is another object, so that rows know whether they have to be drawn. */
  function changed(): void {
    if (isChanged) return;
    isChanged = true;
    list = list.slice();
    requestAnimationFrame(() => {
      isChanged = false;
      shown.set({ ...shown.get(), list });
    });
  }

  /** Notes when a device was measured; false where a later measurement is known. */
  function measured(key: string, at: string): boolean {
    if (at < (observedAt.get(key) ?? '')) return false;
    observedAt.set(key, at);
    return true;
  }

  function merge(vendor: string, id: string, changes: Partial<DeviceState>): void {
    const at = index.get(keyOf(vendor, id));
    const device = at === undefined ? undefined : list[at];
    if (at === undefined || device === undefined) return;
    changed();
    list[at] = { ...device, state: { online: true, ...device.state, ...changes } };
  }

  function remove(key: string): void {
    const at = index.get(key);
    if (at === undefined) return;
    changed();
    list.splice(at, 1);
    observedAt.delete(key);
    index = indexOf(list);
  }

  function take(event: LoggedEvent): void {
    const { device, vendor } = event.subject;
    if (device === null || vendor === null) return;
    switch (event.type) {
      case 'device.state_changed': {
        const data = dataOf(event, 'device.state_changed');
        if (data === undefined) return;
        const values = Object.entries(data.changes).map(([field, { to }]) => [field, to]);
        measured(keyOf(vendor, device), data.observed_at);
        merge(vendor, device, Object.fromEntries(values));
        return;
      }
      case 'device.unreachable':
        merge(vendor, device, { online: false });
        return;
      case 'device.reachable':
        merge(vendor, device, { online: true });
        return;
      case 'device.removed':
        remove(keyOf(vendor, device));
        return;
      case 'device.linked':
      case 'intervention.opened':
      case 'intervention.resolved':
        clearTimeout(reloading);
        reloading = setTimeout(() => void api.load(), RELOAD_AFTER_MS);
        return;
      default:
    }
  }

  const api: DeviceList = {
    get: shown.get,
    subscribe: shown.subscribe,
    async load() {
      const missed: LoggedEvent[] = [];
      waiting.add(missed);
      try {
        const isFirst = shown.get().status === 'loading';
        list = await readAll(
          'GET /devices',
          {},
          // The first rows can be read while the others are loaded.
          isFirst ? { onPage: (all) => shown.set({ ...EMPTY, list: all.slice() }) } : {},
        );
        index = indexOf(list);
        // What is shown is never changed in place, also where a change is waiting for the next frame.
        shown.set({ list: list.slice(), status: 'loaded', error: undefined });
        for (const event of missed) take(event);
      } catch (error) {
        shown.set({ list: list.slice(), status: 'failed', error: error as Error });
      } finally {
        waiting.delete(missed);
      }
    },
    apply(events) {
      for (const missed of waiting) missed.push(...events);
      for (const event of events) take(event);
    },
    find(vendor, id) {
      const at = index.get(keyOf(vendor, id));
      return at === undefined ? undefined : list[at];
    },
    observedAt: (vendor, id) => observedAt.get(keyOf(vendor, id)),
    take({ vendor, id }, state, measuredAt) {
      const key = keyOf(vendor, id);
      if (measuredAt !== undefined && !measured(key, measuredAt)) return;
      merge(vendor, id, state);
    },
  };
  return api;
}

const indexOf = (list: readonly Device[]) =>
  new Map(list.map((device, at) => [keyOfDevice(device), at] as const));
