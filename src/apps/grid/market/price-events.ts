import type { Clock } from '../../../core/clock.ts';
import { dayAt } from '../../../core/swedish-days.ts';
import type { PriceEvent, Prices, SpotPrice } from '../../../domain/market/prices/index.ts';
import { type EventStream, eventText } from '../../../http/event-stream.ts';
import { PRICE_AREAS, type PriceArea } from '../../../sources/contract/market.ts';
import { shownCurrent, shownSpot } from './shown-prices.ts';

/** Listeners of one area, or of all. */
interface Group {
  readonly areas: readonly PriceArea[];
  readonly streams: Set<EventStream>;
}

/** What listeners to prices are told; an event is written once for all who hear of the same areas. */
export function createPriceEvents(prices: Prices, clock: Clock) {
  const groups = new Map<string, Group>();

  prices.watch((event) => {
    for (const { areas, streams } of groups.values()) {
      const text = textOf(event, areas);
      if (text !== '') for (const stream of streams) stream.send(text);
    }
  });

  const spotOf = (areas: readonly PriceArea[]): readonly SpotPrice[] => {
    try {
      return prices.spot(areas);
    } catch {
      // None is known just now; there is nothing to tell.
      return [];
    }
  };

  const textOf = (event: PriceEvent, areas: readonly PriceArea[]): string => {
    const id = prices.version();
    if (event.kind === 'slot') {
      const data = spotOf(areas).filter(({ start }) => start === event.start);
      return data.length === 0 ? '' : eventText({ id, name: 'slot', data: data.map(shownSpot) });
    }
    const today = dayAt(clock.now());
    return event.days
      .filter(({ area, day }) => areas.includes(area) && day >= today)
      .map(({ area, day }) => {
        const own = spotOf([area]).filter(({ start }) => dayAt(start) === day);
        const data = { area, day, reason: event.kind, prices: own.map(shownSpot) };
        return eventText({ id, name: 'day', data });
      })
      .join('');
  };

  return {
    /** What a listener is told at once. Throws `prices.unavailable`. */
    first(areas: readonly PriceArea[]): string {
      return eventText({
        id: prices.version(),
        name: 'current',
        data: shownCurrent(prices.current(), areas),
      });
    },
    /** From now on the stream is told; the answer ends it. */
    join(areas: readonly PriceArea[], stream: EventStream): () => void {
      const key = areas.length === PRICE_AREAS.length ? 'all' : areas.join();
      const group = groups.get(key) ?? { areas, streams: new Set() };
      groups.set(key, group);
      group.streams.add(stream);
      return () => {
        group.streams.delete(stream);
        if (group.streams.size === 0) groups.delete(key);
      };
    },
  };
}
