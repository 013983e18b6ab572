import type { Clock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import { bucketsOf, type Resolution } from './buckets.ts';
import { type HistoryPage, type HistoryQuery, nothingKnown, type Reading, readBuckets } from './read.ts';
import type { DayOfDevice, DayPlace, DayReads, DeviceFilter } from './store-days.ts';

/** Devices of a page at most, however short their time is: what is known of each is some kilobytes. */
const MOST_DEVICES = 250;

/** Where a page goes on: after a device, or in it at a moment, ms since 1970 UTC. */
export interface ListPlace extends DayPlace {
  readonly at: number | null;
}

interface ListQuery extends Omit<HistoryQuery, 'after' | 'isPriceAsked'>, DeviceFilter {
  readonly resolution: Exclude<Resolution, 'raw'>;
  readonly place?: ListPlace | undefined;
}

/** A device with its points of the page. */
interface ListedHistory extends Pick<DayOfDevice, 'vendor' | 'id' | 'userRef' | 'deviceType'> {
  readonly page: HistoryPage;
}

interface ListOptions extends Pick<Reading, 'prices'> {
  readonly days: Pick<DayReads, 'day' | 'unknownOf'>;
  readonly reads: Reading['store'];
  readonly clock: Clock;
}

/**
 * Histories of the devices of an account, by vendor and id, each for the user that has it. A page has at most `limit` quarters, hours or
 * days, those of which nothing is known included; a device that has more of them is alone in its pages, and others are in one page whole.
 * Throws `device.not_found` for an id that no device has.
 */
export function createHistoryList({ days, reads, prices, clock }: ListOptions) {
  return async (
    account: number,
    { place, ...query }: ListQuery,
  ): Promise<{ devices: ListedHistory[]; next: ListPlace | null }> => {
    const { ids, userRef, vendor, limit } = query;
    const now = clock.now();
    const [unknown] = ids === undefined ? [] : await days.unknownOf(account, ids);
    if (unknown !== undefined)
      throw new AppError('device.not_found', `there is no device ${unknown.slice(0, 100)}`);
    const span = { from: query.from, to: Math.min(query.to, now) };
    const ofEach = bucketsOf(span, { ...query, most: limit + 1 }).length;
    const isWithin = place !== undefined && place.at !== null;
    const most = isWithin ? 1 : Math.max(1, Math.min(MOST_DEVICES, Math.floor(limit / Math.max(1, ofEach))));
    const { devices: found } = await days.day(account, {
      ...{ ids, userRef, vendor, after: place, isFrom: isWithin },
      most: most + 1,
    });
    const devices = found.slice(0, most);
    const [first] = devices;
    // A device that has gone since the page before has left its place to the next one.
    const isSame = first !== undefined && first.vendor === place?.vendor && first.id === place.id;
    const after = isWithin && isSame ? (place.at ?? undefined) : undefined;
    const pages = await pagesOf({ store: reads, prices, now }, devices, { ...query, after });
    const [last, lastPage] = [devices.at(-1), pages.at(-1)];
    const at = lastPage?.next ?? null;
    const hasMore = at !== null || found.length > most;
    return {
      devices: devices.map(({ vendor, id, userRef, deviceType }, index) => ({
        ...{ vendor, id, userRef, deviceType },
        page: pages[index] ?? nothingKnown(query, now),
      })),
      next: last !== undefined && hasMore ? { vendor: last.vendor, id: last.id, at } : null,
    };
  };
}

async function pagesOf(
  reading: Reading,
  devices: readonly DayOfDevice[],
  query: HistoryQuery & Pick<ListQuery, 'resolution'>,
): Promise<HistoryPage[]> {
  const known = devices.flatMap(({ number, open, ...device }) =>
    number === null || open === null ? [] : [{ ...device, number, open }],
  );
  const pages = await readBuckets(reading, known, query);
  const byNumber = new Map(known.map(({ number }, index) => [number, pages[index]]));
  return devices.map(
    ({ number }) => (number === null ? undefined : byNumber.get(number)) ?? nothingKnown(query, reading.now),
  );
}
