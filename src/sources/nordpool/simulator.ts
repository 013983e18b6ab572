import { dayAt } from '../../core/swedish-days.ts';
import {
  PRICE_AREAS,
  type PriceArea,
  type Simulate,
  type SimulatedMarket,
  type SimulatedSlot,
} from '../contract/market.ts';

interface Options {
  /** State of each area; `Final` by default. */
  readonly state?: (area: PriceArea) => string;
}

/** The portal's day, in kronor or euros; 204 without a body before it is published. */
export function simulateNordpool(market: SimulatedMarket, { state = () => 'Final' }: Options = {}): Simulate {
  return ({ path, query }) => {
    const broken = market.broken();
    if (broken !== undefined) return broken;
    const day = query.get('date') ?? '';
    const currency = query.get('currency') ?? 'EUR';
    if (path !== '/api/DayAheadPrices' || !/^\d{4}-\d{2}-\d{2}$/.test(day)) return { status: 400, json: {} };
    const asked = query.get('deliveryArea')?.split(',') ?? [];
    const slotsByArea = new Map<PriceArea, readonly SimulatedSlot[]>();
    for (const area of PRICE_AREAS) {
      const slots = asked.includes(area) ? market.shown(area, day) : null;
      if (slots !== null) slotsByArea.set(area, slots);
    }
    const [times] = slotsByArea.values();
    if (times === undefined) return { status: 204 };
    const factor = currency === 'SEK' ? market.rate : 1;
    const areas = [...slotsByArea.keys()];
    return {
      status: 200,
      json: {
        deliveryDateCET: dayAt(times[0]?.start ?? 0),
        version: 3,
        updatedAt: `${new Date((times[0]?.start ?? 0) - 10 * 3_600_000).toISOString().slice(0, 19)}.9456464Z`,
        deliveryAreas: areas,
        market: 'DayAhead',
        multiAreaEntries: times.map(({ start, end }, index) => ({
          deliveryStart: isoSeconds(start),
          deliveryEnd: isoSeconds(end),
          entryPerArea: Object.fromEntries(
            areas.map((area) => [area, cents((slotsByArea.get(area)?.[index]?.eurPerMwh ?? 0) * factor)]),
          ),
        })),
        currency,
        exchangeRate: factor,
        areaStates: areas.map((area) => ({ state: state(area), areas: [area] })),
        areaAverages: [],
      },
    };
  };
}

function cents(value: number): number {
  return Math.round(value * 100) / 100;
}

function isoSeconds(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}
