import type { AnyKind } from '../../../adapter/adapter.ts';
import {
  type Command,
  isTimed,
  revertSecondsOf,
  type SetPoint,
  setPointOf,
} from '../../../adapter/commands.ts';
import type { Session } from '../../../adapter/session.ts';
import type { ByteScript } from '../../../core/byte-script.ts';
import { AppError } from '../../../core/errors.ts';
import { randomId } from '../../../core/ids.ts';
import type { Host } from '../../../db/host.ts';
import { createUntilStored } from '../../../db/until-stored.ts';
import type { DeviceRow } from '../devices/index.ts';
import { dueMs } from './plan.ts';
import { createSetPointStore } from './store.ts';
import type { WillsOfSetPoints } from './wills.ts';

/** Longer than a command waits in its queue and for its vendor. */
export const CLAIM_MS = 45_000;

/** A command that leaves a set-point at the device. */
export interface Commanded {
  /** The command as the device gets it. */
  readonly command: Command;
  /** Sends it when its queue reaches it, and notes before and after what is in force; `mayHaveHappened` says so of an error of `send`. */
  keep<T>(send: () => Promise<T>, mayHaveHappened: (error: unknown) => boolean): Promise<T>;
  /** It has just been sent, in this session: makes what its gateway gets. */
  sent(session: Session): Promise<void>;
}

interface Commanding {
  readonly row: Pick<DeviceRow, 'account' | 'vendor' | 'id' | 'type' | 'link' | 'details'>;
  readonly kind: AnyKind;
  readonly command: Command;
  readonly keyId: string;
}

/** Notes of what devices were commanded to hold, durable before anything is sent. */
export function createSetPointRecords({ database, clock, random, log }: Host, wills: WillsOfSetPoints) {
  const store = createSetPointStore(database);
  const { moments } = database;
  const untilStored = createUntilStored({ clock, log });
  let listener = (): void => {};

  function commandedAs(of: Commanding, setPoint: SetPoint): Commanded {
    const { row, kind, keyId } = of;
    const { type } = of.command;
    const seconds = isTimed(of.command) ? of.command.for_seconds : undefined;
    const endsByItself = isTimed(of.command) && kind.timed?.[of.command.type] !== undefined;
    const command = endsByItself ? of.command : withoutEnd(of.command);
    const revertSeconds = endsByItself ? undefined : revertSecondsOf(setPoint, row);
    const revertMs = revertSeconds === undefined ? null : revertSeconds * 1000;
    const { account, vendor, id: device, link } = row;
    /** Of a device that ends it by itself there are none. */
    let steps: readonly ByteScript[] | undefined;
    return {
      command,
      async sent(session) {
        if (!endsByItself && revertMs === null) steps = await wills.make(session, row, setPoint);
      },
      async keep(send, mayHaveHappened) {
        const noted = { account, vendor, device, type, version: randomId(random) };
        const commandJson = JSON.stringify(command);
        if (!(await store.begin({ ...noted, link, keyId, commandJson, revertMs, claimMs: CLAIM_MS })))
          throw new AppError(
            'link.removing',
            `the link of ${device} is being deleted, and takes no set-point any more; link the account again to use the device`,
          );
        let result: Awaited<ReturnType<typeof send>>;
        try {
          result = await send();
        } catch (error) {
          await untilStored.store('that a set-point was not taken', () =>
            mayHaveHappened(error) ? store.doubt(noted) : store.takeBack(noted),
          );
          listener();
          throw error;
        }
        const now = moments.clock.now();
        const until = seconds === undefined ? null : now + seconds * 1000;
        const planned = { state: 'held', isInDoubt: false, releasingSince: null, renewedAt: now } as const;
        const wait = dueMs({ ...planned, until, endsByItself, revertMs }, now);
        await untilStored.store('that a set-point is in force', () =>
          store.take(noted, { at: now, until, endsByItself, revertMs, dueMs: wait }),
        );
        if (setPoint.releaseBytes !== undefined && (await wills.leave({ ...noted, link }, steps)) === true)
          await untilStored.store('that a gateway releases a set-point', () => store.willLeft(noted, true));
        listener();
        return result;
      },
    };
  }

  return {
    store,
    wills,

    /** The set-point that a command leaves; undefined where it leaves none. */
    of(commanding: Commanding): Commanded | undefined {
      const setPoint = setPointOf(commanding.kind, commanding.command.type);
      return setPoint === undefined ? undefined : commandedAs(commanding, setPoint);
    },

    /** Called whenever something may be due at another time. */
    onChange(listen: () => void): void {
      listener = listen;
    },

    close: untilStored.close,
  };
}

export type SetPointRecords = ReturnType<typeof createSetPointRecords>;

/** The platform ends it: the handler that sends it knows of no end. */
function withoutEnd(command: Command): Command {
  if (!isTimed(command)) return command;
  const { for_seconds: _, ...lasting } = command;
  return lasting;
}
