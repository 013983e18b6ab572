import type { Adapter } from '../../adapter/adapter.ts';
import type { LinkKey, LinkOf } from '../../adapter/session.ts';
import type { FieldReport, Stream } from '../../adapter/stream.ts';
import { sleep } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import { createLoop } from '../../core/loop.ts';
import type { Host } from '../../db/host.ts';
import { topic } from '../../db/topic.ts';
import type { Calls, LinkEvents } from '../calls/index.ts';
import type { Devices } from '../devices/index.ts';
import { runStream } from './one-stream.ts';
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
const FIRST_WAIT_MS = 1_000;
const MOST_WAIT_MS = 300_000;
/** A stream that held for so long was a good one: the next attempt follows soon. */
const GOOD_MS = 60_000;
/** Of links without a sign-in or without devices; linking again calls them at once. */
const PARKED_MS = 3_600_000;

interface StreamsOptions {
  readonly host: Host;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly calls: Pick<Calls, 'withStream'>;
  readonly devices: Pick<Devices, 'background' | 'observe' | 'report'>;
  readonly events: LinkEvents;
  /** Names this process to the others. */
  readonly instance: string;
}

interface Holding extends LinkOf {
  /** Ends the stream for good. */
  readonly stop: AbortController;
  /** Ends the stream that runs now; another follows. */
  renew: AbortController;
  isOpen: boolean;
  done: Promise<void>;
}

const linkOf = ({ account, link, vendor }: LinkOf): LinkOf => ({ account, link, vendor });

type StreamingVendor = Adapter & { readonly stream: Stream };

/** Connections that we open to vendors that report changes: one for each link, held by one process. */
export function createStreams(options: StreamsOptions) {
  const { calls, devices, events } = options;
  const { database, clock, random, log, metrics } = options.host;
  const { bus } = database;
  const store = createStreamStore(database);
  const vendors = new Map(
    [...options.adapters].filter(
      (entry): entry is [string, StreamingVendor] => entry[1].stream !== undefined,
    ),
  );
  const slugs = [...vendors.keys()];
  const self = crypto.randomUUID();
  const held = new Map<string, Holding>();
  const keyOf = ({ account, link }: LinkKey) => `${account}/${link}`;
  let renewedAt = Number.NEGATIVE_INFINITY;
  let surveyedAt = Number.NEGATIVE_INFINITY;

  CHANGED.on(bus, (link) => held.get(keyOf(link))?.renew.abort());

  async function look(): Promise<void> {
    const now = clock.now();
    if (now - renewedAt >= RENEW_MS && held.size > 0) {
      const before = [...held.values()];
      const kept = new Set((await store.renew(self, LEASE_MS)).map(keyOf));
      renewedAt = now;
      for (const one of before) if (!kept.has(keyOf(one))) one.stop.abort();
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
    const holding: Holding = {
      ...one,
      stop: new AbortController(),
      renew: new AbortController(),
      isOpen: false,
      done: Promise.resolve(),
    };
    held.set(keyOf(one), holding);
    holding.done = keep(holding, waitMs)
      .catch((error: unknown) => {
        log.warn({ err: error, vendor: one.vendor, link: one.link }, 'a stream is given back');
        return MOST_WAIT_MS;
      })
      .then(async (waitMs) => {
        held.delete(keyOf(one));
        await store.release(one, self, waitMs);
      })
      .catch((error: unknown) => log.warn({ err: error }, 'a stream could not be given back'));
  }

  /** Opens the stream after a wait, and again and again; answers how long nobody may take it. */
  async function keep(holding: Holding, waitMs: number): Promise<number> {
    const adapter = vendors.get(holding.vendor);
    if (adapter === undefined) return PARKED_MS;
    if (waitMs > 0) await pause(holding, waitMs);
    for (let attempt = 0; !holding.stop.signal.aborted; attempt += 1) {
      holding.renew = new AbortController();
      const began = clock.now();
      const { outcome, askedMs } = await once(holding, adapter);
      metrics.streamEnds.inc({ vendor: holding.vendor, outcome });
      if (outcome === 'parked' || outcome === 'vendor.login_expired') return PARKED_MS;
      if (outcome === 'stopped') break;
      if (outcome === 'changed' || clock.now() - began >= GOOD_MS) attempt = 0;
      if (outcome === 'changed') continue;
      const wait = Math.min(MOST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempt, 12));
      await pause(holding, Math.max(askedMs, wait * (0.5 + random(4).readUInt32BE() / 2 ** 33)));
    }
    return 0;
  }

  /** One connection, from opening to its end; answers why it ended, and how long the vendor asked to be left alone. */
  async function once(
    holding: Holding,
    adapter: StreamingVendor,
  ): Promise<{ readonly outcome: string; readonly askedMs: number }> {
    let namedMs = 0;
    const ended = (outcome: string, askedMs = 0) => ({
      outcome,
      askedMs: Math.max(askedMs, Math.min(namedMs, MOST_WAIT_MS)),
    });
    const all = await devices.background.ofLink(holding);
    if (all.length === 0) return ended('parked');
    const signal = AbortSignal.any([holding.stop.signal, holding.renew.signal]);
    try {
      const isLinked = await calls.withStream(
        holding,
        {
          observed: (id, raw) => taken(holding, observed(holding, id, raw)),
          reported: (id, report) => taken(holding, reported(holding, id, report)),
          listChanged: () => taken(holding, events.emit('listChanged', linkOf(holding))),
        },
        ({ open, opened }) =>
          runStream({
            adapter,
            session: open,
            devices: all,
            clock,
            signal,
            retry(ms) {
              namedMs = ms;
            },
            opened() {
              holding.isOpen = true;
              opened();
              setOpen(holding, clock.now());
              taken(holding, events.emit('streamOpened', linkOf(holding)));
            },
          }),
      );
      if (!isLinked) return ended('parked');
    } catch (error) {
      const code = error instanceof AppError ? error.code : 'unexpected';
      log.info({ vendor: holding.vendor, link: holding.link, code, cause: error }, 'a stream broke');
      return ended(code, error instanceof AppError ? (error.retryAfterSeconds ?? 0) * 1000 : 0);
    } finally {
      if (holding.isOpen) {
        holding.isOpen = false;
        setOpen(holding, null);
        if (!looks.isClosed) await events.emit('streamEnded', holding);
      }
    }
    if (holding.stop.signal.aborted) return ended('stopped');
    return ended(holding.renew.signal.aborted ? 'changed' : 'ended');
  }

  const taken = ({ vendor }: Holding, taking: Promise<void>): void => {
    taking.catch((error: unknown) =>
      log.warn({ err: error, vendor }, 'what a stream reported could not be taken'),
    );
  };

  async function observed(holding: Holding, id: string, raw: unknown): Promise<void> {
    if (await devices.observe(holding, id, raw)) metrics.streamReports.inc({ vendor: holding.vendor });
    else await events.emit('listOutdated', linkOf(holding));
  }

  async function reported(holding: Holding, id: string, { at, ...report }: FieldReport): Promise<void> {
    const now = database.moments.clock.now();
    const outcome = await devices.report(holding, id, { ...report, at: Math.min(at ?? now, now) });
    if (outcome === 'taken') metrics.streamReports.inc({ vendor: holding.vendor });
    if (outcome === 'unknown') await events.emitOrThrow('hinted', [{ ...linkOf(holding), id }]);
    if (outcome === 'gone') await events.emit('listOutdated', linkOf(holding));
  }

  function setOpen({ account, link }: Holding, since: number | null): void {
    store
      .setOpen({ account, link, holder: self, since })
      .catch((error: unknown) => log.warn({ err: error }, 'whether a stream is open was not stored'));
  }

  /** Waits, but no longer than until the stream is to end or to be opened again. */
  async function pause({ stop, renew }: Holding, ms: number): Promise<void> {
    await sleep(clock, ms, AbortSignal.any([stop.signal, renew.signal])).catch(() => {});
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
      return held.get(keyOf(link))?.isOpen ?? store.isOpen(link);
    },

    counts(): { vendor: string; count: number }[] {
      const open = new Map(slugs.map((slug) => [slug, 0]));
      for (const { vendor, isOpen } of held.values())
        if (isOpen) open.set(vendor, (open.get(vendor) ?? 0) + 1);
      return [...open].map(([vendor, count]) => ({ vendor, count }));
    },

    /** Resolves when what is to be opened now has been begun. */
    settled: looks.settled,

    /** Ends all streams; other processes may take them at once. */
    async close(): Promise<void> {
      await looks.close();
      const all = [...held.values()];
      for (const { stop } of all) stop.abort();
      await Promise.all(all.map(({ done }) => done));
    },
  };
}

export type Streams = ReturnType<typeof createStreams>;
