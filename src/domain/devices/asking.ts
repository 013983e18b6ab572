import type { Adapter } from '../../adapter/adapter.ts';
import { adapterOf } from '../../adapter/adapters.ts';
import { saidByError } from '../../adapter/interventions.ts';
import { AppError } from '../../core/errors.ts';
import type { Database } from '../../db/database.ts';
import { question } from '../../db/topic.ts';
import type { Calls, DeviceOf } from '../calls/index.ts';
import type { Learning } from './learning.ts';
import type { Lookup } from './lookup.ts';
import { deviceKey, type Known } from './memory.ts';
import type { Reader } from './reader.ts';
import type { Seen } from './store.ts';

/** A device of a station or behind a gateway, and what the process that it is connected to reads of it. */
const READ = question<DeviceOf, Seen | null>('devices.read');
const OTHER_PROCESS_MS = 1_500;

interface AskingOptions {
  readonly database: Pick<Database, 'engine' | 'bus'>;
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly calls: Pick<Calls, 'isHere'>;
  readonly reader: Reader;
  readonly lookup: Lookup;
  readonly learning: Learning;
}

/** Asks what devices are like now: their vendors, or the processes that they are connected to. */
export function createAsking(options: AskingOptions) {
  const { database, adapters, calls, reader, lookup } = options;
  const { see, learn, intervene, take } = options.learning;
  const { bus } = database;
  const flights = new Map<string, Promise<Known>>();

  async function askHere(known: Known): Promise<unknown> {
    try {
      return await reader.ask(adapterOf(adapters, known.row.vendor), known);
    } catch (error) {
      await intervene(known, saidByError(error));
      throw error;
    }
  }

  async function ask(known: Known): Promise<Known> {
    if (await calls.isHere(known.row)) {
      await take(known, await askHere(known));
      return known;
    }
    // It may be connected to another process by now, which has stored so: that must not be overwritten.
    const latest = await newestOf(known);
    const read = latest.seen?.state.online === false ? undefined : await askOthers(latest);
    if (read === undefined) see(latest, reader.offline(latest));
    else learn(latest, read);
    return latest;
  }

  /** What is stored of the device by now; what was known where it is gone. */
  async function newestOf(known: Known): Promise<Known> {
    const { account, vendor, id } = known.row;
    return (await lookup.newest(account, id)).find(({ row }) => row.vendor === vendor) ?? known;
  }

  /** The process that a station or a gateway is connected to answers for its devices. */
  async function askOthers({ row }: Known): Promise<Seen | null | undefined> {
    const { account, link, vendor, id } = row;
    if (database.engine === 'sqlite') return undefined;
    const asked = await READ.ask(bus, { account, link, vendor, id }, { timeoutMs: OTHER_PROCESS_MS });
    if (asked.state === 'lost')
      throw new AppError(
        'database.unavailable',
        'the other instances are unreachable, and the device may be connected to one of them; retry later',
        { retryAfterSeconds: 2 },
      );
    return asked.state === 'answered' ? asked.message : undefined;
  }
  READ.answer(bus, async ({ account, link, vendor, id }) => {
    if (!(await calls.isHere({ account, link, vendor }))) return undefined;
    const { seen } = await refresh(await lookup.find(account, id, vendor));
    return seen;
  });

  /** Asks the vendor, whatever is stored; concurrent callers share one call. */
  function refresh(known: Known): Promise<Known> {
    const key = deviceKey(known.row);
    const running = flights.get(key);
    if (running !== undefined) return running;
    const flight = ask(known).finally(() => flights.delete(key));
    flights.set(key, flight);
    return flight;
  }

  return {
    refresh,
    newestOf,

    /** A read of the device that somebody waits for. */
    flightOf: (device: Known['row']): Promise<Known> | undefined => flights.get(deviceKey(device)),
  };
}
