import type { Adapter } from '../../../adapter/adapter.ts';
import { createLoop } from '../../../core/loop.ts';
import type { Host } from '../../../db/host.ts';
import type { Budgets } from '../../vendor-calls/budgets/index.ts';
import type { Calls, LinkEvents } from '../../vendor-calls/calls/index.ts';
import type { Devices } from '../devices/index.ts';
import type { Streams } from '../streams/index.ts';
import { createPlanner } from './planner.ts';
import { createPollQueue, type PollQueue } from './poll-queue.ts';
import { type Ended, Poller } from './poller.ts';
import { createPollStore, type Poll } from './store.ts';
import { createSurvey, othersFirst } from './survey.ts';

export { readBacklog } from './store.ts';

const TICK_MS = 500;
/** A vendor of which nothing is due is not looked at again for so long, or for a tenth of its shortest pace where that is less. */
const REST_MS = 2_000;
/** Longer than any poll waits and takes; a process that died keeps its polls for so long. */
const CLAIM_MS = 180_000;
/** What polls end with is written together. */
const GATHER_MS = 100;

interface PollingOptions {
  /** Its clock times this process's own work; when a device is read goes by the moments of the database. */
  readonly host: Host;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly devices: Pick<Devices, 'background' | 'flush' | 'planned'>;
  readonly budgets: Pick<Budgets, 'bearableSeconds'>;
  readonly calls: Pick<Calls, 'find'>;
  readonly streams: Pick<Streams, 'isOpen'>;
  readonly isSuspended: (account: number) => boolean;
  readonly events: Pick<LinkEvents, 'on'>;
  /** Names this process to the others. */
  readonly instance: string;
}

/**
 * Reads linked devices in the background, as often as their vendor's pace and limits allow. Only running tasks are in memory:
 * each device has its next poll in the database, and whichever process finds it due takes it.
 */
export function createPolling(options: PollingOptions) {
  const { database, clock, random, log, metrics } = options.host;
  const { moments } = database;
  const store = createPollStore(database);
  const queues = new Map<string, PollQueue>();
  const chance = () => random(4).readUInt32BE() / 2 ** 32;
  let finished: Ended[] = [];

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
        batch.flatMap(({ poll: { account }, devices }) => devices.map((id) => ({ account, id }))),
      );
      for (const one of planned) if (one.status === 'rejected') throw one.reason;
    },
    // They come due again when their claim ends.
    failed: (error) => log.warn({ err: error }, 'polls could not be planned'),
  });

  const poller = new Poller({
    ...options,
    ...{ store, chance, finish, log, metrics },
    queueOf: (vendor) => queues.get(vendor),
    clock: moments.clock,
  });

  const queueOf = (adapter: Adapter): PollQueue => {
    const known = queues.get(adapter.slug);
    if (known !== undefined) return known;
    const queue = createPollQueue({
      adapter,
      clock,
      log,
      claim: (vendor, most) =>
        store.claim(vendor, {
          claimMs: CLAIM_MS,
          most,
          madeBy: adapter.isLocal === true ? options.instance : undefined,
        }),
      isClaimed: (poll) => poll.claimedUntil > moments.clock.now(),
      take: (poll) => poller.take(poll),
      giveBack: (poll, waitMs) =>
        finish({ ...asItWas(poll), dueAt: moments.clock.now() + Math.round(waitMs * (1 + chance())) }),
    });
    queues.set(adapter.slug, queue);
    return queue;
  };

  const planner = createPlanner({
    ...options,
    ...{ store, chance },
    clock: moments.clock,
    called: (adapter) => queueOf(adapter).called(),
  });
  const survey = createSurvey({
    ...{ adapters: options.adapters, store, clock, queues, queueOf },
    add: planner.add,
    isStopping: () => ticks.isClosed,
  });

  async function tick(): Promise<void> {
    await survey();
    for (const queue of queues.values()) {
      const { active = Number.POSITIVE_INFINITY } = queue.adapter.pace ?? {};
      await queue.tick({ everyMs: TICK_MS, restMs: Math.min(REST_MS, active * 100) });
      await othersFirst();
    }
  }

  /** Resolves when commands are noted and what was read is stored; what polls end with is about to be. */
  async function storeAll(): Promise<void> {
    await options.devices.flush();
    await planner.noted();
    writer.wake();
  }

  const ticks = createLoop({
    clock,
    run: tick,
    everyMs: TICK_MS,
    failed: (error) => log.warn({ err: error }, 'background reading could not go on'),
  });

  return {
    start: (): void => ticks.wake(),

    /** Resolves when all that was begun is done and stored. */
    async settled(): Promise<void> {
      await ticks.settled();
      await Promise.all([...queues.values()].map((queue) => queue.settled()));
      await storeAll();
      await writer.settled();
    },

    async close(): Promise<void> {
      await ticks.close();
      await Promise.all([...queues.values()].map((queue) => queue.stop()));
      await storeAll();
      await writer.close();
    },
  };
}

function asItWas(poll: Poll): Omit<Ended, 'dueAt'> {
  const { intervalSeconds, failures } = poll;
  const devices = poll.device === '' ? [] : [poll.device];
  return { poll, devices, intervalSeconds, failures, askedAt: null };
}
