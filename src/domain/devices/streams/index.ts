import type { Adapter } from '../../../adapter/adapter.ts';
import type { LinkKey, LinkOf } from '../../../adapter/session.ts';
import { createLoop } from '../../../core/loop.ts';
import type { Host } from '../../../db/host.ts';
import { topic } from '../../../db/topic.ts';
import type { Calls, LinkEvents } from '../../vendor-calls/calls/index.ts';
import type { Devices } from '../devices/index.ts';
import { createBreaks } from './breaks.ts';
import { HeldStream, MOST_WAIT_MS, type StreamingVendor } from './held-stream.ts';
import { createStreamStore } from './store.ts';

const CHANGED = topic<LinkKey>('streams.changed');
const LOOK_MS = 5_000;
const SURVEY_MS = 60_000;
const RENEW_MS = 10_000;
/** A process that has not renewed for so long is treated as dead, and others take its streams. */
const LEASE_MS = 30_000;
/** Streams of one process; of links beyond them devices are read in the background. */
const MOST = 2_000;
/** Opened between two looks, spread over the time between them: a start falls neither upon a vendor nor upon those whom this process serves. */
const TAKEN_AT_ONCE = 50;
const BETWEEN_OPENINGS_MS = LOOK_MS / TAKEN_AT_ONCE;

interface StreamsOptions {
  readonly host: Host;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly calls: Pick<Calls, 'withStream'>;
  readonly devices: Pick<Devices, 'background' | 'observe' | 'report'>;
  readonly events: LinkEvents;
  /** Names this process to the others. */
  readonly instance: string;
}

/** Connections that we open to vendors that report changes: one for each link, held by one process. */
export function createStreams(options: StreamsOptions) {
  const { events } = options;
  const { database, clock, log } = options.host;
  const { bus } = database;
  const store = createStreamStore(database);
  const vendors = new Map(
    [...options.adapters].filter(
      (entry): entry is [string, StreamingVendor] => entry[1].stream !== undefined,
    ),
  );
  const slugs = [...vendors.keys()];
  const self = crypto.randomUUID();
  const held = new Map<string, { readonly stream: HeldStream; readonly done: Promise<void> }>();
  const breaks = createBreaks({ clock, log });
  const keyOf = ({ account, link }: LinkKey) => `${account}/${link}`;
  let renewedAt = Number.NEGATIVE_INFINITY;
  let surveyedAt = Number.NEGATIVE_INFINITY;

  CHANGED.on(bus, (link) => held.get(keyOf(link))?.stream.reopen());

  async function look(): Promise<void> {
    const now = clock.now();
    if (now - renewedAt >= RENEW_MS && held.size > 0) {
      const before = [...held.values()];
      const kept = new Set((await store.renew(self, LEASE_MS)).map(keyOf));
      renewedAt = now;
      for (const { stream } of before) if (!kept.has(keyOf(stream.link))) stream.stop();
    }
    if (now - surveyedAt >= SURVEY_MS) {
      await store.addMissing(slugs, 1_000);
      surveyedAt = now;
    }
    const most = Math.min(TAKEN_AT_ONCE, MOST - held.size);
    if (most <= 0) return;
    const taken = await store.claim(self, {
      ...{ vendors: slugs, leaseMs: LEASE_MS, most },
      instance: options.instance,
    });
    for (const [before, one] of taken.entries()) hold(one, before * BETWEEN_OPENINGS_MS);
  }

  const looks = createLoop({
    clock,
    run: look,
    everyMs: LOOK_MS,
    failed: (error) => log.warn({ err: error }, 'streams could not be looked after'),
  });

  function hold(one: LinkOf, waitMs: number): void {
    if (looks.isClosed || held.has(keyOf(one))) return;
    const stream = new HeldStream(one, {
      ...options,
      vendors,
      store,
      self,
      broke: breaks.note,
      isStopping: () => looks.isClosed,
    });
    const done = stream
      .keep(waitMs)
      .catch((error: unknown) => {
        log.warn({ err: error, vendor: one.vendor, link: one.link }, 'a stream is given back');
        return MOST_WAIT_MS;
      })
      .then(async (waitMs) => {
        held.delete(keyOf(one));
        await store.release(one, self, waitMs);
      })
      .catch((error: unknown) => log.warn({ err: error }, 'a stream could not be given back'));
    held.set(keyOf(one), { stream, done });
  }

  async function changed({ account, link, vendor }: LinkOf): Promise<void> {
    if (vendors.has(vendor)) await CHANGED.publish(bus, { account, link });
  }

  /** A link has other devices or another sign-in: its stream is opened again, wherever it is held. */
  async function linked(link: LinkOf): Promise<void> {
    if (!vendors.has(link.vendor)) return;
    await store.free(link);
    surveyedAt = Number.NEGATIVE_INFINITY;
    await changed(link);
  }

  events.on('linked', linked);
  events.on('healed', linked);
  events.on('reachable', linked);
  events.on('relisted', linked);
  events.on('unlinked', changed);

  return {
    start(): void {
      if (slugs.length > 0) looks.wake();
    },

    /** Whether a stream of the link is open, in whichever process. */
    async isOpen(link: LinkOf): Promise<boolean> {
      if (!vendors.has(link.vendor)) return false;
      return held.get(keyOf(link))?.stream.isOpen ?? store.isOpen(link);
    },

    counts(): { vendor: string; count: number }[] {
      const open = new Map(slugs.map((slug) => [slug, 0]));
      for (const { stream } of held.values())
        if (stream.isOpen) open.set(stream.link.vendor, (open.get(stream.link.vendor) ?? 0) + 1);
      return [...open].map(([vendor, count]) => ({ vendor, count }));
    },

    /** Resolves when what is to be opened now has been begun. */
    settled: looks.settled,

    /** Ends all streams; other processes may take them at once. */
    async close(): Promise<void> {
      await looks.close();
      const all = [...held.values()];
      for (const { stream } of all) stream.stop();
      await Promise.all(all.map(({ done }) => done));
      breaks.close();
    },
  };
}

export type Streams = ReturnType<typeof createStreams>;
