import type { Adapter } from '../../adapter/adapter.ts';
import { DeviceLimited } from '../../adapter/device-limited.ts';
import { FreshTokenRefused } from '../../adapter/token-refused.ts';
import type { Clock } from '../../core/clock.ts';
import { AppError, type ErrorCodeName } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Metrics } from '../../core/metrics.ts';
import type { Budgets, Readers } from '../budgets/index.ts';
import type { Calls } from '../calls/index.ts';
import { type DeviceRow, type Devices, NEVER, type Outcome, type Seen } from '../devices/index.ts';
import type { Streams } from '../streams/index.ts';
import { intervalOf, moodOf, retrySeconds, spread } from './pace.ts';
import type { Finished, Turn, TurnStore } from './store.ts';

/** How a turn has gone, with the ids of its devices as far as they are known. */
export interface Ended extends Finished {
  readonly devices: readonly string[];
}

interface TakerOptions {
  readonly store: Pick<TurnStore, 'remove' | 'holdBack'>;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly devices: Pick<Devices, 'background'>;
  readonly budgets: Pick<Budgets, 'bearableSeconds'>;
  readonly calls: Pick<Calls, 'find'>;
  readonly streams: Pick<Streams, 'isOpen'>;
  readonly laneOf: (vendor: string) => { turns(): number; links(): number } | undefined;
  /** From 0 until 1. */
  readonly chance: () => number;
  readonly finish: (ended: Ended) => void;
  /** What turns are planned by: the same for all processes. */
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'polls' | 'pollLateness'>;
}

/** What was learnt of a device while it was read makes its read void; it is read again after this. */
const OVERTAKEN_SECONDS = 5;
/** A link that must be linked again is tried with one device in so long; linking it again calls its turns at once. */
const PARKED_SECONDS = 6 * 3_600;
/** Of a device that only hints call for. */
const HINT_ATTEMPTS = 8;

/** A turn that has begun, with the ids of its devices. */
interface Begun extends Turn {
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
 * A turn of a link reads its devices together, with a call for each type at each site: vendors have an endpoint for each. A turn of a
 * device reads it alone.
 */
export function sharesOf(
  turn: Pick<Turn, 'device'>,
  { type, site }: DeviceRow,
  all: readonly DeviceRow[],
): Shares {
  const typesOf = (devices: readonly DeviceRow[]) => devices.map((device) => device.type);
  if (turn.device !== '')
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

/** Does turns: reads what is due, and plans when it is read next. */
export function createTurnTaker(options: TakerOptions) {
  const { store, adapters, devices, budgets, chance, finish, clock, log, metrics } = options;

  /** Answers whether the vendor could be reached; undefined when it was not asked. */
  return async function take(turn: Turn): Promise<boolean | undefined> {
    const { vendor } = turn;
    try {
      return await begin(turn);
    } catch (error) {
      // Nothing that the vendor did: the turn comes again when its claim ends.
      log.warn({ err: error, vendor, link: turn.link }, 'a device had no turn');
      metrics.polls.inc({ vendor, outcome: error instanceof AppError ? error.code : 'unexpected' });
      return undefined;
    }
  };

  async function begin(claimed: Turn): Promise<boolean | undefined> {
    const adapter = adapters.get(claimed.vendor);
    const all = await devices.background.ofLink(claimed);
    const own = claimed.device === '' ? all : all.filter(({ id }) => id === claimed.device);
    const [first, ...others] = own;
    const turn: Begun = { ...claimed, ids: own.map(({ id }) => id) };
    const link = await options.calls.find(turn);
    if (adapter !== undefined && link !== undefined && first === undefined && turn.device === '') {
      // An account without devices; linking it again calls its turn.
      plan(turn, { interval: PARKED_SECONDS, dueAt: clock.now() + spread(PARKED_SECONDS, chance()) });
      return undefined;
    }
    if (adapter === undefined || first === undefined || link === undefined) {
      await store.remove(turn.id);
      return undefined;
    }
    const shares = sharesOf(turn, first, all);
    const interval = await intervalFor(turn, adapter, {
      ...shares,
      seen: [first, ...others].map(({ seen }) => seen),
    });
    const now = clock.now();
    const isParked = link.status === 'needs_relink';
    const due = { interval, shares, devices: [first, ...others], isParked } satisfies Due;
    if (isParked) {
      const isTry = first.id === all[0]?.id && now - link.statusSince >= PARKED_SECONDS * 1000;
      if (isTry) return read(turn, adapter, due);
      plan(turn, { interval: PARKED_SECONDS, dueAt: now + spread(PARKED_SECONDS, chance()) });
      return undefined;
    }
    const dueAt = dueAtOf(turn, adapter, due);
    if (dueAt > now) {
      metrics.polls.inc({ vendor: turn.vendor, outcome: 'fresh' });
      plan(turn, { interval, dueAt });
      return undefined;
    }
    metrics.pollLateness.observe({ vendor: turn.vendor }, Math.max(0, now - turn.plannedAt) / 1000);
    return read(turn, adapter, due);
  }

  async function intervalFor(
    turn: Turn,
    adapter: Adapter,
    { seen, ...shares }: Shares & { readonly seen: readonly (Seen | null)[] },
  ): Promise<number> {
    const isCommanded = (turn.activeUntil ?? 0) > clock.now();
    return intervalOf(adapter, {
      moods: seen.map((one) => moodOf(one, isCommanded)),
      bearable: budgets.bearableSeconds(adapter, {
        ...shares,
        devices: options.laneOf(turn.vendor)?.turns() ?? 1,
        links: options.laneOf(turn.vendor)?.links() ?? 1,
      }),
      // What was commanded is watched whatever the stream tells.
      isStreaming: adapter.stream !== undefined && !isCommanded && (await options.streams.isOpen(turn)),
    });
  }

  /** Whoever has read a device since the turn was planned has moved it on. */
  function dueAtOf(turn: Turn, { pace, pollSeconds }: Adapter, { interval, devices: toRead }: Due): number {
    const fetchedAt = Math.min(...toRead.map(({ seen }) => seen?.fetchedAt ?? 0));
    const isHinted = turn.hintedAt !== null && turn.hintedAt >= fetchedAt;
    if (isHinted) return fetchedAt + pollSeconds * 1000;
    // Without a pace only hints call for a read.
    if (pace === undefined) return NEVER;
    return fetchedAt + interval * 1000;
  }

  async function read(turn: Begun, adapter: Adapter, due: Due): Promise<boolean | undefined> {
    const { vendor } = turn;
    const askedAt = clock.now();
    try {
      const { seen, isOvertaken } = await readAll(adapter, due.devices);
      metrics.polls.inc({ vendor, outcome: isOvertaken ? 'overtaken' : 'read' });
      if (isOvertaken) {
        const seconds = Math.max(adapter.pollSeconds, OVERTAKEN_SECONDS);
        plan(turn, { interval: due.interval, dueAt: clock.now() + spread(seconds, chance()) });
      } else if (adapter.pace === undefined) {
        plan(turn, { interval: 0, dueAt: NEVER, askedAt });
      } else {
        // What the device is like now may call for another pace.
        const interval =
          seen.length === 0 ? due.interval : await intervalFor(turn, adapter, { ...due.shares, seen });
        plan(turn, { interval, dueAt: clock.now() + spread(interval, chance()), askedAt });
      }
      return true;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      metrics.polls.inc({ vendor, outcome: error.code });
      if (due.isParked) {
        plan(turn, { interval: PARKED_SECONDS, dueAt: clock.now() + spread(PARKED_SECONDS, chance()) });
        return undefined;
      }
      return failed(turn, { isPaced: adapter.pace !== undefined, interval: due.interval, error });
    }
  }

  async function readAll(
    adapter: Adapter,
    toRead: Due['devices'],
  ): Promise<Pick<Outcome, 'seen' | 'isOvertaken'>> {
    if (adapter.sweep === undefined) return devices.background.read(toRead[0]);
    const { left, seen, isOvertaken } = await devices.background.sweep(toRead);
    const all = [...seen];
    let isAny = isOvertaken;
    let fault: AppError | undefined;
    for (const device of left) {
      try {
        const one = await devices.background.read(device);
        all.push(...one.seen);
        isAny ||= one.isOvertaken;
      } catch (error) {
        if (!(error instanceof AppError) || !isOfOneDevice(error)) throw error;
        metrics.polls.inc({ vendor: device.vendor, outcome: error.code });
        fault = error;
      }
    }
    // One device that is refused must not slow down its others.
    if (fault !== undefined && all.length === 0) throw fault;
    return { seen: all, isOvertaken: isAny };
  }

  async function failed(
    turn: Begun,
    { isPaced, interval, error }: { isPaced: boolean; interval: number; error: AppError },
  ): Promise<boolean | undefined> {
    const now = clock.now();
    const failures = turn.failures + 1;
    switch (error.code) {
      case 'device.not_found':
      case 'link.not_found':
        await store.remove(turn.id);
        return undefined;
      case 'vendor.login_expired':
        plan(turn, {
          interval: PARKED_SECONDS,
          dueAt: now + spread(PARKED_SECONDS, chance()),
          failures,
        });
        return true;
      case 'vendor.rate_limited': {
        const seconds = Math.max(error.retryAfterSeconds ?? interval, interval, 1);
        const until = now + spread(seconds, chance());
        plan(turn, { interval, dueAt: until, failures });
        if (!(error instanceof DeviceLimited))
          await store.holdBack({ account: turn.account, link: turn.link, until });
        return undefined;
      }
      case 'vault.mismatch':
        // The operator's fault says nothing about the device: it is read at its pace as soon as that is mended.
        plan(turn, { interval, dueAt: now + spread(interval, chance()), failures: turn.failures });
        return undefined;
      case 'server.stopping':
        plan(turn, { interval, dueAt: now });
        return undefined;
      default: {
        if (!isPaced && failures >= HINT_ATTEMPTS) {
          plan(turn, { interval, dueAt: NEVER, askedAt: now });
          return !UNANSWERED.has(error.code);
        }
        const seconds = Math.max(retrySeconds(interval, failures), error.retryAfterSeconds ?? 0);
        plan(turn, { interval, dueAt: now + spread(seconds, chance()), failures });
        // Who refuses a token has answered.
        return error instanceof FreshTokenRefused || !UNANSWERED.has(error.code);
      }
    }
  }

  function plan(
    { ids, ...turn }: Begun,
    next: {
      readonly interval: number;
      readonly dueAt: number;
      readonly failures?: number;
      readonly askedAt?: number;
    },
  ): void {
    finish({
      turn,
      devices: ids,
      dueAt: next.dueAt,
      intervalSeconds: next.interval,
      failures: next.failures ?? 0,
      askedAt: next.askedAt ?? null,
    });
  }
}
