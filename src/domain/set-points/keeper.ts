import type { Adapter } from '../../adapter/adapter.ts';
import { adapterOf } from '../../adapter/adapters.ts';
import type { Command } from '../../adapter/commands.ts';
import { kindOf } from '../../adapter/derive.ts';
import { send } from '../../adapter/send.ts';
import { isSetPointType, type SetPoint } from '../../adapter/set-points.ts';
import type { ByteScript } from '../../core/byte-script.ts';
import { AppError } from '../../core/errors.ts';
import { createLoop } from '../../core/loop.ts';
import type { Host } from '../../db/host.ts';
import { question } from '../../db/topic.ts';
import type { Calls, LinkEvents } from '../calls/index.ts';
import type { Devices, Known } from '../devices/index.ts';
import { dueMs, nextStep, type ReleaseReason, retryMs } from './plan.ts';
import { CLAIM_MS, type SetPointRecords } from './records.ts';
import { begun, createRelease, type DeviceQueue, Overtaken, reasonOf } from './release.ts';
import type { SetPointRow } from './store.ts';

/** Whether another process keeps set-points; it answers with its name. */
const KEEPS = question<{ readonly from: string }, string>('set-points.keeps');
const KEEPS_MS = 500;
/** What another process has left is found within this. */
const LOOK_MS = 5_000;
const SOON_MS = 250;
/** One whose gateway is connected to another process, or to none, is left to the others for so long. */
const ELSEWHERE_MS = 2_000;
/** Set-points that a process renews or releases at a time. */
const AT_ONCE = 50;
/** Set-points that a process releases when it stops; what is left is renewed or released at the next start. */
const MOST_AT_STOP = 1_000;

export interface KeeperOptions {
  readonly host: Host;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly records: SetPointRecords;
  readonly queue: DeviceQueue;
  readonly devices: Pick<Devices, 'find' | 'markStale'>;
  readonly calls: Pick<Calls, 'stored' | 'isHere'>;
  readonly events: Pick<LinkEvents, 'emit' | 'emitOrThrow'>;
}

/** Renews set-points that are in force, and releases those that are over. Whichever process finds one due does it. */
export function createKeeper(options: KeeperOptions) {
  const { adapters, records, queue, devices, calls, events } = options;
  const { database, clock, random, log } = options.host;
  const { bus, moments } = database;
  const { store, wills } = records;
  const release = createRelease({ store, queue, random, wills });
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
      const work = act(row)
        .catch((error: unknown) => log.warn({ err: error, ...nameOf(row) }, 'a set-point had no turn'))
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
  records.onChange(() => isKeeping && loop.wake());

  /** The device and how it is released; undefined where it is gone, or nothing of ours can be in force at it any more. */
  async function found(
    row: SetPointRow,
  ): Promise<{ readonly known: Known; readonly setPoint: SetPoint } | undefined> {
    const { account, device, vendor, type } = row;
    try {
      const known = await devices.find(account, device, vendor);
      const setPoint = isSetPointType(type)
        ? adapters.get(vendor)?.kinds[known.row.type]?.setPoints?.[type]
        : undefined;
      return setPoint && { known, setPoint };
    } catch (error) {
      if (error instanceof AppError && error.code === 'device.not_found') return undefined;
      throw error;
    }
  }

  async function act(row: SetPointRow): Promise<void> {
    const at = await found(row);
    if (at === undefined) {
      log.warn(nameOf(row), 'a set-point is forgotten: its device is gone');
      await over(row);
      return;
    }
    const step = nextStep(row, moments.clock.now());
    if ((step.step === 'renew' || step.step === 'release') && !(await calls.isHere(row))) {
      await store.wait(row, ELSEWHERE_MS);
      return;
    }
    switch (step.step) {
      case 'wait':
        await store.wait(row, step.ms);
        return;
      case 'renew':
        await renew(row, at);
        return;
      case 'release':
        if (row.isInDoubt) await store.doubt(row);
        await releaseDue(row, at, step.reason);
        return;
      case 'forget':
        if (step.isAbandoned)
          log.error(
            { ...nameOf(row), error: row.error },
            'a set-point could not be released, and the device may hold it until somebody changes it there',
          );
        await over(row);
        return;
      case 'unlink':
        await unlink(row);
        return;
    }
  }

  async function renew(
    row: SetPointRow,
    { known, setPoint }: { readonly known: Known; readonly setPoint: SetPoint },
  ): Promise<void> {
    // It was stored by us, in the words of this or an earlier version.
    const command = JSON.parse(row.commandJson) as Command;
    const kind = kindOf(adapterOf(adapters, row.vendor), known.row.type);
    let steps: readonly ByteScript[] | undefined;
    try {
      await queue.change(
        known,
        { keyId: row.keyId, begun },
        {
          kept: { ...command, renewed: true },
          isBackground: true,
          async keep(sendIt) {
            if (!(await store.isHeld(row))) throw new Overtaken();
            await sendIt();
            await store.renewed(row, dueMs({ ...row, renewedAt: moments.clock.now() }, moments.clock.now()));
            if (row.revertMs === null && setPoint.releaseBytes !== undefined) await wills.leave(row, steps);
          },
          async work(session) {
            await send(kind, session, known.row, command);
            if (row.revertMs === null) steps = await wills.make(session, known.row, setPoint);
          },
          look: async () => {},
        },
      );
    } catch (error) {
      if (error instanceof Overtaken) return;
      if (row.failures === 0)
        log.warn({ err: error, ...nameOf(row) }, 'a set-point could not be renewed; retrying');
      await store.failed(row, { error: reasonOf(error), waitMs: retryMs(row, row.failures + 1) });
      loop.wake(SOON_MS);
      return;
    }
    if (row.state === 'paused') await isOtherwise(known);
    loop.wake(SOON_MS);
  }

  async function releaseDue(
    row: SetPointRow,
    { known, setPoint }: { readonly known: Known; readonly setPoint: SetPoint },
    reason: ReleaseReason | undefined,
  ): Promise<void> {
    if (reason === 'lapsed')
      log.warn(nameOf(row), 'a set-point was not renewed for too long, and is released');
    try {
      await release({
        ...{ known, setPoint, reason },
        ...{ key: row, keyId: row.keyId, ifStill: row.version, isBackground: true },
        done: (of) => over({ ...row, version: of.version }),
        look: async () => {},
      });
    } catch (error) {
      if (error instanceof Overtaken) return;
      if (row.failures === 0)
        log.warn({ err: error, ...nameOf(row) }, 'a set-point could not be released; retrying');
      loop.wake(SOON_MS);
      return;
    }
    await isOtherwise(known);
  }

  /** Nothing is in force any more; the link goes where it only waited for that. */
  async function over(row: SetPointRow): Promise<void> {
    if (row.removesLinkOf === null) {
      await store.forget(row);
      return;
    }
    await store.awaitUnlink(row, 0);
    loop.wake(SOON_MS);
  }

  async function unlink(row: SetPointRow): Promise<void> {
    const link = await calls.stored(row);
    if (link === undefined) return;
    if (link.linkedAt !== row.removesLinkOf) {
      await store.forget(row);
      return;
    }
    if ((await store.ofLink(link)).length > 0) return;
    const { account, vendor, linkedAt } = link;
    await events.emitOrThrow('released', { account, link: link.link, vendor, linkedAt });
  }

  /** The device does something else now than what was read. */
  async function isOtherwise(known: Known): Promise<void> {
    devices.markStale(known);
    await events.emit('commanded', known.row);
  }

  /** Whether no other process keeps set-points. Where that cannot be asked, another one may. */
  async function isLast(): Promise<boolean> {
    const asked = await KEEPS.ask(bus, { from: self }, { timeoutMs: KEEPS_MS });
    return asked.state === 'silent';
  }

  async function pause(row: SetPointRow): Promise<void> {
    const at = await found(row);
    if (at === undefined) return;
    await queue.change(
      at.known,
      { keyId: row.keyId, begun },
      {
        kept: { type: 'release', set_point: row.type },
        isBackground: true,
        async keep(sendIt) {
          if (!(await store.isHeld(row))) throw new Overtaken();
          await sendIt();
          await wills.withdraw(row, at.setPoint);
          await store.pause(row);
        },
        work: (session) => at.setPoint.release(session, at.known.row),
        look: async () => {},
      },
    );
    await isOtherwise(at.known);
  }

  return {
    /** Begins to renew and release. */
    start(): void {
      if (!isNeeded) return;
      isKeeping = true;
      loop.wake();
    },

    release,
    found,
    over,
    isOtherwise,
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
          pause(row).catch((error: unknown) => {
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

const nameOf = ({ vendor, link, device, type }: SetPointRow) => ({ vendor, link, device, type });
