import type { MeterReading } from '../../../adapter/charging.ts';
import type { LinkKey } from '../../../adapter/session.ts';
import { BoundedMap } from '../../../core/bounded-map.ts';
import type { Clock } from '../../../core/clock.ts';
import { DAY_MS } from '../../../core/durations.ts';
import type { Log } from '../../../core/log.ts';
import { createLoop } from '../../../core/loop.ts';
import type { Database } from '../../../db/database.ts';
import type { ReadingsStore, StoredReading } from './store-readings.ts';

const WAIT_MS = 20;
const ROWS_PER_STATEMENT = 500;

/** Sampled values per link and day: twice what two connectors send that report ten values every ten seconds. */
const VALUES_A_DAY = 350_000;
/** Links whose daily count is in memory. */
const REMEMBERED = 50_000;

interface ReadingsOptions {
  readonly database: Database;
  readonly store: ReadingsStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** Readings of many stations share a database transaction; `append` resolves when its own are durable, at most 20 ms later. */
export function createReadings({ database, store, clock, log }: ReadingsOptions) {
  const days = new BoundedMap<string, { readonly day: number; values: number }>(REMEMBERED);

  let waiting: StoredReading[] = [];
  const writes = createLoop({
    clock,
    async run() {
      const batch = waiting;
      waiting = [];
      await database.transaction(async (transaction) => {
        for (let at = 0; at < batch.length; at += ROWS_PER_STATEMENT) {
          await store.insertReadings(transaction, batch.slice(at, at + ROWS_PER_STATEMENT));
        }
      });
    },
    failed: (error) => log.warn({ err: error }, 'meter readings could not be stored'),
  });
  /** The readings within the link's daily limit. Further ones are acknowledged but dropped, or the station would resend them forever. */
  const affordable = (
    { account, link }: LinkKey,
    readings: readonly MeterReading[],
  ): readonly MeterReading[] => {
    const name = `${account}/${link}`;
    const day = Math.floor(clock.now() / DAY_MS);
    const kept = days.get(name);
    const used = kept?.day === day ? kept : { day, values: 0 };
    days.set(name, used);
    return readings.filter(({ samples }) => {
      const before = used.values;
      used.values += samples.length;
      if (before <= VALUES_A_DAY && used.values > VALUES_A_DAY)
        log.warn(
          { account, link, values: VALUES_A_DAY },
          'a link has reached its daily limit of meter values',
        );
      return used.values <= VALUES_A_DAY;
    });
  };

  return {
    append(key: LinkKey, received: readonly MeterReading[]): Promise<void> {
      const readings = affordable(key, received);
      if (readings.length === 0) return Promise.resolve();
      for (const reading of readings) waiting.push({ account: key.account, link: key.link, reading });
      return writes.run(WAIT_MS);
    },
  };
}
