import { Big } from 'big.js';
import Type from 'typebox';
import Value from 'typebox/value';
import type { Json } from '../../core/json.ts';
import { dayBounds } from '../../core/swedish-days.ts';
import type { Day, PriceArea, PriceDay, PricedInterval } from '../contract/market.ts';
import { decimalText, notUnderstood, perKwh } from '../contract/price-figures.ts';

const SOURCE = 'Nord Pool';

const Time = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?Z$' });

const Answer = Type.Object({
  deliveryDateCET: Type.String(),
  updatedAt: Time,
  currency: Type.String(),
  exchangeRate: Type.Number({ exclusiveMinimum: 0 }),
  multiAreaEntries: Type.Array(
    Type.Object({
      deliveryStart: Time,
      deliveryEnd: Time,
      entryPerArea: Type.Record(Type.String(), Type.Number()),
    }),
  ),
  areaStates: Type.Array(Type.Object({ state: Type.String(), areas: Type.Array(Type.String()) })),
});

/** Days by area. Preliminary areas are left out; a slot without a price is missing from its day. */
export function translate(
  answer: Json,
  { day, areas }: { day: Day; areas: readonly PriceArea[] },
): PriceDay[] {
  if (!Value.Check(Answer, answer)) throw notUnderstood(SOURCE, 'it is not a day of prices by area');
  if (answer.deliveryDateCET !== day) throw notUnderstood(SOURCE, 'it is of another day than requested');
  if (answer.currency !== 'SEK') throw notUnderstood(SOURCE, 'it is not in kronor');
  const bounds = dayBounds(day);
  const entries = answer.multiAreaEntries
    .map(({ deliveryStart, deliveryEnd, entryPerArea }) => ({
      start: Date.parse(deliveryStart),
      end: Date.parse(deliveryEnd),
      prices: entryPerArea,
    }))
    .sort((a, b) => a.start - b.start);
  for (const [index, { start, end }] of entries.entries()) {
    if (!(start >= bounds.start && end <= bounds.end && start < end))
      throw notUnderstood(SOURCE, 'it has times outside the requested day');
    if (start < (entries[index - 1]?.end ?? start)) throw notUnderstood(SOURCE, 'two of its times overlap');
  }
  const final = new Set(
    answer.areaStates.filter(({ state }) => state === 'Final').flatMap((state) => state.areas),
  );
  const exchangeRate = decimalText(answer.exchangeRate);
  return areas.flatMap((area) => {
    if (!final.has(area)) return [];
    const priced = entries.flatMap(({ start, end, prices }) => {
      const sekPerMwh = Object.hasOwn(prices, area) ? prices[area] : undefined;
      return sekPerMwh === undefined ? [] : [{ start, end, sekPerMwh }];
    });
    if (priced.length === 0) return [];
    const slots = withEuros(priced, exchangeRate);
    return [{ area, day, slots, exchangeRate, publishedAt: Date.parse(answer.updatedAt) }];
  });
}

type InKronor = { readonly start: number; readonly end: number; readonly sekPerMwh: number };

/**
 * The market clears in whole cents per MWh. Rounding by half an öre is far less than half a cent, so the price in euros
 * can be recovered from kronor and rate. If one slot gives no whole cents, the whole day gets no euros.
 */
function withEuros(slots: readonly InKronor[], rate: string): PricedInterval[] {
  const euros = slots.map(({ sekPerMwh }) => new Big(sekPerMwh).div(rate).round(2));
  const areExact = slots.every(({ sekPerMwh }, index) =>
    (euros[index] ?? new Big(0)).times(rate).minus(sekPerMwh).abs().lte('0.01'),
  );
  return slots.map(({ start, end, sekPerMwh }, index) => ({
    start,
    end,
    sek: perKwh(sekPerMwh),
    eur: areExact ? perKwh((euros[index] ?? new Big(0)).toFixed()) : null,
  }));
}
