import type { Adapter } from '../../../adapter/adapter.ts';
import type { LinkOf } from '../../../adapter/session.ts';
import type { FieldReport, Stream } from '../../../adapter/stream.ts';
import { sleep } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import type { Host } from '../../../db/host.ts';
import type { Calls, LinkEvents } from '../../vendor-calls/calls/index.ts';
import type { Devices } from '../devices/index.ts';
import type { Breaks } from './breaks.ts';
import { runStream } from './one-stream.ts';
import type { StreamStore } from './store.ts';

const FIRST_WAIT_MS = 1_000;
/** Nobody takes a stream for so long after a fault of ours, and no attempt waits longer for the next one. */
export const MOST_WAIT_MS = 300_000;
/** A stream that held for so long was a good one: the next attempt follows soon. */
const GOOD_MS = 60_000;
/** Of links without a sign-in or without devices; linking again calls them at once. */
const PARKED_MS = 3_600_000;

export type StreamingVendor = Adapter & { readonly stream: Stream };

interface HeldStreamOptions {
  readonly host: Host;
  readonly vendors: ReadonlyMap<string, StreamingVendor>;
  readonly calls: Pick<Calls, 'withStream'>;
  readonly devices: Pick<Devices, 'background' | 'observe' | 'report'>;
  readonly events: LinkEvents;
  readonly store: Pick<StreamStore, 'setOpen'>;
  /** Who holds the streams of this process. */
  readonly self: string;
  /** Notes that a connection broke. */
  readonly broke: Breaks['note'];
  /** Whether the process stops. */
  readonly isStopping: () => boolean;
}

/** Why a connection ended, and how long the vendor asked to be left alone. */
interface Ended {
  readonly outcome: string;
  readonly askedMs: number;
}

/** The stream of one link, which this process holds: opened again and again until it is to end. */
export class HeldStream {
  readonly link: LinkOf;
  readonly #options: HeldStreamOptions;
  /** Ends the stream for good. */
  readonly #stop = new AbortController();
  /** Ends the stream that runs now; another follows. */
  #renew = new AbortController();
  #isOpen = false;

  constructor({ account, link, vendor }: LinkOf, options: HeldStreamOptions) {
    this.link = { account, link, vendor };
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Ends it for good. */
  stop(): void {
    this.#stop.abort();
  }

  /** Ends the connection that runs now; another one follows at once. */
  reopen(): void {
    this.#renew.abort();
  }

  /** Opens the stream after a wait, and again and again; answers how long nobody may take it. */
  async keep(waitMs: number): Promise<number> {
    const { clock, random, metrics } = this.#options.host;
    const { vendor } = this.link;
    const adapter = this.#options.vendors.get(vendor);
    if (adapter === undefined) return PARKED_MS;
    if (waitMs > 0) await this.#pause(waitMs);
    for (let attempt = 0; !this.#stop.signal.aborted; attempt += 1) {
      this.#renew = new AbortController();
      const began = clock.now();
      const { outcome, askedMs } = await this.#once(adapter);
      metrics.streamEnds.inc({ vendor, outcome });
      if (outcome === 'parked' || outcome === 'vendor.login_expired') return PARKED_MS;
      if (outcome === 'stopped') break;
      if (outcome === 'changed' || clock.now() - began >= GOOD_MS) attempt = 0;
      if (outcome === 'changed') continue;
      const wait = Math.min(MOST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempt, 12));
      await this.#pause(Math.max(askedMs, wait * (0.5 + random(4).readUInt32BE() / 2 ** 33)));
    }
    return 0;
  }

  /** One connection, from opening to its end. */
  async #once(adapter: StreamingVendor): Promise<Ended> {
    const { calls, devices, events, host } = this.#options;
    const { clock } = host;
    const { link } = this;
    let namedMs = 0;
    const ended = (outcome: string, askedMs = 0): Ended => ({
      outcome,
      askedMs: Math.max(askedMs, Math.min(namedMs, MOST_WAIT_MS)),
    });
    const all = await devices.background.ofLink(link);
    if (all.length === 0) return ended('parked');
    const signal = AbortSignal.any([this.#stop.signal, this.#renew.signal]);
    try {
      const isLinked = await calls.withStream(
        link,
        {
          observed: (id, raw) => this.#taken(this.#observed(id, raw)),
          reported: (id, report) => this.#taken(this.#reported(id, report)),
          listChanged: () => this.#taken(events.emit('listChanged', link)),
        },
        ({ open, opened }) =>
          runStream({
            ...{ adapter, session: open, devices: all, clock, signal },
            retry: (ms) => {
              namedMs = ms;
            },
            opened: () => {
              this.#isOpen = true;
              opened();
              this.#setOpen(clock.now());
              this.#taken(events.emit('streamOpened', link));
            },
          }),
      );
      if (!isLinked) return ended('parked');
    } catch (error) {
      const code = error instanceof AppError ? error.code : 'unexpected';
      this.#options.broke(link, code, error);
      return ended(code, error instanceof AppError ? (error.retryAfterSeconds ?? 0) * 1000 : 0);
    } finally {
      if (this.#isOpen) {
        this.#isOpen = false;
        this.#setOpen(null);
        if (!this.#options.isStopping()) await events.emit('streamEnded', link);
      }
    }
    if (this.#stop.signal.aborted) return ended('stopped');
    return ended(this.#renew.signal.aborted ? 'changed' : 'ended');
  }

  #taken(taking: Promise<void>): void {
    const { log } = this.#options.host;
    taking.catch((error: unknown) =>
      log.warn({ err: error, vendor: this.link.vendor }, 'what a stream reported could not be taken'),
    );
  }

  async #observed(id: string, raw: unknown): Promise<void> {
    const { devices, events, host } = this.#options;
    if (await devices.observe(this.link, id, raw))
      host.metrics.streamReports.inc({ vendor: this.link.vendor });
    else await events.emit('listOutdated', this.link);
  }

  async #reported(id: string, { at, ...report }: FieldReport): Promise<void> {
    const { devices, events, host } = this.#options;
    const now = host.database.moments.clock.now();
    const outcome = await devices.report(this.link, id, { ...report, at: Math.min(at ?? now, now) });
    if (outcome === 'taken') host.metrics.streamReports.inc({ vendor: this.link.vendor });
    if (outcome === 'unknown') await events.emitOrThrow('hinted', [{ ...this.link, id }]);
    if (outcome === 'gone') await events.emit('listOutdated', this.link);
  }

  #setOpen(since: number | null): void {
    const { store, self, host } = this.#options;
    const { account, link } = this.link;
    store
      .setOpen({ account, link, holder: self, since })
      .catch((error: unknown) => host.log.warn({ err: error }, 'whether a stream is open was not stored'));
  }

  /** Waits, but no longer than until the stream is to end or to be opened again. */
  async #pause(ms: number): Promise<void> {
    const signal = AbortSignal.any([this.#stop.signal, this.#renew.signal]);
    await sleep(this.#options.host.clock, ms, signal).catch(() => {});
  }
}
