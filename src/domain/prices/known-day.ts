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

/** A whole day of one area that passed the judge: it covers the day without a gap, in slots of one length. */
export interface KnownDay {
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

export function dailyMean(day: Pick<KnownDay, 'slots'>): string {
  return meanOf(day.slots.map(({ start, end, sek }) => ({ value: sek, start, end })));
}

/** Equal for days whose slots and prices in kronor are. */
export function fingerprintOf({ slots }: Pick<KnownDay, 'slots'>): string {
  return hash('sha256', slots.map(({ start, end, sek }) => `${start} ${end} ${sek}`).join('\n'), 'hex').slice(
    0,
    22,
  );
}
