import type { Adapter } from '../../adapter/adapter.ts';
import { adapterOf } from '../../adapter/adapters.ts';
import { type Said, saidByState } from '../../adapter/interventions.ts';
import type { LinkOf } from '../../adapter/session.ts';
import type { Host } from '../../db/host.ts';
import { topic } from '../../db/topic.ts';
import type { Calls } from '../calls/index.ts';
import type { EventLog } from '../events/index.ts';
import type { Interventions } from '../interventions/index.ts';
import { readingOf } from './answers.ts';
import { createAsking } from './asking.ts';
import { createBackground } from './background.ts';
import { createLearning } from './learning.ts';
import { createListings } from './listings.ts';
import { createLookup } from './lookup.ts';
import { DeviceMemory, type Known } from './memory.ts';
import { createPages } from './pages.ts';
import { createReader } from './reader.ts';
import { type Report, withReport } from './reported.ts';
import { createSightings } from './sightings.ts';
import { createDeviceStore } from './store.ts';

export { CommandedDevice, commandedOf, DeviceReading, ListedDevice } from './answers.ts';
export type { Outcome } from './background.ts';
export type { Known } from './memory.ts';
export { NEVER } from './next-read.ts';
export type { ListQuery } from './pages.ts';
export { receivedError, type SentError, sentError } from './reader.ts';
export { CONFIRMED_MS, type Evidence, type Relisted } from './relist.ts';
export type { DeviceRow, Seen } from './store.ts';
export { countDevicesOf } from './store-counts.ts';

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
  readonly calls: Pick<Calls, 'withVendor' | 'isHere'>;
  readonly interventions: Pick<Interventions, 'said' | 'listed' | 'onChanged'>;
  readonly eventLog: Pick<EventLog, 'follow'>;
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
  const { bus } = database;
  const sightings = createSightings({ store, clock, log, stored: (account) => memory.dropPages(account) });
  const lookup = createLookup({ database, eventLog, store, memory, sightings, clock });
  const { find } = lookup;
  const learning = createLearning({
    adapters,
    reader,
    interventions,
    memory,
    lookup,
    sightings,
    clock,
    log,
  });
  const { see, intervene, take } = learning;
  const { refresh, newestOf, flightOf } = createAsking({
    database,
    adapters,
    calls,
    reader,
    lookup,
    learning,
  });

  const self = crypto.randomUUID();
  ANNOUNCED.on(bus, ({ from, devices }) => {
    if (from !== self) for (const [account, id] of devices) lookup.drop(account, id);
  });
  interventions.onChanged((account, ids) => changed(account, ids));

  /** Drops devices from memory, here and on every process; resolves when all have done so. */
  async function changed(account: number, ids: readonly { readonly id: string }[]): Promise<void> {
    for (const { id } of ids) lookup.drop(account, id);
    memory.dropPages(account);
    await ANNOUNCED.publishAndWait(bus, { from: self, devices: ids.map(({ id }) => [account, id]) });
  }

  /** Stores the state after a command, and has the other processes drop the device from memory. */
  async function storeAndAnnounce({ row: { account, id } }: Known): Promise<void> {
    await sightings.flushForeground();
    if (database.engine === 'postgres')
      await ANNOUNCED.publish(bus, { from: self, devices: [[account, id]] });
  }

  return {
    find,
    refresh,

    background: createBackground({
      store,
      reader,
      calls,
      clock,
      adapters,
      underWay: learning.underWay,
      flightOf,
      see,
      intervene,
    }),

    /** Takes what an accepted or a failed command says that the user of the device must do. */
    async intervene(known: Known, said: Said): Promise<void> {
      await intervene(known, said);
    },

    named: store.named,

    /**
     * Takes fields that a vendor reported by itself. `unknown` when the device has never been read, `older` when more recent things
     * are known, `gone` when the link has it no longer.
     */
    async report(link: LinkOf, id: string, report: Report): Promise<'taken' | 'unknown' | 'older' | 'gone'> {
      // The fields that it does not say are written with it, so they must be the newest.
      const known = await ofLinkById(link, id, lookup.newest);
      if (known === undefined) return 'gone';
      reader.logUnrecognized(known, report.unrecognized);
      const seen = withReport(known.row, known.seen, report);
      if (typeof seen === 'string') return seen;
      see(known, seen);
      await intervene(known, saidByState(seen.state));
      return 'taken';
    },

    /** Asks the vendor now, not joining a read that began earlier: for the state after a command. */
    async readAfterCommand(known: Known): Promise<Known> {
      await flightOf(known.row)?.catch(() => {});
      const read = await refresh(known);
      await storeAndAnnounce(read);
      return read;
    },

    /** The state may be wrong by now: the next read asks the vendor, however fresh it is. */
    markStale(known: Known): void {
      if (known.seen === null) return;
      see(known, { ...known.seen, fetchedAt: 0 });
      // A change of the times alone leaves no event.
      storeAndAnnounce(known).catch((error: unknown) =>
        log.warn({ err: error }, 'it was not announced to the other processes that a state may be wrong'),
      );
    },

    /** Takes what a vendor said of a device outside a read, and stores it. */
    async take(known: Known, raw: unknown): Promise<Known> {
      await take(known, raw);
      await storeAndAnnounce(known);
      return known;
    },

    /** The answer of `GET /devices/{id}`: from memory while it is fresh, from the vendor otherwise. */
    read(account: number, id: string, vendor?: string): string | Promise<string> {
      const remembered = vendor === undefined && lookup.isTrusted() ? memory.known(account, id) : undefined;
      if (remembered?.length === 1) {
        const [known] = remembered;
        if (known !== undefined && isFresh(known)) return answerOf(known);
      }
      const askedAt = clock.now();
      return find(account, id, vendor).then(async (found) => {
        const known = isFresh(found) ? found : await freshest(found, askedAt);
        return answerOf(isFresh(known) ? known : await refresh(known));
      });
    },

    /** Background reads of these devices were planned otherwise: what this process remembers of them is loaded again. */
    planned(devices: readonly { readonly account: number; readonly id: string }[]): void {
      for (const { account, id } of devices) lookup.forget(account, id);
    },

    ...createPages({ store, memory, lookup, sightings }),
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

    /** A stream or a station sent the state of a device; false when the link does not have it. */
    async observe(link: LinkOf, id: string, raw: unknown): Promise<boolean> {
      const known = await ofLinkById(link, id);
      if (known === undefined) return false;
      await take(known, raw);
      return true;
    },

    /** The devices of a link cannot be reached: they are offline until one is read or reports again. */
    async offline(link: LinkOf): Promise<void> {
      for (const { id } of await store.ofLink(link)) {
        const known = await ofLinkById(link, id, lookup.newest);
        if (known !== undefined && known.seen?.state.online !== false) see(known, reader.offline(known));
      }
    },

    /** Stores what is still waiting to be stored. */
    flush: sightings.flush,
  };

  async function ofLinkById(link: LinkOf, id: string, from = lookup.byId): Promise<Known | undefined> {
    return (await from(link.account, id)).find(
      ({ row }) => row.vendor === link.vendor && row.link === link.link,
    );
  }

  /**
   * Another process may have read the device since, which leaves no event where nothing but the times has changed: what is stored is looked
   * at before the vendor is asked again. For devices that are asked each time this tells nothing.
   */
  async function freshest(known: Known, askedAt: number): Promise<Known> {
    const isAsked = flightOf(known.row) !== undefined || pollMsOf(known) === 0;
    return isAsked || known.asOf >= askedAt ? known : newestOf(known);
  }

  function pollMsOf({ row }: Known): number {
    return (adapters.get(row.vendor)?.pollSeconds ?? 0) * 1000;
  }

  function isFresh(known: Known): boolean {
    return known.seen !== null && clock.now() - known.seen.fetchedAt < pollMsOf(known);
  }

  function answerOf(known: Known): string {
    known.answer ??= JSON.stringify(readingOf(known, adapterOf(adapters, known.row.vendor)));
    return known.answer;
  }
}

export type Devices = ReturnType<typeof createDevices>;
