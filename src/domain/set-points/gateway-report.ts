import { type Random, randomId } from '../../core/ids.ts';
import type { Log } from '../../core/log.ts';
import type { Keeper } from './keeper.ts';
import type { SetPointStore } from './store.ts';
import { type KeptWill, setPointKeyIn } from './wills.ts';

interface Taking {
  readonly keeper: Pick<Keeper, 'found' | 'over' | 'isOtherwise' | 'wake'>;
  readonly store: SetPointStore;
  readonly random: Random;
  readonly log: Log;
}

/**
 * Takes in what a gateway has done by itself while it did not hear of us. What it released is over, and what it began to release is released
 * once more, so that its outcome is known. A set-point that was sent since is another version, and stays.
 */
export function createGatewayReport({ keeper, store, random, log }: Taking) {
  /** Answers the keys of wills that are not wanted any more. */
  return async (gateway: { account: number; id: string }, wills: readonly KeptWill[]): Promise<string[]> => {
    const { account, id } = gateway;
    const unwanted: string[] = [];
    for (const { key, version, state } of wills) {
      const named = setPointKeyIn(key);
      const rows = named === undefined ? [] : await store.ofDevice(account, named.vendor, named.device);
      const row = rows.find(({ type }) => type === named?.type);
      if (row === undefined || state !== 'kept') unwanted.push(key);
      if (row === undefined || state === 'kept' || row.version !== version) continue;
      const { vendor, device, type } = row;
      log.warn({ gateway: id, vendor, device, type, state }, 'a gateway lost us, and released a set-point');
      if (state === 'done') await keeper.over(row);
      else
        await store.release(
          { ...row, version: randomId(random) },
          { reason: 'gateway', ifStill: version, claimMs: 0 },
        );
      const at = await keeper.found(row);
      if (at !== undefined) await keeper.isOtherwise(at.known);
    }
    keeper.wake();
    return unwanted;
  };
}
