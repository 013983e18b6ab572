import type { Adapter } from '../../adapter/adapter.ts';
import { adapterOf } from '../../adapter/adapters.ts';
import type { Said } from '../../adapter/interventions.ts';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { type Interventions, isNews } from '../interventions/index.ts';
import type { UnderWay } from './background.ts';
import type { Lookup } from './lookup.ts';
import { type DeviceMemory, deviceKey, type Known } from './memory.ts';
import type { Reader } from './reader.ts';
import type { Sightings } from './sightings.ts';
import type { Seen } from './store.ts';

interface LearningOptions {
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly reader: Reader;
  readonly interventions: Pick<Interventions, 'said'>;
  readonly memory: DeviceMemory;
  readonly lookup: Pick<Lookup, 'overtake'>;
  readonly sightings: Pick<Sightings, 'add'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Takes what is learnt of devices: into memory at once, and into the database soon after. */
export function createLearning(options: LearningOptions) {
  const { adapters, reader, interventions, memory, lookup, sightings, clock, log } = options;
  /** Reads in the background, by device. */
  const underWay = new Map<string, Set<UnderWay>>();

  /** `began`: when the vendor was asked in the background; what was learnt after that stays. */
  function see(known: Known, seen: Seen, began?: number): void {
    const { account, vendor, id } = known.row;
    for (const mark of underWay.get(deviceKey(known.row)) ?? []) mark.isOvertaken = true;
    learn(known, seen);
    // The device may have been dropped and loaded again since `known` was found.
    for (const other of memory.known(account, id) ?? [])
      if (other !== known && other.row.vendor === vendor) learn(other, seen);
    lookup.overtake(account, id);
    memory.dropPages(account);
    if (began === undefined) sightings.add({ account, vendor, id, seen }, false);
    else sightings.add({ account, vendor, id, seen, unlessLaterThan: began }, true);
  }

  function learn(known: Known, seen: Seen | null): void {
    known.seen = seen;
    known.asOf = clock.now();
    known.answer = null;
  }

  /** Takes what a vendor says that the user of a device must do. It writes news alone, and what it cannot store the vendor says again. */
  function intervene(known: Known, said: Said): Promise<void> | undefined {
    return isNews(known.open, said) ? storeNews(known, said) : undefined;
  }

  async function storeNews(known: Known, said: Said): Promise<void> {
    const { account, vendor, id } = known.row;
    try {
      const now = await interventions.said(known.row, said);
      if (now === undefined) return;
      const others = (memory.known(account, id) ?? []).filter(({ row }) => row.vendor === vendor);
      for (const one of [known, ...others]) {
        one.open = now.shown;
        one.answer = null;
      }
      lookup.overtake(account, id);
      memory.dropPages(account);
    } catch (error) {
      log.warn({ err: error, vendor }, 'what the user of a device must do was not stored');
    }
  }

  /** Takes a vendor's response about a device, whether it was asked for or came by itself. */
  async function take(known: Known, raw: unknown): Promise<void> {
    const adapter = adapterOf(adapters, known.row.vendor);
    const seen = reader.understand(adapter, known, raw);
    see(known, seen);
    await intervene(known, reader.said(adapter, known, { raw, seen }));
  }

  return { underWay, see, learn, intervene, take };
}

export type Learning = ReturnType<typeof createLearning>;
