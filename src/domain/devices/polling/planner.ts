import type { Adapter } from '../../../adapter/adapter.ts';
import { adapterOf } from '../../../adapter/adapters.ts';
import type { LinkKey, LinkOf } from '../../../adapter/session.ts';
import type { Clock } from '../../../core/clock.ts';
import type { DeviceOf, LinkEvents } from '../../vendor-calls/calls/index.ts';
import type { Devices } from '../devices/index.ts';
import type { PollKey, PollStore } from './store.ts';

/** A device is read for the first time within this, so that many that are linked at once are not read at once. */
const FIRST_MS = 30_000;
const ACTIVE_MS = 120_000;

interface PlannerOptions {
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly store: Pick<PollStore, 'add' | 'hint' | 'activate' | 'bringForward'>;
  readonly devices: Pick<Devices, 'background' | 'planned'>;
  readonly events: Pick<LinkEvents, 'on'>;
  /** The common one of all processes. */
  readonly clock: Clock;
  /** From 0 until 1. */
  readonly chance: () => number;
  /** Something of this vendor may be due. */
  readonly called: (adapter: Adapter) => void;
}

/** Plans reads as something happens to devices and links: when they are new, commanded, hinted at, or no longer reported on. */
export function createPlanner({ adapters, store, devices, events, clock, chance, called }: PlannerOptions) {
  /** Commands that are not noted yet. */
  let noting: Promise<unknown> = Promise.resolve();

  /** Has devices read for the first time, each at some moment within so long. */
  function add(adapter: Adapter, keys: readonly PollKey[], withinMs: number): Promise<void> {
    const now = clock.now();
    return store.add(
      keys.map((key) => ({
        ...key,
        vendor: adapter.slug,
        dueAt: now + Math.round(chance() * withinMs),
        intervalSeconds: adapter.pace?.idle ?? 0,
      })),
    );
  }

  /** Devices that are new here get their first reading: a poll of their own, or one reading where the vendor reports the rest. */
  async function first(link: LinkOf, ids: readonly string[]): Promise<void> {
    const adapter = adapters.get(link.vendor);
    if (adapter === undefined) return;
    if (adapter.pace === undefined) {
      if (adapter.stream !== undefined || adapter.webhook !== undefined)
        await readSoon(ids.map((id) => ({ ...keyOfLink(link), id })));
      return;
    }
    const read = adapter.sweep === undefined ? ids : [''];
    await add(
      adapter,
      read.map((device) => keyOf(adapter, link, device)),
      FIRST_MS,
    );
    devices.planned(ids.map((id) => ({ account: link.account, id })));
    called(adapter);
  }

  const idsOf = async (link: LinkOf): Promise<string[]> =>
    (await devices.background.ofLink(link)).map(({ id }) => id);

  /** An account was linked, or linked again: its devices are read soon. */
  const linked = async (link: LinkOf): Promise<void> => first(link, await idsOf(link));

  /** A list has other devices: those that are new are read soon; polls of those that are gone end by themselves. */
  async function relisted({ added, ...link }: LinkOf & { readonly added: readonly string[] }): Promise<void> {
    if (added.length > 0) await first(link, added);
  }

  /** The stream of a link is open: what it will not report, since it was so before, is read once where nothing else reads it. */
  async function streamOpened(link: LinkOf): Promise<void> {
    if (adapters.get(link.vendor)?.pace === undefined)
      await readSoon((await idsOf(link)).map((id) => ({ ...keyOfLink(link), id })));
  }

  /** These devices may have changed: each is read as soon as its limits allow, once for however many hints. */
  async function readSoon(changed: readonly DeviceOf[]): Promise<void> {
    const now = clock.now();
    const polls = new Map<string, PollKey & { vendor: string }>();
    for (const device of changed) {
      const adapter = adapters.get(device.vendor);
      if (adapter === undefined) continue;
      const key = keyOf(adapter, device, device.id);
      polls.set(`${key.account}/${key.link}/${key.device}`, { ...key, vendor: device.vendor });
    }
    await store.hint([...polls.values()], now);
    devices.planned(changed);
    // Not before: what looks meanwhile would still find nothing to do.
    for (const vendor of new Set(polls.values().map((poll) => poll.vendor)))
      called(adapterOf(adapters, vendor));
  }

  /** A device was commanded: it is read more often for two minutes. */
  async function commanded(device: DeviceOf): Promise<void> {
    const adapter = adapters.get(device.vendor);
    if (adapter?.pace === undefined) return;
    const now = clock.now();
    const first = now + Math.max(adapter.pace.active, adapter.pollSeconds) * 1000;
    const stored = store.activate({ ...keyOf(adapter, device, device.id), until: now + ACTIVE_MS, first });
    noting = Promise.allSettled([noting, stored]);
    await stored;
    devices.planned([device]);
    called(adapter);
  }

  /** The stream of a link has ended: what it would have reported must be asked for again. */
  async function streamEnded(link: LinkOf): Promise<void> {
    const adapter = adapters.get(link.vendor);
    if (adapter?.pace === undefined) return;
    await store.bringForward(link, clock.now() + Math.round(chance() * adapter.pace.idle * 1000));
    devices.planned((await idsOf(link)).map((id) => ({ account: link.account, id })));
    called(adapter);
  }

  events.on('linked', linked);
  events.on('healed', linked);
  events.on('relisted', relisted);
  events.on('hinted', readSoon);
  events.on('commanded', commanded);
  events.on('reachable', async (link) =>
    readSoon((await idsOf(link)).map((id) => ({ ...keyOfLink(link), id }))),
  );
  events.on('streamOpened', streamOpened);
  events.on('streamEnded', streamEnded);

  return {
    add,
    /** Resolves when commands are noted. */
    noted: async (): Promise<void> => void (await noting),
  };
}

const keyOf = (adapter: Adapter, { account, link }: LinkKey, device: string): PollKey => ({
  account,
  link,
  device: adapter.sweep === undefined ? device : '',
});

const keyOfLink = ({ account, link, vendor }: LinkOf): LinkOf => ({ account, link, vendor });
