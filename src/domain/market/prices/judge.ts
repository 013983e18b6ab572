import { Big } from 'big.js';
import { HOUR_MS, MINUTE_MS } from '../../../core/durations.ts';
import { type Bounds, dayBounds } from '../../../core/swedish-days.ts';
import type { Day, PriceArea, PriceDay } from '../../../sources/contract/market.ts';
import { addDays, minuteText } from './calendar.ts';
import { type DayPrices, type DaySlot, dailyMean, isPlain, times } from './money.ts';

import type { DayFacts, PriceStore } from './store.ts';

/*
 * Clearing prices of the single day-ahead coupling are held between -500 and 4,000 EUR/MWh, harmonised under article 41 of
 * Regulation (EU) 2015/1222. The limit is raised after days at it, so the accepted range is wider on both sides.
 */
const LOWEST_EUR = -1;
const HIGHEST_EUR = 6;
/** A euro has cost 8 to 12 kronor since it exists. */
const LOWEST_RATE = 7;
const HIGHEST_RATE = 16;
/** Tolerance for figures rounded to five decimals and a rate stated with fewer digits than were used. */
const ROUNDING_SEK = 0.0002;
const RATE_TOLERANCE = 0.005;
/** A day so many times as dear as the dearest stored one is quarantined, if it also costs more than any usual day. */
const DOUBTED_TIMES = 10;
const DOUBTED_ABOVE_SEK = 2;
/** Limit when nothing is stored to compare with; the dearest daily means in Sweden were 6 to 8 SEK/kWh, in 2022. */
const DOUBTED_ALONE_SEK = 10;
/** Difference allowed between two sources: rounding, and rates of different hours. */
const SAME_SEK = 0.01;
const SAME_PART = 0.03;

const SLOT_MINUTES = [15, 30, 60];

/** Stored figures that a reported day is compared with. */
export interface Context {
  /** Highest stored daily mean, SEK/kWh: of the area's last 30 days and of other areas on this day; null without any. */
  readonly highestMean: string | null;
  /** Slots of the day before; null when it is not stored. */
  readonly previous: readonly DaySlot[] | null;
}

export interface Asked {
  readonly area: PriceArea;
  readonly day: Day;
  /** Slug of the source. */
  readonly source: string;
  /** Kronor per euro, for a day in euros only. */
  readonly rate: string | null;
}

export type Judgement =
  | { readonly verdict: 'accepted'; readonly day: DayPrices }
  /** Implausible; accepted only if an independent source reports the same. */
  | { readonly verdict: 'quarantined'; readonly day: DayPrices; readonly sentence: string }
  | { readonly verdict: 'refused'; readonly sentence: string }
  /** Plausible, but in euros, and there is no exchange rate. */
  | { readonly verdict: 'no_rate'; readonly sentence: string };

/** Checks the prices that a source reported for an area and a day. Never throws, whatever the input. */
export function judge(reported: PriceDay, asked: Asked, context: Context): Judgement {
  const what = `${asked.area} ${asked.day}`;
  const fault =
    identityFault(reported, asked) ??
    shapeFault(reported, dayBounds(asked.day)) ??
    figuresFault(reported) ??
    rateFault(reported);
  if (fault !== undefined) return { verdict: 'refused', sentence: `${what}: ${fault}` };

  const isInEuros = reported.slots.some(({ sek }) => sek === null);
  const rate = reported.exchangeRate ?? asked.rate;
  if (isInEuros && rate === null)
    return { verdict: 'no_rate', sentence: `${what}: it is in euros, and there is no exchange rate` };
  const slots = reported.slots.map(({ start, end, sek, eur }) => ({
    start,
    end,
    sek: sek ?? times(eur ?? '0', rate ?? '0'),
    eur,
  }));
  const [first] = slots;
  const day: DayPrices = {
    area: asked.area,
    day: asked.day,
    ...dayBounds(asked.day),
    slotMin: first === undefined ? 0 : (first.end - first.start) / MINUTE_MS,
    slots,
    exchangeRate: isInEuros ? rate : reported.exchangeRate,
    converted: isInEuros && reported.exchangeRate === null,
    source: asked.source,
    publishedAt: reported.publishedAt,
  };
  if (isYesterday(day, context.previous))
    return { verdict: 'refused', sentence: `${what}: it has the prices of the day before` };
  const doubt = doubtOf(day, context);
  return doubt === undefined
    ? { verdict: 'accepted', day }
    : { verdict: 'quarantined', day, sentence: `${what}: ${doubt}` };
}

/** Whether two sources agree on a day, compared by hour, as their slots may differ in length. */
export function areSame(a: DayPrices, b: DayPrices): boolean {
  if (a.area !== b.area || a.day !== b.day) return false;
  const theirs = hourlyMeans(b);
  return [...hourlyMeans(a)].every(([hour, mean]) => {
    const other = theirs.get(hour);
    return other !== undefined && Math.abs(mean - other) <= SAME_SEK + SAME_PART * Math.abs(other);
  });
}

/** Hourly means as floating point, for comparison with a tolerance; no slot crosses an hour. */
function hourlyMeans({ slots }: DayPrices): Map<number, number> {
  const hours = Map.groupBy(slots, ({ start }) => Math.floor(start / HOUR_MS));
  return new Map(
    [...hours].map(([hour, list]) => [
      hour,
      list.reduce((sum, { sek }) => sum + Number(sek), 0) / list.length,
    ]),
  );
}

function identityFault(reported: PriceDay, asked: Asked): string | undefined {
  if (reported.area !== asked.area) return `it is of ${String(reported.area)}`;
  if (reported.day !== asked.day) return `it is of ${String(reported.day)}`;
  return undefined;
}

function shapeFault({ slots }: PriceDay, { start, end }: Bounds): string | undefined {
  const [first] = slots;
  const last = slots.at(-1);
  if (first === undefined || last === undefined) return 'it has no prices';
  const length = first.end - first.start;
  if (!SLOT_MINUTES.includes(length / MINUTE_MS))
    return `its first slot lasts ${length / MINUTE_MS} minutes, not 15, 30 or 60`;
  if (first.start !== start) return `it starts at ${momentText(first.start)}, not at ${minuteText(start)}`;
  for (const [index, slot] of slots.entries()) {
    const due = start + index * length;
    if (slot.start !== due) return `a slot starts at ${momentText(slot.start)}, not at ${minuteText(due)}`;
    if (slot.end !== due + length) return `the slot at ${minuteText(due)} does not last as long as the first`;
  }
  if (last.end !== end)
    return `it has ${slots.length} slots and ends at ${minuteText(last.end)}, not at ${minuteText(end)}`;
  return undefined;
}

function figuresFault({ slots, exchangeRate }: PriceDay): string | undefined {
  if (exchangeRate !== null && !isSaneRate(exchangeRate))
    return `its exchange rate is ${excerpt(exchangeRate)}`;
  const hasSek = slots[0]?.sek !== null;
  const hasEur = slots[0]?.eur !== null;
  if (!hasSek && !hasEur) return 'its first slot has no price';
  for (const { start, sek, eur } of slots) {
    if ((sek !== null) !== hasSek || (eur !== null) !== hasEur)
      return `the slot at ${minuteText(start)} has not the currencies of the first`;
    for (const figure of [sek, eur])
      if (figure !== null && !isPlain(figure))
        return `the price at ${minuteText(start)} is ${excerpt(figure)}, which is no decimal number`;
    const rate = Number(exchangeRate ?? HIGHEST_RATE);
    const euros = eur === null ? Number(sek) / rate : Number(eur);
    if (euros < LOWEST_EUR || euros > HIGHEST_EUR)
      return `the price at ${minuteText(start)} is ${excerpt(eur === null ? `${sek} SEK` : `${eur} EUR`)} per kWh, beyond what the market permits`;
  }
  return undefined;
}

function rateFault({ slots, exchangeRate }: PriceDay): string | undefined {
  let sumSek = new Big(0);
  let sumEur = new Big(0);
  for (const { start, sek, eur } of slots) {
    if (sek === null || eur === null) return undefined;
    sumSek = sumSek.plus(new Big(sek).abs());
    sumEur = sumEur.plus(new Big(eur).abs());
    const fault = `the price at ${minuteText(start)} is ${excerpt(sek)} SEK and ${excerpt(eur)} EUR`;
    if (exchangeRate === null) continue;
    if (
      Math.abs(Number(sek) - Number(eur) * Number(exchangeRate)) >
      ROUNDING_SEK + RATE_TOLERANCE * Math.abs(Number(sek))
    )
      return `${fault}, which is not its exchange rate of ${excerpt(exchangeRate)}`;
  }
  // Without a stated rate the day's sums imply one, unless they are too small to be more than rounding.
  const implied = sumEur.lt(0.05) ? null : sumSek.div(sumEur).round(5).toFixed();
  if (implied !== null && !isSaneRate(implied)) return `its kronor and euros stand at ${implied}`;
  return undefined;
}

/** Whether an exchange rate (kronor per euro) is plausible. */
export function isSaneRate(rate: string): boolean {
  return isPlain(rate) && Number(rate) >= LOWEST_RATE && Number(rate) <= HIGHEST_RATE;
}

/** The same sequence does not occur on two days in a row; a price that never changes is caught by `doubtOf`. */
function isYesterday({ slots }: DayPrices, previous: readonly DaySlot[] | null): boolean {
  if (previous === null || previous.length !== slots.length) return false;
  const isEqual = (of: (slot: DaySlot) => string | null) => {
    const values = slots.map(of);
    return (
      values.every((value, index) => {
        const before = of(previous[index] as DaySlot);
        return value !== null && before !== null && new Big(value).eq(before);
      }) && new Set(values).size > 1
    );
  };
  return isEqual(({ sek }) => sek) || isEqual(({ eur }) => eur);
}

function doubtOf(day: DayPrices, { highestMean }: Context): string | undefined {
  const mean = Number(dailyMean(day));
  if (new Set(day.slots.map(({ sek }) => Number(sek))).size === 1) return 'it has one price all day';
  const limit =
    highestMean === null
      ? DOUBTED_ALONE_SEK
      : Math.max(DOUBTED_ABOVE_SEK, DOUBTED_TIMES * Number(highestMean));
  return mean > limit ? `its mean is ${mean} SEK/kWh, far above all stored prices` : undefined;
}

function momentText(at: number): string {
  return Number.isFinite(at) && Math.abs(at) < 8.64e15 ? minuteText(at) : String(at);
}

/** Cuts text from a source, which may be long. */
function excerpt(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/** A day's prices are compared with those of so many days before and after. */
const COMPARED_DAYS = 30;

type ContextOf = (area: PriceArea, alsoFound: readonly DayPrices[]) => Context;

/** The stored days around a day, to compare a reported one with. */
export async function comparisons(
  store: PriceStore,
  day: Day,
  areas: readonly PriceArea[],
): Promise<ContextOf> {
  const facts = await store.facts(addDays(day, -COMPARED_DAYS), addDays(day, COMPARED_DAYS));
  const before = new Map<PriceArea, DayFacts>(
    facts.filter((fact) => fact.day === addDays(day, -1)).map((fact) => [fact.area, fact]),
  );
  const previous = new Map(
    await Promise.all(
      areas.map(async (area) => {
        const fact = before.get(area);
        return [area, fact === undefined ? null : await store.slots(fact)] as const;
      }),
    ),
  );
  return (area, alsoFound) => {
    const means = [
      ...facts.filter((fact) => (fact.area === area) !== (fact.day === day)).map(({ mean }) => Number(mean)),
      ...alsoFound.map((other) => Number(dailyMean(other))),
    ];
    return {
      highestMean: means.length === 0 ? null : String(Math.max(...means)),
      previous: previous.get(area) ?? null,
    };
  };
}
