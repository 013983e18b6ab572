import { sleep } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import type { DeviceRef } from '../session.ts';
import type { StreamSession } from '../stream.ts';
import { until } from './waiting.ts';

interface Parts<Raw> {
  /** The adapter's slug, for the log. */
  readonly vendor: string;
  /** A device of which nothing has been reported yet. */
  readonly empty: (device: DeviceRef) => Raw;
  /** Whether all is there that a read would give. */
  readonly isWhole: (raw: Raw) => boolean;
  /** One call for everything that the vendor has of the device. */
  readonly read: (device: DeviceRef) => Promise<Raw>;
  /** What was read, with what the stream has reported that is newer. */
  readonly merged: (read: Raw, reported: Raw) => Raw;
  /** The same as it is looked at now, ms since 1970. */
  readonly seenAt: (raw: Raw, now: number) => Raw;
  /** Whether it has reported nothing for so long that what was true of it may be so no longer. */
  readonly isSilent: (raw: Raw) => boolean;
}

interface Followed<Raw> {
  readonly device: DeviceRef;
  raw: Raw;
  isWhole: boolean;
  /** It was silent when it was last passed on. */
  wasSilent: boolean;
}

/** By then a stream has replayed the current state, where it does. */
const REPLAYED_MS = 10_000;
const AGAIN_MS = 300_000;

/**
 * Devices whose stream reports one thing after another. A device is passed on only when all is there that a read would give: from what
 * the stream replays, or for what that left out, from one read.
 */
export function followDevices<Raw>(session: StreamSession, devices: readonly DeviceRef[], parts: Parts<Raw>) {
  const { clock, log } = session;
  const all = new Map(
    devices.map((device): [string, Followed<Raw>] => [
      device.id,
      { device, raw: parts.empty(device), isWhole: false, wasSilent: false },
    ]),
  );
  const changed = new Set<Followed<Raw>>();

  /** Passes on what has changed. */
  function report(): void {
    for (const one of changed) {
      one.isWhole ||= parts.isWhole(one.raw);
      if (!one.isWhole) continue;
      changed.delete(one);
      one.raw = parts.seenAt(one.raw, clock.now());
      one.wasSilent = parts.isSilent(one.raw);
      session.observed(one.device.id, one.raw);
    }
  }

  /** Reads those that are not whole; true when none is left. */
  async function readThem(): Promise<true | undefined> {
    for (const one of all.values()) {
      if (one.isWhole) continue;
      try {
        const read = await parts.read(one.device);
        one.raw = parts.merged(read, one.raw);
        one.isWhole = true;
        changed.add(one);
        report();
      } catch (error) {
        log.warn({ err: error, vendor: parts.vendor, link: session.link }, 'a device could not be read');
        if (error instanceof AppError && error.code === 'vendor.rate_limited') return undefined;
      }
    }
    return [...all.values()].every(({ isWhole }) => isWhole) || undefined;
  }

  return {
    report,

    /** The stream reported something of a device; `change` gives the same object where that is no news. */
    take(id: string, change: (raw: Raw) => Raw): void {
      const one = all.get(id);
      if (one === undefined) return;
      const after = change(one.raw);
      if (after === one.raw) return;
      one.raw = after;
      changed.add(one);
    },

    /** Passes on those that have fallen silent; to be called now and then. */
    reportSilent(): void {
      for (const one of all.values())
        if (one.isWhole && !one.wasSilent && parts.isSilent(parts.seenAt(one.raw, clock.now())))
          changed.add(one);
      report();
    },

    /** Reads what the replay left out, once it is over, and again later what could not be read; ends with the signal. */
    async readMissing(signal: AbortSignal): Promise<void> {
      try {
        await sleep(clock, REPLAYED_MS, signal);
        await until({ clock, signal }, readThem, { everyMs: AGAIN_MS, withinMs: Number.POSITIVE_INFINITY });
      } catch {
        // The signal fired: the stream has ended, and nothing is missing any more.
      }
    },
  };
}
