import type { SimulatedAnswer, SimulatedRequest } from '../../adapter/simulator.ts';
import type { Clock } from '../../core/clock.ts';
import { MINUTE_MS } from '../../core/durations.ts';
import { dayBounds } from '../../core/swedish-days.ts';
import type { Day, PriceArea } from './market.ts';

/** Faults of a simulated source. The last three give responses that look valid. */
export const PRICE_FAULTS = [
  'hang',
  'reset',
  'html',
  'torn',
  'forbidden',
  'rate_limited',
  'server_error',
  'half_day',
  'yesterday',
  'thousandfold',
] as const;
export type PriceFault = (typeof PRICE_FAULTS)[number];

/** Prices of an area and day in EUR/MWh, with at most two decimals as in the market, slot by slot. */
export interface SimulatedDay {
  readonly area: PriceArea;
  readonly day: Day;
  readonly slotMinutes: 15 | 60;
  readonly eurPerMwh: readonly number[];
}

export interface SimulatedSlot {
  readonly start: number;
  readonly end: number;
  readonly eurPerMwh: number;
}

/** The published prices of a simulated source, and its fault. */
export interface SimulatedMarket {
  /** Kronor for a euro. */
  readonly rate: number;
  publish(...days: readonly SimulatedDay[]): void;
  fault(fault: PriceFault | null): void;
  /** The response of the current fault to any request; undefined when requests are handled normally. */
  broken(): SimulatedAnswer | undefined;
  /** The published slots of a day, possibly changed by a fault; null while nothing is published. */
  shown(area: PriceArea, day: Day): readonly SimulatedSlot[] | null;
}

/** Handles requests as a price source does, from a market's published prices. */
export type Simulate = (request: SimulatedRequest) => SimulatedAnswer;

/** A source's simulator, loaded on demand. */
export interface SourceSimulator {
  simulate(market: SimulatedMarket, clock: Clock): Simulate;
  /** The token it accepts, for a source that needs one. */
  readonly token?: string;
}

interface MarketOptions {
  readonly rate?: number;
  /** With a clock, made-up prices of each day are published at 12:45 on the day before. */
  readonly clock?: Clock;
}

export function createSimulatedMarket({ rate = 11.0295, clock }: MarketOptions = {}): SimulatedMarket {
  const published = new Map<string, SimulatedDay>();
  let fault: PriceFault | null = null;

  const find = (area: PriceArea, day: Day): SimulatedDay | undefined => {
    const stored = published.get(`${area} ${day}`);
    if (stored !== undefined || clock === undefined) return stored;
    const dueAt = Temporal.PlainDate.from(day)
      .subtract({ days: 1 })
      .toZonedDateTime({ timeZone: 'Europe/Stockholm', plainTime: '12:45' });
    return clock.now() >= dueAt.epochMilliseconds ? sampleDay(area, day) : undefined;
  };

  return {
    rate,
    publish(...days) {
      for (const day of days) published.set(`${day.area} ${day.day}`, day);
    },
    fault(next) {
      fault = next;
    },
    broken: () => (fault === null ? undefined : BROKEN[fault]),
    shown(area, day) {
      const asked =
        fault === 'yesterday' ? Temporal.PlainDate.from(day).subtract({ days: 1 }).toString() : day;
      const stored = find(area, asked);
      if (stored === undefined) return null;
      const { start } = dayBounds(stored.day);
      const slots = stored.eurPerMwh.map((eurPerMwh, index) => ({
        start: start + index * stored.slotMinutes * MINUTE_MS,
        end: start + (index + 1) * stored.slotMinutes * MINUTE_MS,
        eurPerMwh: fault === 'thousandfold' ? Math.round(eurPerMwh * 100) * 10 : eurPerMwh,
      }));
      return fault === 'half_day' ? slots.slice(0, slots.length / 2) : slots;
    },
  };
}

const PAGE = '<!DOCTYPE html><html><head><title>Just a moment</title></head><body>Checking</body></html>';
const html = { 'content-type': 'text/html; charset=utf-8' };

const BROKEN: Partial<Record<PriceFault, SimulatedAnswer>> = {
  hang: { status: 200, broken: 'hang' },
  reset: { status: 200, broken: 'reset' },
  html: { status: 200, headers: html, text: PAGE },
  torn: { status: 200, headers: { 'content-type': 'application/json' }, text: '[{"a":1,' },
  forbidden: { status: 403, headers: html, text: PAGE },
  rate_limited: { status: 429, headers: { 'retry-after': '60' } },
  server_error: { status: 500, headers: html, text: PAGE },
};

const AREA_CENTS: Readonly<Record<PriceArea, number>> = { SE1: -1500, SE2: -1200, SE3: 0, SE4: 900 };

/** A made-up day that is always the same: two peaks, cheap nights, and in the north negative prices at noon every seventh day. */
export function sampleDay(area: PriceArea, day: Day, slotMinutes: 15 | 60 = 15): SimulatedDay {
  const { start, end } = dayBounds(day);
  const phase = (start / 86_400_000) % 7;
  const eurPerMwh: number[] = [];
  for (let at = start; at < end; at += slotMinutes * MINUTE_MS) {
    const hour = (at - start) / 3_600_000;
    const peaks = 3000 * Math.exp(-((hour - 8) ** 2) / 4) + 4200 * Math.exp(-((hour - 18) ** 2) / 6);
    const noon = 1500 * Math.exp(-((hour - 13) ** 2) / 5) * (1 + phase / 3);
    // Whole cents, as in the market.
    eurPerMwh.push(Math.round(2600 + AREA_CENTS[area] + peaks - noon + 37 * Math.sin(hour * 9)) / 100);
  }
  return { area, day, slotMinutes, eurPerMwh };
}
