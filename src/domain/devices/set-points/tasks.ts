import type { Adapter } from '../../../adapter/adapter.ts';
import { adapterOf, kindOf, send } from '../../../adapter/adapters.ts';
import type { Command } from '../../../adapter/commands.ts';
import { isSetPointType, type SetPoint } from '../../../adapter/commands.ts';
import type { ByteScript } from '../../../core/byte-script.ts';
import { AppError } from '../../../core/errors.ts';
import type { Host } from '../../../db/host.ts';
import type { Calls, LinkEvents } from '../../vendor-calls/calls/index.ts';
import type { CachedDevice, Devices } from '../devices/index.ts';
import { dueMs, nextStep, type ReleaseReason, retryMs } from './plan.ts';
import type { SetPointRecords } from './records.ts';
import { begun, createRelease, type DeviceQueue, Overtaken, type Release, reasonOf } from './release.ts';
import type { SetPointRow } from './store.ts';

/** One whose gateway is connected to another process, or to none, is left to the others for so long. */
const ELSEWHERE_MS = 2_000;

export interface SetPointsOptions {
  readonly host: Host;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly records: SetPointRecords;
  readonly queue: DeviceQueue;
  readonly devices: Pick<Devices, 'find' | 'markStale'>;
  readonly calls: Pick<Calls, 'stored' | 'isHere' | 'gatewayAway'>;
  readonly events: Pick<LinkEvents, 'emit' | 'emitOrThrow'>;
}

interface TasksOptions extends SetPointsOptions {
  /** Called when a set-point may be due again soon. */
  readonly soon: () => void;
}

/** The device of a set-point, and how it is released. */
interface Found {
  readonly cached: CachedDevice;
  readonly setPoint: SetPoint;
}

/** Names a set-point in the log. */
export const nameOf = ({ vendor, link, device, type }: SetPointRow) => ({ vendor, link, device, type });

/** Handles set-points that are due: each is renewed, released, forgotten, or its link is let go. */
export class SetPointTasks {
  readonly #options: TasksOptions;
  readonly release: Release;

  constructor(options: TasksOptions) {
    this.#options = options;
    const { store, wills } = options.records;
    this.release = createRelease({ store, wills, queue: options.queue, random: options.host.random });
  }

  /** Undefined where the device is gone, or nothing of ours can be in force at it any more. */
  async found({ account, device, vendor, type }: SetPointRow): Promise<Found | undefined> {
    const { devices, adapters } = this.#options;
    try {
      const cached = await devices.find(account, device, vendor);
      const setPoint = isSetPointType(type)
        ? adapters.get(vendor)?.kinds[cached.row.type]?.setPoints?.[type]
        : undefined;
      return setPoint && { cached, setPoint };
    } catch (error) {
      if (error instanceof AppError && error.code === 'device.not_found') return undefined;
      throw error;
    }
  }

  /** Does what is due now with one that this process has claimed. */
  async take(row: SetPointRow): Promise<void> {
    const { calls, records, host } = this.#options;
    const { store } = records;
    const at = await this.found(row);
    if (at === undefined) {
      host.log.warn(nameOf(row), 'a set-point is forgotten: its device is gone');
      await this.over(row);
      return;
    }
    const step = nextStep(row, host.database.moments.clock.now());
    if ((step.step === 'renew' || step.step === 'release') && !(await calls.isHere(row))) {
      await store.wait(row, ELSEWHERE_MS);
      return;
    }
    switch (step.step) {
      case 'wait':
        await store.wait(row, step.ms);
        return;
      case 'renew':
        await this.#renew(row, at);
        return;
      case 'release':
        if (row.isInDoubt) await store.doubt(row);
        await this.#releaseDue(row, at, step.reason);
        return;
      case 'forget':
        if (step.isAbandoned)
          host.log.error(
            { ...nameOf(row), error: row.error },
            'a set-point could not be released, and the device may hold it until somebody changes it there',
          );
        await this.over(row);
        return;
      case 'unlink':
        await this.#unlink(row);
        return;
    }
  }

  async #renew(row: SetPointRow, { cached, setPoint }: Found): Promise<void> {
    const { adapters, queue, host, soon } = this.#options;
    const { store, wills } = this.#options.records;
    const { clock } = host.database.moments;
    // It was stored by us, in the words of this or an earlier version.
    const command = JSON.parse(row.commandJson) as Command;
    const kind = kindOf(adapterOf(adapters, row.vendor), cached.row.type);
    let steps: readonly ByteScript[] | undefined;
    try {
      await queue.change(
        cached,
        { keyId: row.keyId, begun },
        {
          kept: { ...command, renewed: true },
          isBackground: true,
          async keep(sendIt) {
            if (!(await store.isHeld(row))) throw new Overtaken();
            await sendIt();
            await store.renewed(row, dueMs({ ...row, renewedAt: clock.now() }, clock.now()));
            if (row.revertMs !== null || setPoint.releaseBytes === undefined) return;
            const isLeft = (await wills.leave(row, steps)) ?? row.hasWill;
            if (isLeft !== row.hasWill) await store.willLeft(row, isLeft);
          },
          async work(session) {
            await send(kind, session, cached.row, command);
            if (row.revertMs === null) steps = await wills.make(session, cached.row, setPoint);
          },
          look: async () => {},
        },
      );
    } catch (error) {
      if (error instanceof Overtaken) return;
      if (row.failures === 0)
        host.log.warn({ err: error, ...nameOf(row) }, 'a set-point could not be renewed; retrying');
      await store.failed(row, { error: reasonOf(error), waitMs: retryMs(row, row.failures + 1) });
      soon();
      return;
    }
    if (row.state === 'paused') await this.isOtherwise(cached);
    soon();
  }

  async #releaseDue(row: SetPointRow, at: Found, reason: ReleaseReason | undefined): Promise<void> {
    const { host, soon } = this.#options;
    if (reason === 'lapsed')
      host.log.warn(nameOf(row), 'a set-point was not renewed for too long, and is released');
    try {
      await this.release({
        ...{ ...at, reason },
        ...{ key: row, keyId: row.keyId, ifStill: row.version, isBackground: true },
        done: (of) => this.over({ ...row, version: of.version }),
        look: async () => {},
      });
    } catch (error) {
      if (error instanceof Overtaken) return;
      if (row.failures === 0)
        host.log.warn({ err: error, ...nameOf(row) }, 'a set-point could not be released; retrying');
      soon();
      return;
    }
    await this.isOtherwise(at.cached);
  }

  /** Nothing is in force any more; the link goes where it only waited for that. */
  async over(row: SetPointRow): Promise<void> {
    const { store } = this.#options.records;
    if (row.removesLinkOf === null) {
      await store.forget(row);
      return;
    }
    await store.awaitUnlink(row, 0);
    this.#options.soon();
  }

  async #unlink(row: SetPointRow): Promise<void> {
    const { calls, events, records } = this.#options;
    const link = await calls.stored(row);
    if (link === undefined) return;
    if (link.linkedAt !== row.removesLinkOf) {
      await records.store.forget(row);
      return;
    }
    if ((await records.store.ofLink(link)).length > 0) return;
    const { account, vendor, linkedAt } = link;
    await events.emitOrThrow('released', { account, link: link.link, vendor, linkedAt });
  }

  /** The device does something else now than what was read. */
  async isOtherwise(cached: CachedDevice): Promise<void> {
    this.#options.devices.markStale(cached);
    await this.#options.events.emit('commanded', cached.row);
  }

  /** Releases it until a process runs again; throws `Overtaken` where a newer command came first. */
  async pause(row: SetPointRow): Promise<void> {
    const { store, wills } = this.#options.records;
    const at = await this.found(row);
    if (at === undefined) return;
    await this.#options.queue.change(
      at.cached,
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
        work: (session) => at.setPoint.release(session, at.cached.row),
        look: async () => {},
      },
    );
    await this.isOtherwise(at.cached);
  }
}
