import { hash } from 'node:crypto';
import type { Day, PriceArea } from '../../sources/contract/market.ts';
import { meanOf } from './money.ts';

export interface DaySlot {
  readonly start: number;
  readonly end: number;
  /** SEK per kWh. */
  readonly sek: string;
  readonly eur: string | null;
}

/** A validated day of one area: slots of one length cover it without a gap. */
export interface DayPrices {
  readonly area: PriceArea;
  readonly day: Day;
  readonly start: number;
  readonly end: number;
  readonly slotMin: number;
  readonly slots: readonly DaySlot[];
  readonly exchangeRate: string | null;
  readonly converted: boolean;
  readonly source: string;
  readonly publishedAt: number | null;
}

export function dailyMean(day: Pick<DayPrices, 'slots'>): string {
  return meanOf(day.slots.map(({ start, end, sek }) => ({ value: sek, start, end })));
}

/** Equal for days with equal slots and prices in kronor. */
export function fingerprintOf({ slots }: Pick<DayPrices, 'slots'>): string {
  return hash('sha256', slots.map(({ start, end, sek }) => `${start} ${end} ${sek}`).join('\n'), 'hex').slice(
    0,
    22,
  );
}
