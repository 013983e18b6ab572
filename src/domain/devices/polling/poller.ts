import type { Adapter } from '../../../adapter/adapter.ts';
import { DeviceLimited, FreshTokenRefused } from '../../../adapter/failures.ts';
import type { Clock } from '../../../core/clock.ts';
import { AppError, type ErrorCodeName } from '../../../core/errors.ts';
import type { Log } from '../../../core/log.ts';
import type { Metrics } from '../../../core/metrics.ts';
import type { Budgets, Readers } from '../../vendor-calls/budgets/index.ts';
import type { Calls } from '../../vendor-calls/calls/index.ts';
import { type DeviceRow, type Devices, NEVER, type Outcome, type Snapshot } from '../devices/index.ts';
import type { Streams } from '../streams/index.ts';
import { activityOf, intervalOf, retrySeconds, spread } from './pace.ts';
import type { Finished, Poll, PollStore } from './store.ts';

/** How a poll ended, with the ids of its devices as far as they are known. */
export interface Ended extends Finished {
  readonly devices: readonly string[];
}

interface PollerOptions {
  readonly store: Pick<PollStore, 'remove' | 'holdBack'>;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly devices: Pick<Devices, 'background'>;
  readonly budgets: Pick<Budgets, 'bearableSeconds'>;
  readonly calls: Pick<Calls, 'find'>;
  readonly streams: Pick<Streams, 'isOpen'>;
  readonly isSuspended: (account: number) => boolean;
  readonly queueOf: (vendor: string) => { polls(): number; links(): number } | undefined;
  /** From 0 until 1. */
  readonly chance: () => number;
  readonly finish: (ended: Ended) => void;
  /** What polls are planned by: the same for all processes. */
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'polls' | 'pollLateness'>;
}

/** What was learnt of a device while it was read makes its read void; it is read again after this. */
const OVERTAKEN_SECONDS = 5;
/** A link that must be linked again is tried with one device in so long; linking it again calls its polls at once. */
const PARKED_SECONDS = 6 * 3_600;
/** Devices of a suspended account are not read; they are looked at again after this. */
const SUSPENDED_SECONDS = 300;
/** Of a device that only hints call for. */
const HINT_ATTEMPTS = 8;

/** A running poll, with the ids of its devices. */
interface Begun extends Poll {
  readonly ids: readonly string[];
}

interface Due {
  /** Seconds between two reads. */
  readonly interval: number;
  /** With whom it shares limits. */
  readonly shares: Shares;
  readonly devices: readonly [DeviceRow, ...DeviceRow[]];
  /** The link must be linked again, as far as is known. */
  readonly isParked: boolean;
}

type Shares = Pick<Readers, 'type' | 'ofLink' | 'ofSite'>;

/**
 * A poll of a link reads its devices together, with a call for each type at each site: vendors have an endpoint for each. A poll of a
 * device reads it alone.
 */
function sharesOf(poll: Pick<Poll, 'device'>, { type, site }: DeviceRow, all: readonly DeviceRow[]): Shares {
  const typesOf = (devices: readonly DeviceRow[]) => devices.map((device) => device.type);
  if (poll.device !== '')
    return { type, ofLink: typesOf(all), ofSite: typesOf(all.filter((device) => device.site === site)) };
  const sites = [...Map.groupBy(all, (device) => device.site).values()];
  return {
    type,
    ofLink: sites.flatMap((devices) => [...new Set(typesOf(devices))]),
    ofSite: [...new Set(typesOf(all))],
  };
}

const UNANSWERED: ReadonlySet<ErrorCodeName> = new Set(['vendor.unreachable', 'vendor.timeout']);
/** Whether the vendor says it of one device, and not of its others. */
const isOfOneDevice = (error: AppError): boolean =>
  error.code === 'vendor.refused' || error.code === 'vendor.answer_invalid' || error instanceof DeviceLimited;

/** A read of the device since the poll was planned has moved the poll on. */
function dueAtOf(poll: Poll, { pace, pollSeconds }: Adapter, { interval, devices: toRead }: Due): number {
  const fetchedAt = Math.min(...toRead.map(({ snapshot }) => snapshot?.fetchedAt ?? 0));
  const isHinted = poll.hintedAt !== null && poll.hintedAt >= fetchedAt;
  if (isHinted) return fetchedAt + pollSeconds * 1000;
  // Without a pace only hints call for a read.
  if (pace === undefined) return NEVER;
  return fetchedAt + interval * 1000;
}

/** Runs polls: reads what is due, and plans the next read. */
export class Poller {
  readonly #options: PollerOptions;

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  /** Answers whether the vendor could be reached; undefined when it was not asked. */
  async take(poll: Poll): Promise<boolean | undefined> {
    const { log, metrics } = this.#options;
    const { vendor } = poll;
    try {
      return await this.#begin(poll);
    } catch (error) {
      // Not caused by the vendor: the poll is due again when its claim ends.
      log.warn({ err: error, vendor, link: poll.link }, 'a device was not polled');
      metrics.polls.inc({ vendor, outcome: error instanceof AppError ? error.code : 'unexpected' });
      return undefined;
    }
  }

  async #begin(claimed: Poll): Promise<boolean | undefined> {
    const { store, adapters, devices, calls, clock, metrics } = this.#options;
    const adapter = adapters.get(claimed.vendor);
    const all = await devices.background.ofLink(claimed);
    const own = claimed.device === '' ? all : all.filter(({ id }) => id === claimed.device);
    const [first, ...others] = own;
    const poll: Begun = { ...claimed, ids: own.map(({ id }) => id) };
    if (this.#options.isSuspended(poll.account)) {
      this.#plan(poll, {
        ...{ interval: poll.intervalSeconds, failures: poll.failures },
        dueAt: this.#after(SUSPENDED_SECONDS),
      });
      return undefined;
    }
    const link = await calls.find(poll);
    if (adapter !== undefined && link !== undefined && first === undefined && poll.device === '') {
      // An account without devices; linking it again calls its poll.
      this.#plan(poll, { interval: PARKED_SECONDS, dueAt: this.#after(PARKED_SECONDS) });
      return undefined;
    }
    if (adapter === undefined || first === undefined || link === undefined) {
      await store.remove(poll.id);
      return undefined;
    }
    const shares = sharesOf(poll, first, all);
    const interval = await this.#intervalFor(poll, adapter, {
      ...shares,
      snapshots: [first, ...others].map(({ snapshot }) => snapshot),
    });
    const now = clock.now();
    const isParked = link.status === 'needs_relink';
    const due = { interval, shares, devices: [first, ...others], isParked } satisfies Due;
    if (isParked) {
      const isTry = first.id === all[0]?.id && now - link.statusSince >= PARKED_SECONDS * 1000;
      if (isTry) return this.#read(poll, adapter, due);
      this.#plan(poll, { interval: PARKED_SECONDS, dueAt: this.#after(PARKED_SECONDS) });
      return undefined;
    }
    const dueAt = dueAtOf(poll, adapter, due);
    if (dueAt > now) {
      metrics.polls.inc({ vendor: poll.vendor, outcome: 'fresh' });
      this.#plan(poll, { interval, dueAt });
      return undefined;
    }
    metrics.pollLateness.observe({ vendor: poll.vendor }, Math.max(0, now - poll.plannedAt) / 1000);
    return this.#read(poll, adapter, due);
  }

  async #intervalFor(
    poll: Poll,
    adapter: Adapter,
    { snapshots, ...shares }: Shares & { readonly snapshots: readonly (Snapshot | null)[] },
  ): Promise<number> {
    const { budgets, queueOf, streams, clock } = this.#options;
    const isCommanded = (poll.activeUntil ?? 0) > clock.now();
    return intervalOf(adapter, {
      activities: snapshots.map((one) => activityOf(one, isCommanded)),
      bearable: budgets.bearableSeconds(adapter, {
        ...shares,
        devices: queueOf(poll.vendor)?.polls() ?? 1,
        links: queueOf(poll.vendor)?.links() ?? 1,
      }),
      // What was commanded is watched whatever the stream tells.
      isStreaming: adapter.stream !== undefined && !isCommanded && (await streams.isOpen(poll)),
    });
  }

  async #read(poll: Begun, adapter: Adapter, due: Due): Promise<boolean | undefined> {
    const { clock, metrics } = this.#options;
    const { vendor } = poll;
    const askedAt = clock.now();
    try {
      const { snapshots, isOvertaken } = await this.#readAll(adapter, due.devices);
      metrics.polls.inc({ vendor, outcome: isOvertaken ? 'overtaken' : 'read' });
      if (isOvertaken) {
        const seconds = Math.max(adapter.pollSeconds, OVERTAKEN_SECONDS);
        this.#plan(poll, { interval: due.interval, dueAt: this.#after(seconds) });
      } else if (adapter.pace === undefined) {
        this.#plan(poll, { interval: 0, dueAt: NEVER, askedAt });
      } else {
        // What the device is like now may call for another pace.
        const interval =
          snapshots.length === 0
            ? due.interval
            : await this.#intervalFor(poll, adapter, { ...due.shares, snapshots });
        this.#plan(poll, { interval, dueAt: this.#after(interval), askedAt });
      }
      return true;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      metrics.polls.inc({ vendor, outcome: error.code });
      if (due.isParked) {
        this.#plan(poll, { interval: PARKED_SECONDS, dueAt: this.#after(PARKED_SECONDS) });
        return undefined;
      }
      return this.#failed(poll, { isPaced: adapter.pace !== undefined, interval: due.interval, error });
    }
  }

  async #readAll(
    adapter: Adapter,
    toRead: Due['devices'],
  ): Promise<Pick<Outcome, 'snapshots' | 'isOvertaken'>> {
    const { devices, metrics } = this.#options;
    if (adapter.sweep === undefined) return devices.background.read(toRead[0]);
    const { left, snapshots, isOvertaken } = await devices.background.sweep(toRead);
    const all = [...snapshots];
    let isAny = isOvertaken;
    let fault: AppError | undefined;
    for (const device of left) {
      try {
        const one = await devices.background.read(device);
        all.push(...one.snapshots);
        isAny ||= one.isOvertaken;
      } catch (error) {
        if (!(error instanceof AppError) || !isOfOneDevice(error)) throw error;
        metrics.polls.inc({ vendor: device.vendor, outcome: error.code });
        fault = error;
      }
    }
    // One device that is refused must not slow down its others.
    if (fault !== undefined && all.length === 0) throw fault;
    return { snapshots: all, isOvertaken: isAny };
  }

  async #failed(
    poll: Begun,
    { isPaced, interval, error }: { isPaced: boolean; interval: number; error: AppError },
  ): Promise<boolean | undefined> {
    const { store, clock } = this.#options;
    const failures = poll.failures + 1;
    switch (error.code) {
      case 'device.not_found':
      case 'link.not_found':
        await store.remove(poll.id);
        return undefined;
      case 'vendor.login_expired':
        this.#plan(poll, { interval: PARKED_SECONDS, dueAt: this.#after(PARKED_SECONDS), failures });
        return true;
      case 'vendor.rate_limited': {
        const seconds = Math.max(error.retryAfterSeconds ?? interval, interval, 1);
        const until = this.#after(seconds);
        this.#plan(poll, { interval, dueAt: until, failures });
        if (!(error instanceof DeviceLimited))
          await store.holdBack({ account: poll.account, link: poll.link, until });
        return undefined;
      }
      case 'vault.mismatch':
        // The operator's fault says nothing about the device: it is read at its pace as soon as that is mended.
        this.#plan(poll, { interval, dueAt: this.#after(interval), failures: poll.failures });
        return undefined;
      case 'server.stopping':
        this.#plan(poll, { interval, dueAt: clock.now() });
        return undefined;
      default: {
        if (!isPaced && failures >= HINT_ATTEMPTS) {
          this.#plan(poll, { interval, dueAt: NEVER, askedAt: clock.now() });
          return !UNANSWERED.has(error.code);
        }
        const seconds = Math.max(retrySeconds(interval, failures), error.retryAfterSeconds ?? 0);
        this.#plan(poll, { interval, dueAt: this.#after(seconds), failures });
        // Who refuses a token has answered.
        return error instanceof FreshTokenRefused || !UNANSWERED.has(error.code);
      }
    }
  }

  /** In about so many seconds: devices must not all be read at once. */
  #after(seconds: number): number {
    return this.#options.clock.now() + spread(seconds, this.#options.chance());
  }

  #plan(
    { ids, ...poll }: Begun,
    next: {
      readonly interval: number;
      readonly dueAt: number;
      readonly failures?: number;
      readonly askedAt?: number;
    },
  ): void {
    this.#options.finish({
      poll,
      devices: ids,
      dueAt: next.dueAt,
      intervalSeconds: next.interval,
      failures: next.failures ?? 0,
      askedAt: next.askedAt ?? null,
    });
  }
}
