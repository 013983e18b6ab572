import type { SetPoint } from '../../../adapter/commands.ts';
import type { LinkKey, Session } from '../../../adapter/session.ts';
import type { ByteScript } from '../../../core/byte-script.ts';
import type { Log } from '../../../core/log.ts';
import type { Calls } from '../../vendor-calls/calls/index.ts';
import type { DeviceRow } from '../devices/index.ts';
import { LAPSE_MS } from './plan.ts';
import type { SetPointKey, Versioned } from './store.ts';

/** What a gateway does when it has heard nothing of Connect for so long. */
interface NewWill {
  readonly key: string;
  readonly version: string;
  readonly afterMs: number;
  readonly steps: readonly ByteScript[];
}

/** A will as a gateway lists it; `begun`: carried out, and not to its end. */
export interface KeptWill {
  readonly key: string;
  readonly version: string;
  readonly state: 'kept' | 'begun' | 'done';
}

/** The gateways that are connected to this process, as far as their wills go. */
export interface WillsOfGateways {
  /** Whether the gateway is connected here, and keeps wills at all: older ones do not. */
  keeps(gateway: string): 'yes' | 'too_old' | 'not_here';
  leave(gateway: string, will: NewWill): Promise<void>;
  withdraw(gateway: string, keys: readonly string[]): Promise<void>;
}

type Device = Pick<DeviceRow, 'account' | 'link' | 'vendor' | 'id' | 'type' | 'details'>;

/** The key of a will: a device has one for each of its set-points. */
export const willKeyOf = ({ vendor, device, type }: Omit<SetPointKey, 'account'>): string =>
  JSON.stringify([vendor, device, type]);

/** Undefined for what is none of ours. */
export function setPointKeyIn(willKey: string): Omit<SetPointKey, 'account'> | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(willKey);
  } catch {
    return undefined;
  }
  if (!Array.isArray(parts) || !parts.every((part) => typeof part === 'string')) return undefined;
  const [vendor, device, type] = parts;
  return vendor === undefined || device === undefined || type === undefined
    ? undefined
    : { vendor, device, type };
}

/**
 * Leaves with the gateway of a device, beside each set-point that the device does not end by itself, what ends it. Nothing of this fails a
 * command: what could not be left is left with the next renewal.
 */
export function createWills({
  gateways,
  calls,
  log,
}: {
  readonly gateways: WillsOfGateways | undefined;
  readonly calls: Pick<Calls, 'find'>;
  readonly log: Log;
}) {
  const tooOld = new Set<string>();
  /** Where something could not be left a moment ago. */
  const failing = new Set<string>();

  /** The gateway that keeps wills for the devices of a link; undefined: none. */
  async function keeperOf(link: LinkKey): Promise<string | undefined> {
    const gateway = gateways === undefined ? null : ((await calls.find(link))?.gateway ?? null);
    if (gateway === null || gateways === undefined) return undefined;
    const keeps = gateways.keeps(gateway);
    if (keeps === 'too_old' && !tooOld.has(gateway)) {
      tooOld.add(gateway);
      log.warn({ gateway }, 'a gateway is too old to release set-points by itself; update it');
    }
    return keeps === 'yes' ? gateway : undefined;
  }

  async function tell(gateway: string, act: () => Promise<void>): Promise<boolean> {
    try {
      await act();
      failing.delete(gateway);
      return true;
    } catch (error) {
      if (!failing.has(gateway))
        log.warn({ err: error, gateway }, 'a gateway was not told what releases a set-point; retrying');
      failing.add(gateway);
      return false;
    }
  }

  return {
    /** What ends the set-point that was just sent; undefined where the device does, or nothing can be made. */
    async make(
      session: Session,
      device: Device,
      setPoint: SetPoint,
    ): Promise<readonly ByteScript[] | undefined> {
      if (setPoint.releaseBytes === undefined || (await keeperOf(device)) === undefined) return undefined;
      try {
        return await setPoint.releaseBytes(session, device);
      } catch (error) {
        log.warn(
          { err: error, vendor: device.vendor, device: device.id },
          'no release could be made beforehand',
        );
        return undefined;
      }
    },

    /**
     * Leaves it with the gateway, in place of what was left for the set-point before. Answers whether the gateway has it now;
     * undefined where it has what it had.
     */
    async leave(
      of: Versioned & LinkKey,
      steps: readonly ByteScript[] | undefined,
    ): Promise<boolean | undefined> {
      const gateway = await keeperOf(of);
      if (gateway === undefined || gateways === undefined) return undefined;
      const key = willKeyOf(of);
      const isKept = steps !== undefined && steps.length > 0;
      const isTold = await tell(gateway, () =>
        isKept
          ? gateways.leave(gateway, { key, version: of.version, afterMs: LAPSE_MS, steps })
          : gateways.withdraw(gateway, [key]),
      );
      return isTold ? isKept : undefined;
    },

    /** The device runs by itself. */
    async withdraw(of: SetPointKey & LinkKey, { releaseBytes }: SetPoint): Promise<void> {
      const gateway = releaseBytes === undefined ? undefined : await keeperOf(of);
      if (gateway === undefined || gateways === undefined) return;
      await tell(gateway, () => gateways.withdraw(gateway, [willKeyOf(of)]));
    },
  };
}

export type WillsOfSetPoints = ReturnType<typeof createWills>;
