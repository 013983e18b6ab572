import Type from 'typebox';
import { fits, followHub, HUB_SILENCE_SECONDS, until } from '../../adapter/kit/index.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import type { Stream, StreamSession } from '../../adapter/stream.ts';
import { sleep } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import { type ChargerRaw, emptyRaw, isSilent, isWhole, merged, withObservation } from './charger.ts';
import { failure, readCharger } from './client.ts';
import { CommandResponse, responseName } from './commands.ts';

/** By then the current state has been replayed. */
const REPLAYED_MS = 10_000;
const AGAIN_MS = 300_000;

const Update = Type.Object({ mid: Type.String() });

/** Easee's SignalR hub: what chargers observe, and what they say to commands. */
export const stream: Stream = {
  silenceSeconds: HUB_SILENCE_SECONDS,
  async run(session, devices, opened) {
    const chargers = followChargers(session, devices);
    const ending = new AbortController();
    try {
      await followHub(session, {
        vendor: 'Easee',
        host: 'streams',
        path: '/hubs/chargers',
        failure,
        opened(invoke) {
          for (const { id } of devices) invoke('SubscribeWithCurrentState', [id, true]);
          chargers.readMissing(AbortSignal.any([session.signal, ending.signal])).catch(() => {
            // The stream has ended; nothing else rejects it.
          });
          opened();
        },
        invoked(target, args) {
          for (const payload of args) {
            if (target === 'ProductUpdate' || target === 'ChargerUpdate') chargers.take(payload);
            if (target === 'CommandResponse' && fits(CommandResponse, payload))
              session.tell(responseName(payload.serialNumber), payload);
          }
        },
        settled: chargers.report,
        ticked: chargers.reportSilent,
      });
    } finally {
      ending.abort();
    }
  },
};

interface Followed {
  readonly device: DeviceRef;
  raw: ChargerRaw;
  /** All is there that a read would give. */
  isWhole: boolean;
  /** It was silent when it was last reported. */
  wasSilent: boolean;
}

/**
 * Chargers as the stream updates them. One is reported only when all is there that a read would give: from the replay of its state,
 * or for what the replay left out, from one read.
 */
function followChargers(session: StreamSession, devices: readonly DeviceRef[]) {
  const { clock, log } = session;
  const all = new Map(
    devices.map((device): [string, Followed] => [
      device.id,
      { device, raw: emptyRaw(device, clock.now()), isWhole: false, wasSilent: false },
    ]),
  );
  const changed = new Set<Followed>();

  function report(): void {
    for (const charger of changed) {
      charger.isWhole ||= isWhole(charger.raw);
      if (!charger.isWhole) continue;
      changed.delete(charger);
      charger.raw = { ...charger.raw, now: clock.now() };
      charger.wasSilent = isSilent(charger.raw);
      session.observed(charger.device.id, charger.raw);
    }
  }

  /** Reads those that are not whole; true when none is left. */
  async function readThem(): Promise<true | undefined> {
    for (const charger of all.values()) {
      if (charger.isWhole) continue;
      try {
        const read = await readCharger(session, charger.device);
        // What the stream reported meanwhile is newer, or is left out for being older.
        charger.raw = merged(read, charger.raw);
        charger.isWhole = true;
        changed.add(charger);
        report();
      } catch (error) {
        log.warn({ err: error, vendor: 'easee', link: session.link }, 'a charger could not be read');
        if (error instanceof AppError && error.code === 'vendor.rate_limited') return undefined;
      }
    }
    return [...all.values()].every((charger) => charger.isWhole) || undefined;
  }

  return {
    report,

    take(payload: unknown): void {
      const charger = fits(Update, payload) ? all.get(payload.mid) : undefined;
      if (charger === undefined) return;
      const after = withObservation(charger.raw, payload);
      if (after === charger.raw) return;
      charger.raw = after;
      changed.add(charger);
    },

    /** Reports those that have fallen silent: what was true of them may be so no longer. */
    reportSilent(): void {
      const now = clock.now();
      for (const charger of all.values())
        if (charger.isWhole && !charger.wasSilent && isSilent({ ...charger.raw, now })) changed.add(charger);
      report();
    },

    /** Reads what the replay left out, once it is over; rejects once the signal fires. */
    async readMissing(signal: AbortSignal): Promise<void> {
      await sleep(clock, REPLAYED_MS, signal);
      await until({ clock, signal }, readThem, { everyMs: AGAIN_MS, withinMs: Number.POSITIVE_INFINITY });
    },
  };
}
