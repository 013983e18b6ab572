import type { DeviceRef } from '../../adapter/session.ts';
import type { StreamSession } from '../../adapter/stream.ts';
import { AppError } from '../../core/errors.ts';
import { emptyRaw, readCharger } from './client.ts';
import { type ChargerRaw, IDS, withObservation } from './observations.ts';

/** By then the current state has been replayed. */
const REPLAYED_MS = 10_000;
const AGAIN_SECONDS = 300;

export interface Chargers {
  take(observation: unknown): void;
  /** Tells of those that changed since it was last called. */
  flush(): void;
  /** Asks for what the replay left out, once it is over; the answer cancels it. */
  seedLater(): () => void;
}

/**
 * Chargers as the stream tells of them. One is told of only when all is known that a read would say: from the replay of its
 * state, or for what the replay left out, from one read.
 */
export function createChargers(session: StreamSession, devices: readonly DeviceRef[]): Chargers {
  const refs = new Map(devices.map((device) => [device.id, device]));
  const raws = new Map(devices.map((device) => [device.id, emptyRaw(device)]));
  const seeded = new Set<string>();
  const changed = new Set<string>();

  const isWhole = (id: string, raw: ChargerRaw) =>
    seeded.has(id) || IDS.every((one) => raw.observed.has(one));

  function flush(): void {
    for (const id of changed) {
      const raw = raws.get(id);
      if (raw === undefined || !isWhole(id, raw)) continue;
      changed.delete(id);
      session.observed(id, raw);
    }
  }

  async function seed(): Promise<number | undefined> {
    for (const [id, device] of refs) {
      const before = raws.get(id);
      if (session.signal.aborted) return undefined;
      if (before === undefined || isWhole(id, before)) continue;
      try {
        const read = await readCharger(session, device);
        // What the stream told meanwhile is newer, or is left out for being older.
        const merged = [...(raws.get(id) ?? before).observed].reduce(
          (raw, [number, { value, at }]) =>
            withObservation(raw, {
              id: number,
              value,
              timestamp: at === null ? null : new Date(at).toISOString(),
            }),
          read,
        );
        raws.set(id, merged);
        seeded.add(id);
        changed.add(id);
        flush();
      } catch (error) {
        session.log.warn({ err: error, vendor: 'easee', link: session.link }, 'a charger could not be read');
        if (error instanceof AppError && error.code === 'vendor.rate_limited')
          return error.retryAfterSeconds ?? AGAIN_SECONDS;
      }
    }
    return undefined;
  }

  return {
    take(observation) {
      const mid = midOf(observation);
      const before = mid === undefined ? undefined : raws.get(mid);
      if (mid === undefined || before === undefined) return;
      const after = withObservation(before, observation);
      if (after === before) return;
      raws.set(mid, after);
      changed.add(mid);
    },

    flush,

    seedLater() {
      let cancel = () => {};
      let isOver = false;
      const plan = (delay: number) => {
        cancel = session.clock.after(delay, () => {
          seed().then(
            (seconds) => {
              if (seconds !== undefined && !isOver) plan(seconds * 1000);
            },
            (error: unknown) => session.log.error({ err: error, vendor: 'easee' }, 'chargers were not read'),
          );
        });
      };
      plan(REPLAYED_MS);
      return () => {
        isOver = true;
        cancel();
      };
    },
  };
}

function midOf(observation: unknown): string | undefined {
  if (typeof observation !== 'object' || observation === null || !('mid' in observation)) return undefined;
  return typeof observation.mid === 'string' ? observation.mid : undefined;
}
