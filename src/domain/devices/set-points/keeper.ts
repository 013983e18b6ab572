import { createLoop } from '../../../core/loop.ts';
import { question } from '../../../db/topic.ts';
import { CLAIM_MS } from './records.ts';
import { Overtaken } from './release.ts';
import { nameOf, type SetPointsOptions, SetPointTasks } from './tasks.ts';

/** Whether another process keeps set-points; it answers with its name. */
const KEEPS = question<{ readonly from: string }, string>('set-points.keeps');
const KEEPS_MS = 500;
/** What another process has left is found within this. */
const LOOK_MS = 5_000;
const SOON_MS = 250;
/** Set-points that a process renews or releases at a time. */
const AT_ONCE = 50;
/** Set-points that a process releases when it stops; what is left is renewed or released at the next start. */
const MOST_AT_STOP = 1_000;

/** Renews set-points that are in force, and releases those that are over. Whichever process finds one due does it. */
export function createKeeper(options: SetPointsOptions) {
  const { adapters, records } = options;
  const { database, clock, log } = options.host;
  const { bus, moments } = database;
  const { store } = records;
  const isNeeded = [...adapters.values()].some(({ kinds }) =>
    Object.values(kinds).some(({ setPoints }) => setPoints !== undefined),
  );
  const self = crypto.randomUUID();
  const working = new Set<Promise<void>>();
  let isKeeping = false;

  KEEPS.answer(bus, ({ from }) => (from !== self && isKeeping ? self : undefined));

  /** Whatever is claimed at the start of the only process of a database was claimed by one that is dead. */
  let hasHeirloom = database.engine === 'sqlite';

  async function look(): Promise<number> {
    if (hasHeirloom) await store.wakeAll();
    hasHeirloom = false;
    const free = AT_ONCE - working.size;
    const claimed = free <= 0 ? [] : await store.claim(CLAIM_MS, free);
    for (const row of claimed) {
      const work = tasks
        .take(row)
        .catch((error: unknown) => log.warn({ err: error, ...nameOf(row) }, 'a set-point was not handled'))
        .finally(() => working.delete(work));
      working.add(work);
    }
    if (claimed.length === free || free <= 0) return SOON_MS;
    const due = await store.nextDue();
    return Math.min(LOOK_MS, Math.max(SOON_MS, (due ?? Number.POSITIVE_INFINITY) - moments.clock.now()));
  }

  const loop = createLoop({
    clock,
    run: look,
    everyMs: LOOK_MS,
    failed: (error) => log.warn({ err: error }, 'set-points could not be looked after'),
  });
  const tasks = new SetPointTasks({ ...options, soon: () => loop.wake(SOON_MS) });
  records.onChange(() => isKeeping && loop.wake());

  /** Whether no other process keeps set-points. Where that cannot be asked, another one may. */
  async function isLast(): Promise<boolean> {
    const asked = await KEEPS.ask(bus, { from: self }, { timeoutMs: KEEPS_MS });
    return asked.state === 'silent';
  }

  return {
    tasks,

    /** Begins to renew and release. */
    start(): void {
      if (!isNeeded) return;
      isKeeping = true;
      loop.wake();
    },

    /** Something may be due now. */
    wake(): void {
      if (isKeeping) loop.wake();
    },

    /** Resolves when nothing is being renewed or released, and all that is due has been begun. */
    async settled(): Promise<void> {
      await loop.settled();
      await Promise.all(working);
    },

    /** Renews nothing any more; where no other process does, devices are returned to automatic operation. */
    async stop(): Promise<void> {
      if (!isKeeping) return;
      isKeeping = false;
      await loop.close();
      if (!(await isLast())) return;
      await Promise.all(working);
      await Promise.all(
        (await store.held(MOST_AT_STOP)).map((row) =>
          tasks.pause(row).catch((error: unknown) => {
            if (!(error instanceof Overtaken))
              log.warn({ err: error, ...nameOf(row) }, 'a set-point stays in force while no process runs');
          }),
        ),
      );
    },

    /** Resolves when nothing is under way. */
    async close(): Promise<void> {
      isKeeping = false;
      await loop.close();
      await Promise.all(working);
      records.close();
    },
  };
}

export type Keeper = ReturnType<typeof createKeeper>;
