import { adapterOf } from '../../adapter/adapters.ts';
import { kindOf } from '../../adapter/derive.ts';
import { SET_POINT_TYPES } from '../../adapter/set-points.ts';
import { AppError } from '../../core/errors.ts';
import type { Queries } from '../../db/database.ts';
import type { LinkRow } from '../calls/index.ts';
import { type CommandedDevice, commandedOf } from '../devices/index.ts';
import { createGatewayReport } from './gateway-report.ts';
import { createKeeper, type KeeperOptions } from './keeper.ts';
import { endsAt, givenUpAt } from './plan.ts';
import { reasonOf } from './release.ts';
import { responseOf, type SetPointResponse } from './response.ts';
import type { SetPointRow } from './store.ts';

export { createSetPointRecords, type SetPointRecords } from './records.ts';
export type { DeviceQueue } from './release.ts';
export { SetPointResponse } from './response.ts';
export { createWills, type KeptWill, type WillsOfGateways } from './wills.ts';

/** A link that a process has not deleted by then, because it died, is deleted by another. */
const UNLINK_AGAIN_MS = 60_000;

export interface OfDevice {
  readonly account: number;
  readonly deviceId: string;
  readonly vendor: string | undefined;
}

/** A set-point that keeps a link from being deleted. */
export interface Unreleased {
  readonly device: string;
  readonly type: string;
  readonly error: string;
  /** When it is given up, ms since 1970. */
  readonly givenUpAt: number;
}

/** What devices were commanded to hold: renewed while it is wanted, and released when it is over. */
export function createSetPoints(options: KeeperOptions) {
  const { adapters, devices, queue } = options;
  const { log } = options.host;
  const { store } = options.records;
  const keeper = createKeeper(options);

  /** Leaves nothing of ours in force at a link that is about to be deleted. */
  async function releaseOne(row: SetPointRow, link: LinkRow): Promise<void> {
    const at = await keeper.found(row);
    if (at === undefined) {
      await store.forget(row);
      return;
    }
    await keeper.release({
      ...at,
      ...{ key: row, keyId: row.keyId, reason: 'unlinked', removesLinkOf: link.linkedAt },
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

    /** What the device was commanded to hold. */
    async list({ account, deviceId, vendor }: OfDevice): Promise<SetPointResponse[]> {
      const { row } = await devices.find(account, deviceId, vendor);
      return (await store.ofDevice(account, row.vendor, row.id)).map(responseOf);
    },

    /** Returns the device to its automatic operation, and answers what it is like then. */
    async end({
      type,
      keyId,
      ...of
    }: OfDevice & { readonly type: string; readonly keyId: string }): Promise<CommandedDevice> {
      const known = await devices.find(of.account, of.deviceId, of.vendor);
      const { row } = known;
      const { setPoints = {} } = kindOf(adapterOf(adapters, row.vendor), row.type);
      const named = SET_POINT_TYPES.find((one) => one === type);
      const setPoint = named && setPoints[named];
      if (setPoint === undefined)
        throw new AppError(
          'device.set_point_unsupported',
          `${row.id} has no set-point ${type.slice(0, 60)} (it has ${Object.keys(setPoints).join(', ') || 'none'})`,
        );
      const key = { account: row.account, vendor: row.vendor, device: row.id, type };
      const after = await keeper.release({
        ...{ known, setPoint, key, keyId, reason: 'requested' },
        done: store.forget,
        look: () => queue.stateAfter(known),
      });
      return commandedOf(after);
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
