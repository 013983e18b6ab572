import type { Adapter, Found } from '../../adapter/adapter.ts';
import { adapterOf } from '../../adapter/adapters.ts';
import { capabilitiesOf, kindOf } from '../../adapter/derive.ts';
import type { DeviceType } from '../../adapter/device.ts';
import { type Said, saidByError, saidByState } from '../../adapter/interventions.ts';
import { allMissing } from '../../adapter/scopes.ts';
import type { LinkOf } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import type { Queries } from '../../db/database.ts';
import type { Host } from '../../db/host.ts';
import { question, topic } from '../../db/topic.ts';
import type { Calls, DeviceOf } from '../calls/index.ts';
import type { EventLog } from '../events/index.ts';
import { type Interventions, isNews, type NeedyDevice } from '../interventions/index.ts';
import { readingOf } from './answers.ts';
import { createBackground, type UnderWay } from './background.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { createLookup } from './lookup.ts';
import { DeviceMemory, deviceKey, type Known, type Page } from './memory.ts';
import { createReader } from './reader.ts';
import { type List, type Relisted, relist } from './relist.ts';
import { type Report, withReport } from './reported.ts';
import { createSightings } from './sightings.ts';
import { createDeviceStore, type NewDevice, type OfLink, type PageFilter, type Seen } from './store.ts';

export { CommandedDevice, commandedOf, DeviceReading, ListedDevice } from './answers.ts';
export type { Outcome } from './background.ts';
export type { Known } from './memory.ts';
export { receivedError, type SentError, sentError } from './reader.ts';
export { CONFIRMED_MS, type Evidence, type Relisted } from './relist.ts';
export type { DeviceRow, Seen } from './store.ts';

/**
 * Devices of which a caller is about to be told: that they are linked, or gone, or what they are after a command. The other processes drop them
 * before they read of it in the log of events.
 */
const TOLD = topic<{ from: string; devices: (readonly [account: number, id: string])[] }>('devices.told');
/** A device of a station or behind a gateway, and what the process that it is connected to reads of it. */
const READ = question<DeviceOf, Seen | null>('devices.read');
const OTHER_PROCESS_MS = 1_500;

export interface ListQuery {
  readonly vendor?: string | undefined;
  readonly deviceType?: DeviceType | undefined;
  readonly userRef?: string | undefined;
  readonly cursor?: string | undefined;
  /** 1–1,000. */
  readonly limit: number;
}

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
  const flights = new Map<string, Promise<Known>>();
  const underWay = new Map<string, Set<UnderWay>>();
  const { bus } = database;
  const sightings = createSightings({ store, clock, log, stored: (account) => memory.dropPages(account) });
  const lookup = createLookup({ database, eventLog, store, memory, sightings, clock });

  const self = crypto.randomUUID();
  TOLD.on(bus, ({ from, devices }) => {
    if (from !== self) for (const [account, id] of devices) lookup.drop(account, id);
  });
  interventions.onChanged((account, ids) => changed(account, ids));

  /** Drops devices from memory, here and on every process; resolves when all have done so. */
  async function changed(account: number, ids: readonly { readonly id: string }[]): Promise<void> {
    for (const { id } of ids) lookup.drop(account, id);
    memory.dropPages(account);
    await TOLD.publishAndWait(bus, { from: self, devices: ids.map(({ id }) => [account, id]) });
  }

  /** Stores what was learnt by a command, and has the other processes drop what they know of the device. */
  async function storeAndTell({ row: { account, id } }: Known): Promise<void> {
    await sightings.flushForeground();
    if (database.engine === 'postgres') await TOLD.publish(bus, { from: self, devices: [[account, id]] });
  }

  /** The device, or 404; an id that two vendors use needs `vendor`. */
  async function find(account: number, id: string, vendor?: string): Promise<Known> {
    return one(await lookup.byId(account, id), id, vendor);
  }

  function one(all: readonly Known[], id: string, vendor?: string): Known {
    const [device, ...others] = vendor === undefined ? all : all.filter(({ row }) => row.vendor === vendor);
    if (device === undefined)
      throw new AppError('device.not_found', `there is no device ${id.slice(0, 100)}`);
    if (others.length > 0) {
      const vendors = [device, ...others].map(({ row }) => row.vendor).join(', ');
      throw new AppError(
        'device.ambiguous',
        `several vendors have a device ${id}: ${vendors}; add ?vendor= to name one`,
      );
    }
    return device;
  }

  /** `began`: when the vendor was asked in the background; what was learnt after that stays. */
  function see(known: Known, seen: Seen, began?: number): void {
    const { account, vendor, id } = known.row;
    for (const mark of underWay.get(deviceKey(known.row)) ?? []) mark.isOvertaken = true;
    learn(known, seen);
    // The device may have been dropped and loaded again since `known` was found.
    for (const other of memory.known(account, id) ?? [])
      if (other !== known && other.row.vendor === vendor) learn(other, seen);
    lookup.overtake(account, id);
    memory.dropPages(account);
    if (began === undefined) sightings.add({ account, vendor, id, seen }, false);
    else sightings.add({ account, vendor, id, seen, unlessLaterThan: began }, true);
  }

  function learn(known: Known, seen: Seen | null): void {
    known.seen = seen;
    known.asOf = clock.now();
    known.answer = null;
  }

  /** Takes what a vendor says that the user of a device must do. It writes news alone, and what it cannot store the vendor says again. */
  function intervene(known: Known, said: Said): Promise<void> | undefined {
    return isNews(known.open, said) ? storeNews(known, said) : undefined;
  }

  async function storeNews(known: Known, said: Said): Promise<void> {
    const { account, vendor, id } = known.row;
    try {
      const now = await interventions.said(known.row, said);
      if (now === undefined) return;
      const others = (memory.known(account, id) ?? []).filter(({ row }) => row.vendor === vendor);
      for (const one of [known, ...others]) {
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
  async function take(known: Known, raw: unknown): Promise<void> {
    const adapter = adapterOf(adapters, known.row.vendor);
    const seen = reader.understand(adapter, known, raw);
    see(known, seen);
    await intervene(known, reader.said(adapter, known, { raw, seen }));
  }

  async function askHere(known: Known): Promise<unknown> {
    try {
      return await reader.ask(adapterOf(adapters, known.row.vendor), known);
    } catch (error) {
      await intervene(known, saidByError(error));
      throw error;
    }
  }

  async function ask(known: Known): Promise<Known> {
    if (await calls.isHere(known.row)) {
      await take(known, await askHere(known));
      return known;
    }
    // It may be connected to another process by now, which has stored so: that must not be overwritten.
    const latest = await newestOf(known);
    const read = latest.seen?.state.online === false ? undefined : await askOthers(latest);
    if (read === undefined) see(latest, reader.offline(latest));
    else learn(latest, read);
    return latest;
  }

  /** What is stored of the device by now; what was known where it is gone. */
  async function newestOf(known: Known): Promise<Known> {
    const { account, vendor, id } = known.row;
    return (await lookup.newest(account, id)).find(({ row }) => row.vendor === vendor) ?? known;
  }

  /** The process that a station or a gateway is connected to answers for its devices. */
  async function askOthers({ row }: Known): Promise<Seen | null | undefined> {
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
    const { seen } = await refresh(await find(account, id, vendor));
    return seen;
  });

  /** Asks the vendor, whatever is stored; concurrent callers share one call. */
  function refresh(known: Known): Promise<Known> {
    const key = deviceKey(known.row);
    const running = flights.get(key);
    if (running !== undefined) return running;
    const flight = ask(known).finally(() => flights.delete(key));
    flights.set(key, flight);
    return flight;
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
      underWay,
      flightOf: (device) => flights.get(deviceKey(device)),
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
      const key = deviceKey(known.row);
      await flights.get(key)?.catch(() => {});
      const read = await refresh(known);
      await storeAndTell(read);
      return read;
    },

    /** The state may be wrong by now: the next read asks the vendor, however fresh it is. */
    markStale(known: Known): void {
      if (known.seen === null) return;
      see(known, { ...known.seen, fetchedAt: 0 });
      // A change of the times alone leaves no event.
      storeAndTell(known).catch((error: unknown) =>
        log.warn({ err: error }, 'the other processes were not told that a state may be wrong'),
      );
    },

    /** Takes what a vendor said of a device outside a read, and stores it. */
    async take(known: Known, raw: unknown): Promise<Known> {
      await take(known, raw);
      await storeAndTell(known);
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

    /** A page of the account's devices as JSON text, in the order of (vendor, id). Never asks a vendor. */
    async list(account: number, query: ListQuery): Promise<Page> {
      const key = JSON.stringify(query);
      const kept = lookup.isTrusted() ? memory.page(account, key) : undefined;
      if (kept !== undefined) return kept;
      if (sightings.pending(account)) await sightings.flush();
      const changes = memory.changesOf(account);
      const filter: PageFilter = {
        account,
        // One more than asked for tells whether there is a next page.
        limit: query.limit + 1,
        ...(query.vendor === undefined ? {} : { vendor: query.vendor }),
        ...(query.deviceType === undefined ? {} : { deviceType: query.deviceType }),
        ...(query.userRef === undefined ? {} : { userRef: query.userRef }),
        ...(query.cursor === undefined ? {} : { after: decodeCursor(query.cursor) }),
      };
      const devices = await store.page(filter);
      const shown = devices.slice(0, query.limit);
      const last = shown.at(-1);
      const page: Page = {
        body: Buffer.from(`[${shown.map((device) => device.json).join(',')}]`),
        next: devices.length > query.limit && last !== undefined ? encodeCursor(last) : null,
      };
      if (lookup.isTrusted()) memory.keepPage(account, key, { page, changes });
      return page;
    },

    countByLink: store.countByLink,

    /** Permissions that capabilities take and users have not granted, by the links of an account. */
    async missingPermissions(account: number): Promise<ReadonlyMap<string, readonly string[]>> {
      const missing = new Map<string, Set<string>>();
      for (const device of await store.permitted(account)) {
        const kind = adapters.get(device.vendor)?.kinds[device.type];
        if (kind === undefined) continue;
        const known = missing.get(device.link) ?? new Set();
        missing.set(device.link, known.union(new Set(allMissing(kind, device))));
      }
      return new Map([...missing].map(([link, scopes]) => [link, [...scopes].toSorted()]));
    },

    /** Makes `found` the devices of a link, within the caller's transaction; call `changed` when it is done. */
    async replace(
      transaction: Queries,
      of: OfLink,
      {
        found,
        granted,
      }: { readonly found: readonly Found[]; readonly granted: readonly string[] | undefined },
    ): Promise<void> {
      const adapter = adapterOf(adapters, of.vendor);
      const devices = found.map((device) => newDevice(adapter, device, granted));
      await store.replace(transaction, of, devices, clock.now());
      await interventions.listed(transaction, of, needyOf(of, devices));
    },

    /** Brings the devices of a link up to date with a list, within the caller's transaction; call `changed` when it is done. */
    async relist(
      transaction: Queries,
      of: OfLink,
      {
        found,
        granted,
        ...list
      }: Omit<List, 'devices'> & {
        readonly found: readonly Found[];
        readonly granted: readonly string[] | undefined;
      },
    ): Promise<Relisted> {
      const adapter = adapterOf(adapters, of.vendor);
      const devices = found.map((device) => newDevice(adapter, device, granted));
      const relisted = await relist(store, transaction, { of, list: { ...list, devices } });
      const shown = new Set(await interventions.listed(transaction, of, needyOf(of, devices)));
      const changed = shown.difference(new Set(relisted.added)).union(new Set(relisted.changed));
      return { ...relisted, changed: [...changed].toSorted() };
    },

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
    const isAsked = flights.has(deviceKey(known.row)) || pollMsOf(known) === 0;
    return isAsked || known.asOf >= askedAt ? known : newestOf(known);
  }

  function pollMsOf({ row }: Known): number {
    return (adapters.get(row.vendor)?.pollSeconds ?? 0) * 1000;
  }

  function isFresh(known: Known): boolean {
    return known.seen !== null && clock.now() - known.seen.fetchedAt < pollMsOf(known);
  }

  function answerOf(known: Known): string {
    known.answer ??= JSON.stringify(readingOf(known));
    return known.answer;
  }
}

export type Devices = ReturnType<typeof createDevices>;

/** A device as it is stored; `granted` is what the user permits for the whole account, where that is known. */
function newDevice(adapter: Adapter, found: Found, granted: readonly string[] | undefined): NewDevice {
  const kind = kindOf(adapter, found.type);
  const permitted = kind.needs === undefined ? undefined : (found.granted ?? granted);
  return {
    id: found.id,
    type: found.type,
    name: found.name === undefined ? null : shownName(found.name),
    capabilities: capabilitiesOf(kind, permitted === undefined ? found : { ...found, granted: permitted }),
    details: found.details ?? {},
    site: found.site ?? null,
    granted: permitted ?? null,
  };
}

/** The same as far as what they need of their users depends on it. */
const needyOf = ({ account, link, vendor }: OfLink, devices: readonly NewDevice[]): NeedyDevice[] =>
  devices.map(({ granted, ...device }) => ({
    ...{ account, link, vendor, ...device },
    ...(granted === null ? {} : { granted }),
  }));

const MOST_NAME_CHARACTERS = 200;

/** A name as its owner typed it at the vendor: cut to what the API promises, and always well-formed text. */
const shownName = (name: string): string => name.slice(0, MOST_NAME_CHARACTERS).toWellFormed();
