import type { Adapter } from '../../adapter/adapter.ts';
import { adapterOf } from '../../adapter/adapters.ts';
import type { LinkKey, LinkOf } from '../../adapter/session.ts';
import { createLoop } from '../../core/loop.ts';
import type { Host } from '../../db/host.ts';
import { type Budgets, sharingTypes } from '../budgets/index.ts';
import type { Calls, DeviceOf, LinkEvents } from '../calls/index.ts';
import { type Devices, NEVER } from '../devices/index.ts';
import type { Streams } from '../streams/index.ts';
import { createLane, type Lane } from './lane.ts';
import {
  createTurnStore,
  FIRST,
  type Missing,
  type Place,
  type Turn,
  type TurnKey,
  type TurnStore,
} from './store.ts';
import { createTurnTaker, type Ended } from './turn.ts';

export { readBacklog } from './store-backlog.ts';

const TICK_MS = 500;
/** A vendor of which nothing is due is not looked at again for so long, or for a tenth of its shortest pace where that is less. */
const REST_MS = 2_000;
/** Longer than any turn waits and takes; a process that died keeps its turns for so long. */
const CLAIM_MS = 180_000;
/** How often it is looked how much there is to do. */
const SURVEY_MS = 60_000;
/** How often devices are looked for that have no turn: linking gives them one, unless the process dies right then. */
const SEARCH_MS = 900_000;
/** Links, devices and turns that are looked at in one statement: some milliseconds of work. */
const AT_ONCE = 250;
/** A device is read for the first time within this, so that many that are linked at once are not read at once. */
const FIRST_MS = 30_000;
const ACTIVE_MS = 120_000;
/** What turns end with is written together. */
const GATHER_MS = 100;

interface PollingOptions {
  /** Its clock times this process's own work; when a device is read goes by the moments of the database. */
  readonly host: Host;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly devices: Pick<Devices, 'background' | 'flush' | 'planned'>;
  readonly budgets: Pick<Budgets, 'bearableSeconds'>;
  readonly calls: Pick<Calls, 'find'>;
  readonly streams: Pick<Streams, 'isOpen'>;
  readonly events: Pick<LinkEvents, 'on'>;
  /** Names this process to the others. */
  readonly instance: string;
}

/**
 * Reads linked devices in the background, as often as their vendor's pace and limits allow. Only running tasks are in memory:
 * each device has its next turn in the database, and whichever process finds it due takes it.
 */
export function createPolling(options: PollingOptions) {
  const { adapters, events } = options;
  const { database, clock, random, log, metrics } = options.host;
  const { moments } = database;
  const store = createTurnStore(database);
  const lanes = new Map<string, Lane>();
  const chance = () => random(4).readUInt32BE() / 2 ** 32;
  let finished: Ended[] = [];
  /** Commands that are not noted yet. */
  let noting: Promise<unknown> = Promise.resolve();
  let surveyedAt = Number.NEGATIVE_INFINITY;
  let searchedAt = Number.NEGATIVE_INFINITY;

  function finish(one: Ended): void {
    finished.push(one);
    writer.wake(GATHER_MS);
  }

  const writer = createLoop({
    clock,
    async run() {
      const batch = finished;
      finished = [];
      const planned = await Promise.allSettled(batch.map((one) => store.finish(one)));
      options.devices.planned(
        batch.flatMap(({ turn: { account }, devices }) => devices.map((id) => ({ account, id }))),
      );
      for (const one of planned) if (one.status === 'rejected') throw one.reason;
    },
    // They come due again when their claim ends.
    failed: (error) => log.warn({ err: error }, 'turns could not be planned'),
  });

  const take = createTurnTaker({
    ...options,
    ...{ store, chance, finish, log, metrics },
    laneOf: (vendor) => lanes.get(vendor),
    clock: moments.clock,
  });

  const laneOf = (adapter: Adapter): Lane => {
    const known = lanes.get(adapter.slug);
    if (known !== undefined) return known;
    const lane = createLane({
      adapter,
      clock,
      log,
      claim: (vendor, most) =>
        store.claim(vendor, {
          claimMs: CLAIM_MS,
          most,
          madeBy: adapter.isLocal === true ? options.instance : undefined,
        }),
      isClaimed: (turn) => turn.claimedUntil > moments.clock.now(),
      take,
      giveBack: (turn, waitMs) =>
        finish({ ...asItWas(turn), dueAt: moments.clock.now() + Math.round(waitMs * (1 + chance())) }),
    });
    lanes.set(adapter.slug, lane);
    return lane;
  };

  /** Gives a turn to devices that have none. */
  async function search(): Promise<void> {
    const paced = [...adapters.values()].filter(({ pace }) => pace !== undefined);
    const slugsOf = (isSwept: boolean) =>
      paced.filter(({ sweep }) => (sweep !== undefined) === isSwept).map(({ slug }) => slug);
    await searchIn(store.linksWithoutTurn, slugsOf(true));
    await searchIn(store.devicesWithoutTurn, slugsOf(false));
  }

  async function searchIn(look: TurnStore['linksWithoutTurn'], vendors: readonly string[]): Promise<void> {
    if (vendors.length === 0) return;
    for (let after: Place | undefined = FIRST; after !== undefined && !ticks.isClosed; ) {
      const { keys, last }: Missing = await look(vendors, { after, most: AT_ONCE });
      for (const [slug, own] of Map.groupBy(keys, ({ vendor }) => vendor)) {
        const adapter = adapters.get(slug);
        if (adapter?.pace !== undefined) await add(adapter, own, adapter.pace.idle * 1000);
      }
      after = last;
      await othersFirst();
    }
  }

  /** Learns how much there is to do. */
  async function survey(): Promise<void> {
    const demand = new Map<string, { turns: number; perSecond: number }>();
    for (let after: number | undefined = 0; after !== undefined && !ticks.isClosed; ) {
      const page: Awaited<ReturnType<TurnStore['demand']>> = await store.demand(NEVER, {
        after,
        most: AT_ONCE,
      });
      for (const { vendor, turns, perSecond } of page.demands) {
        const known = demand.get(vendor) ?? { turns: 0, perSecond: 0 };
        demand.set(vendor, { turns: known.turns + turns, perSecond: known.perSecond + perSecond });
      }
      after = page.last;
      await othersFirst();
    }
    if (ticks.isClosed) return;
    for (const [slug, adapter] of adapters) {
      const own = demand.get(slug);
      if (own === undefined && !lanes.has(slug)) continue;
      const types = sharingTypes(adapter);
      const links = types.length === 0 ? 1 : await store.linksWith(slug, types);
      laneOf(adapter).plan(own ?? { turns: 0, perSecond: 0 }, links);
    }
  }

  function add(adapter: Adapter, keys: readonly TurnKey[], withinMs: number): Promise<void> {
    const now = moments.clock.now();
    return store.add(
      keys.map((key) => ({
        ...key,
        vendor: adapter.slug,
        dueAt: now + Math.round(chance() * withinMs),
        intervalSeconds: adapter.pace?.idle ?? 0,
      })),
    );
  }

  async function tick(): Promise<void> {
    if (clock.now() - searchedAt >= SEARCH_MS) {
      await search();
      searchedAt = clock.now();
    }
    if (clock.now() - surveyedAt >= SURVEY_MS) {
      await survey();
      surveyedAt = clock.now();
    }
    for (const lane of lanes.values()) {
      const { active = Number.POSITIVE_INFINITY } = lane.adapter.pace ?? {};
      await lane.tick({ everyMs: TICK_MS, restMs: Math.min(REST_MS, active * 100) });
      await othersFirst();
    }
  }

  /** Resolves when commands are noted and what was read is stored; what turns end with is about to be. */
  async function storeAll(): Promise<void> {
    await options.devices.flush();
    await noting;
    writer.wake();
  }

  const ticks = createLoop({
    clock,
    run: tick,
    everyMs: TICK_MS,
    failed: (error) => log.warn({ err: error }, 'background reading could not go on'),
  });

  const keyOf = (adapter: Adapter, { account, link }: LinkKey, device: string): TurnKey => ({
    account,
    link,
    device: adapter.sweep === undefined ? device : '',
  });

  /** Devices that are new here get their first reading: a turn of their own, or one reading where the vendor reports the rest. */
  async function first(link: LinkOf, ids: readonly string[]): Promise<void> {
    const adapter = adapters.get(link.vendor);
    if (adapter === undefined) return;
    if (adapter.pace === undefined) {
      if (adapter.stream !== undefined || adapter.webhook !== undefined)
        await readSoon(ids.map((id) => ({ ...keyOfLink(link), id })));
      return;
    }
    const devices = adapter.sweep === undefined ? ids : [''];
    await add(
      adapter,
      devices.map((device) => keyOf(adapter, link, device)),
      FIRST_MS,
    );
    options.devices.planned(ids.map((id) => ({ account: link.account, id })));
    laneOf(adapter).called();
  }

  const idsOf = async (link: LinkOf): Promise<string[]> =>
    (await options.devices.background.ofLink(link)).map(({ id }) => id);

  /** An account was linked, or linked again: its devices are read soon. */
  const linked = async (link: LinkOf): Promise<void> => first(link, await idsOf(link));

  /** A list has other devices: those that are new are read soon; turns of those that are gone end by themselves. */
  async function relisted({ added, ...link }: LinkOf & { readonly added: readonly string[] }): Promise<void> {
    if (added.length > 0) await first(link, added);
  }

  /** The stream of a link is open: what it will not report, since it was so before, is read once where nothing else reads it. */
  async function streamOpened(link: LinkOf): Promise<void> {
    if (adapters.get(link.vendor)?.pace === undefined)
      await readSoon((await idsOf(link)).map((id) => ({ ...keyOfLink(link), id })));
  }

  /** These devices may have changed: each is read as soon as its limits allow, once for however many hints. */
  async function readSoon(devices: readonly DeviceOf[]): Promise<void> {
    const now = moments.clock.now();
    const turns = new Map<string, TurnKey & { vendor: string }>();
    for (const device of devices) {
      const adapter = adapters.get(device.vendor);
      if (adapter === undefined) continue;
      const key = keyOf(adapter, device, device.id);
      turns.set(`${key.account}/${key.link}/${key.device}`, { ...key, vendor: device.vendor });
    }
    await store.hint([...turns.values()], now);
    options.devices.planned(devices);
    // Not before: what looks meanwhile would still find nothing to do.
    for (const vendor of new Set(turns.values().map((turn) => turn.vendor)))
      laneOf(adapterOf(adapters, vendor)).called();
  }

  /** A device was commanded: it is read more often for two minutes. */
  async function commanded(device: DeviceOf): Promise<void> {
    const adapter = adapters.get(device.vendor);
    if (adapter?.pace === undefined) return;
    const now = moments.clock.now();
    const first = now + Math.max(adapter.pace.active, adapter.pollSeconds) * 1000;
    const stored = store.activate({ ...keyOf(adapter, device, device.id), until: now + ACTIVE_MS, first });
    noting = Promise.allSettled([noting, stored]);
    await stored;
    options.devices.planned([device]);
    laneOf(adapter).called();
  }

  /** The stream of a link has ended: what it would have reported must be asked for again. */
  async function streamEnded(link: LinkOf): Promise<void> {
    const adapter = adapters.get(link.vendor);
    if (adapter?.pace === undefined) return;
    await store.bringForward(link, moments.clock.now() + Math.round(chance() * adapter.pace.idle * 1000));
    options.devices.planned((await idsOf(link)).map((id) => ({ account: link.account, id })));
    laneOf(adapter).called();
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
    start: (): void => ticks.wake(),

    /** Resolves when all that was begun is done and stored. */
    async settled(): Promise<void> {
      await ticks.settled();
      await Promise.all([...lanes.values()].map((lane) => lane.settled()));
      await storeAll();
      await writer.settled();
    },

    async close(): Promise<void> {
      await ticks.close();
      await Promise.all([...lanes.values()].map((lane) => lane.stop()));
      await storeAll();
      await writer.close();
    },
  };
}

const keyOfLink = ({ account, link, vendor }: LinkOf): LinkOf => ({ account, link, vendor });

/** The embedded database answers at once: without this a long look would leave nobody else a turn of the event loop. */
const othersFirst = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function asItWas(turn: Turn): Omit<Ended, 'dueAt'> {
  const { intervalSeconds, failures } = turn;
  const devices = turn.device === '' ? [] : [turn.device];
  return { turn, devices, intervalSeconds, failures, askedAt: null };
}
