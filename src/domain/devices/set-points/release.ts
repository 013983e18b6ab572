import type { SetPoint } from '../../../adapter/commands.ts';
import type { Session } from '../../../adapter/session.ts';
import type { Begin } from '../../../core/begin.ts';
import { AppError } from '../../../core/errors.ts';
import { type Random, randomId } from '../../../core/ids.ts';
import type { JsonObject } from '../../../core/json.ts';
import { type Sender, senderOf } from '../../../core/sender.ts';
import type { CachedDevice, CommandedDevice } from '../devices/index.ts';
import { type ReleaseReason, retryMs } from './plan.ts';
import { CLAIM_MS } from './records.ts';
import type { SetPointKey, SetPointStore, Versioned } from './store.ts';
import type { WillsOfSetPoints } from './wills.ts';

/** The order in which a device is changed: one after the other, whichever process and whoever asks for it. */
export interface DeviceQueue {
  change<R>(
    cached: CachedDevice,
    request: Sender & { readonly begun: Begin },
    what: {
      /** What is kept of it. */
      readonly kept: JsonObject;
      /** Nobody asked for it. */
      readonly isBackground?: true;
      /** Called when its queue reaches it; what it throws before it calls `send` leaves the device alone. */
      keep(send: () => Promise<void>): Promise<void>;
      work(session: Session): Promise<void>;
      look(): Promise<R>;
    },
  ): Promise<R>;
  /** The device after a change that was carried out, read again. */
  deviceAfter(cached: CachedDevice): Promise<CommandedDevice>;
}

/** A newer command came first: nothing is to be done any more. */
export class Overtaken extends Error {}

export const begun = async (): Promise<void> => {};

interface Releasing<R> extends Sender {
  readonly begun?: Begin | undefined;
  readonly cached: CachedDevice;
  readonly setPoint: SetPoint;
  readonly key: SetPointKey;
  readonly reason: ReleaseReason | undefined;
  /** Throws `Overtaken` where it is no longer this version. */
  readonly ifStill?: string;
  readonly isBackground?: true;
  /** The link is deleted afterwards, if it is still the one made then. */
  readonly removesLinkOf?: number;
  /** What is stored once the device has taken it. */
  done(of: Versioned): Promise<void>;
  look(): Promise<R>;
}

/** Returns a device to its automatic operation, in its queue. A failure is noted, so that it is tried again, and thrown. */
export function createRelease({
  store,
  queue,
  random,
  wills,
}: {
  readonly store: SetPointStore;
  readonly queue: DeviceQueue;
  readonly random: Random;
  readonly wills: Pick<WillsOfSetPoints, 'withdraw'>;
}) {
  return <R>(releasing: Releasing<R>): Promise<R> => {
    const { cached, setPoint, key, reason, ifStill, isBackground, removesLinkOf, done, look } = releasing;
    const of = { ...key, version: randomId(random) };
    return queue.change(
      cached,
      { ...senderOf(releasing), begun: releasing.begun ?? begun },
      {
        kept: { type: 'release', set_point: key.type },
        ...(isBackground === undefined ? {} : { isBackground }),
        async keep(send) {
          const row = await store.release(of, {
            reason,
            claimMs: CLAIM_MS,
            ...(ifStill === undefined ? {} : { ifStill }),
            ...(removesLinkOf === undefined ? {} : { removesLinkOf }),
          });
          if (row === undefined && ifStill !== undefined) throw new Overtaken();
          try {
            await send();
          } catch (error) {
            if (row !== undefined)
              await store.failed(of, { error: reasonOf(error), waitMs: retryMs(row, row.failures + 1) });
            throw error;
          }
          await wills.withdraw({ ...key, link: cached.row.link }, setPoint);
          await done(of);
        },
        work: (session) => setPoint.release(session, cached.row),
        look,
      },
    );
  };
}

export type Release = ReturnType<typeof createRelease>;

/** PostgreSQL stores neither NUL nor half a character, and a vendor's reason may hold them. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof AppError)) return 'unexpected';
  return error.message.replaceAll('\0', '').toWellFormed();
}
