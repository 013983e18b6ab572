import { adapterOf, kindOf } from '../../../adapter/adapters.ts';
import { SET_POINT_TYPES } from '../../../adapter/commands.ts';
import type { Begin } from '../../../core/begin.ts';
import { AppError } from '../../../core/errors.ts';
import { type Random, randomId } from '../../../core/ids.ts';
import type { Log } from '../../../core/log.ts';
import { ELNAV, type Sender, senderOf } from '../../../core/sender.ts';
import type { Queries } from '../../../db/database.ts';
import type { LinkRow } from '../../vendor-calls/calls/index.ts';
import type { CommandedDevice } from '../devices/index.ts';
import { createKeeper, type Keeper } from './keeper.ts';
import { endsAt, givenUpAt } from './plan.ts';
import { reasonOf } from './release.ts';
import type { SetPointRow, SetPointStore } from './store.ts';
import type { SetPointsOptions } from './tasks.ts';
import { responseOf, type SetPointResponse } from './view.ts';
import { type KeptWill, setPointKeyIn } from './wills.ts';

interface Taking {
  readonly keeper: Pick<Keeper, 'tasks' | 'wake'>;
  readonly store: SetPointStore;
  readonly random: Random;
  readonly log: Log;
}

/**
 * Takes in what a gateway has done by itself while it did not hear of us. What it released is over, and what it began to release is released
 * once more, so that its outcome is known. A set-point that was sent since is another version, and stays.
 */
function createGatewayReport({ keeper, store, random, log }: Taking) {
  /** Answers the keys of wills that are not wanted any more. */
  return async (gateway: { account: number; id: string }, wills: readonly KeptWill[]): Promise<string[]> => {
    const { account, id } = gateway;
    const unwanted: string[] = [];
    for (const { key, version, state } of wills) {
      const named = setPointKeyIn(key);
      const rows = named === undefined ? [] : await store.ofDevice(account, named.vendor, named.device);
      const row = rows.find(({ type }) => type === named?.type);
      if (row === undefined || state !== 'kept') unwanted.push(key);
      if (
        row === undefined ||
        state === 'kept' ||
        // control: a set-point that was sent since is not ended by an older report of a gateway [gateway-report]
        row.version !== version
      )
        continue;
      const { vendor, device, type } = row;
      log.warn({ gateway: id, vendor, device, type, state }, 'a gateway lost us, and released a set-point');
      if (state === 'done') await keeper.tasks.over(row);
      else
        await store.release(
          { ...row, version: randomId(random) },
          { reason: 'gateway', ifStill: version, claimMs: 0 },
        );
      const at = await keeper.tasks.found(row);
      if (at !== undefined) await keeper.tasks.isOtherwise(at.cached);
    }
    keeper.wake();
    return unwanted;
  };
}

export { createSetPointRecords, type SetPointRecords } from './records.ts';

export { SetPointResponse } from './view.ts';

export { createWills, type KeptWill, type WillsOfGateways } from './wills.ts';

/** A link that a process has not deleted by then, because it died, is deleted by another. */
const UNLINK_AGAIN_MS = 60_000;

export interface OfDevice {
  readonly account: number;
  readonly deviceId: string;
  readonly vendor: string | undefined;
}

/** A set-point that keeps a link from being deleted. */
interface Unreleased {
  readonly device: string;
  readonly type: string;
  readonly error: string;
  /** When it is given up, ms since 1970. */
  readonly givenUpAt: number;
}

/** What devices were commanded to hold: renewed while it is wanted, and released when it is over. */
export function createSetPoints(options: SetPointsOptions) {
  const { adapters, devices, queue, calls } = options;
  const { log } = options.host;
  const { store } = options.records;
  const keeper = createKeeper(options);

  /** Leaves nothing of ours in force at a link that is about to be deleted. */
  async function releaseOne(row: SetPointRow, link: LinkRow): Promise<void> {
    const at = await keeper.tasks.found(row);
    if (at === undefined) {
      await store.forget(row);
      return;
    }
    await keeper.tasks.release({
      ...at,
      ...{ key: row, keyId: ELNAV, reason: 'unlinked', removesLinkOf: link.linkedAt },
      done: (of) => store.awaitUnlink(of, UNLINK_AGAIN_MS),
      look: async () => {},
    });
  }

  const isLeftToTimer = (row: SetPointRow, link: Pick<LinkRow, 'linkedAt'>): boolean =>
    row.removesLinkOf === link.linkedAt && endsAt(row) !== undefined;

  return {
    start: keeper.start,
    stop: keeper.stop,
    close: keeper.close,
    settled: keeper.settled,
    takeGatewayReport: createGatewayReport({ keeper, store, random: options.host.random, log }),
    /** Links that are deleted once their set-points are released, with the moment at which that is given up. */
    removals: store.removals,

    /** What the device was commanded to hold, as far as is known. */
    async list({ account, deviceId, vendor }: OfDevice): Promise<SetPointResponse[]> {
      const { row } = await devices.find(account, deviceId, vendor);
      const rows = await store.ofDevice(account, row.vendor, row.id);
      if (rows.length === 0) return [];
      const away = await calls.gatewayAway(row);
      return rows.map((one) => responseOf(one, away));
    },

    /** Returns the device to its automatic operation, and answers what it is like then. */
    async end({
      type,
      ...of
    }: OfDevice & Sender & { readonly type: string; readonly begun?: Begin }): Promise<CommandedDevice> {
      const cached = await devices.find(of.account, of.deviceId, of.vendor);
      const { row } = cached;
      const { setPoints = {} } = kindOf(adapterOf(adapters, row.vendor), row.type);
      const named = SET_POINT_TYPES.find((one) => one === type);
      const setPoint = named && setPoints[named];
      if (setPoint === undefined)
        throw new AppError(
          'device.set_point_unsupported',
          `${row.id} has no set-point ${type.slice(0, 60)} (it has ${Object.keys(setPoints).join(', ') || 'none'})`,
        );
      const key = { account: row.account, vendor: row.vendor, device: row.id, type };
      return keeper.tasks.release({
        ...{ ...senderOf(of), begun: of.begun, cached, setPoint, key, reason: 'requested' },
        done: store.forget,
        look: () => queue.deviceAfter(cached),
      });
    },

    /** Releases all that is in force at the devices of a link; answers what the devices would keep, and cannot be told now. */
    async releaseLink(link: LinkRow): Promise<Unreleased[]> {
      const rows = await store.ofLink(link);
      if (rows.length === 0) return [];
      const failed = await Promise.all(
        rows.map((row) =>
          releaseOne(row, link).then(
            () => undefined,
            (error: unknown) => error,
          ),
        ),
      );
      const left = (await store.ofLink(link)).filter((row) => !isLeftToTimer(row, link));
      // Whatever kept it from being tried at all, such as a database that is away.
      const untried = left.some((row) => row.removesLinkOf !== link.linkedAt);
      const fault = failed.find((error) => error !== undefined);
      if (untried && fault !== undefined) throw fault;
      for (const row of left)
        log.warn(
          { vendor: row.vendor, device: row.device, type: row.type },
          'a link waits for its deletion until its set-points are released',
        );
      return left.map((row) => ({
        device: row.device,
        type: row.type,
        error: row.error ?? reasonOf(fault),
        givenUpAt: givenUpAt(row),
      }));
    },

    /** Whether a set-point has come into force at the link meanwhile, within the transaction that is about to delete it. */
    async remain(transaction: Queries, link: LinkRow): Promise<boolean> {
      return (await store.ofLink(link, transaction)).some((row) => !isLeftToTimer(row, link));
    },
  };
}

export type SetPoints = ReturnType<typeof createSetPoints>;
