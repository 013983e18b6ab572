import { HttpFailure } from '../../adapter/http.ts';
import { dayBounds } from '../../core/swedish-days.ts';
import {
  type Day,
  PRICE_AREA_FACTS,
  type PriceArea,
  type PriceDay,
  type PricedInterval,
} from '../contract/market.ts';
import { notUnderstood, perKwh } from '../contract/price-figures.ts';
import { childOf, childrenOf, readXml, textOf, type XmlNode } from '../contract/xml.ts';

const RESOLUTION_MS: Readonly<Record<string, number>> = {
  PT15M: 15 * 60_000,
  PT30M: 30 * 60_000,
  PT60M: 60 * 60_000,
  PT1H: 60 * 60_000,
};

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?Z$/;
const PRICE = /^-?\d{1,9}(?:\.\d{1,9})?$/;
/** A year of quarters, the longest period of one request. */
const MOST_SLOTS = 366 * 100;

interface PeriodPrices {
  readonly slotMs: number;
  /** EUR/MWh by the start of its slot, ms since 1970. */
  readonly prices: ReadonlyMap<number, string>;
}

/**
 * The prices of a period. In a curve of type A03 a point applies until the next one, the last until the end of the period:
 * repeated prices are left out. In A01 every slot has its point; one without it is missing.
 */
function pricesOf(period: XmlNode, curve: 'A01' | 'A03', source: string): PeriodPrices {
  const interval = childOf(period, 'timeInterval');
  const start = momentOf(interval, 'start', source);
  const end = momentOf(interval, 'end', source);
  const slotMs = RESOLUTION_MS[textOf(period, 'resolution') ?? ''];
  if (slotMs === undefined) throw notUnderstood(source, 'its resolution is not 15, 30 or 60 minutes');
  const count = (end - start) / slotMs;
  if (!Number.isInteger(count) || count < 1 || count > MOST_SLOTS)
    throw notUnderstood(source, 'its period is not a number of slots');

  const points = childrenOf(period, 'Point')
    .map((point) => pointOf(point, count, source))
    .sort((a, b) => a.position - b.position);
  if (curve === 'A03' && points[0]?.position !== 1) throw notUnderstood(source, 'its first price is missing');
  const prices = new Map<number, string>();
  for (const [index, { position, price }] of points.entries()) {
    const next = points[index + 1]?.position ?? count + 1;
    if (next === position) throw notUnderstood(source, 'it has two prices for one time');
    const until = curve === 'A03' ? next : position + 1;
    for (let slot = position; slot < until; slot += 1) prices.set(start + (slot - 1) * slotMs, price);
  }
  return { slotMs, prices };
}

function momentOf(interval: XmlNode | undefined, name: string, source: string): number {
  const text = textOf(interval, name) ?? '';
  const at = MOMENT.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw notUnderstood(source, 'its period has no start or no end');
  return at;
}

function pointOf(point: XmlNode, count: number, source: string) {
  const position = Number(textOf(point, 'position'));
  const price = textOf(point, 'price.amount') ?? '';
  if (!Number.isInteger(position) || position < 1 || position > count)
    throw notUnderstood(source, 'a position is outside of its period');
  if (!PRICE.test(price)) throw notUnderstood(source, 'a price is not a decimal number');
  return { position, price };
}

const SOURCE = 'ENTSO-E';

/** Numbers an auction where an area has several; 1 is the coupled day-ahead auction. */
const SEQUENCE = 'classificationSequence_AttributeInstanceComponent.position';

/**
 * Translates a document of type A44 to the requested day, or null if it has none. Series of other auctions, contracts and
 * currencies are ignored. Of several resolutions, the one that covers most of the day is used, then the finest.
 */
export function translate(text: string, { area, day }: { area: PriceArea; day: Day }): PriceDay | null {
  const root = readXml(text, SOURCE);
  const acknowledgement = childOf(root, 'Acknowledgement_MarketDocument');
  if (acknowledgement !== undefined) return acknowledged(acknowledgement);
  const document = childOf(root, 'Publication_MarketDocument');
  if (document === undefined) throw notUnderstood(SOURCE, 'it is not a publication');

  const series = primary(childrenOf(document, 'TimeSeries').filter((one) => isOfDayAhead(one, area)));
  const { start, end } = dayBounds(day);
  const byLength = new Map<number, Map<number, string>>();
  for (const period of series.flatMap((one) => periodsOf(one))) {
    const prices = byLength.get(period.slotMs) ?? new Map<number, string>();
    byLength.set(period.slotMs, prices);
    for (const [at, price] of period.prices) {
      if (at < start || at + period.slotMs > end) continue;
      if ((prices.get(at) ?? price) !== price) throw notUnderstood(SOURCE, 'it has two prices for one time');
      prices.set(at, price);
    }
  }
  const [best] = [...byLength]
    .filter(([, prices]) => prices.size > 0)
    .sort(([a, inA], [b, inB]) => b * inB.size - a * inA.size || a - b);
  if (best === undefined) return null;
  const [slotMs, prices] = best;
  const slots: PricedInterval[] = [...prices]
    .sort(([a], [b]) => a - b)
    .map(([at, price]) => ({ start: at, end: at + slotMs, sek: null, eur: perKwh(price) }));
  return { area, day, slots, exchangeRate: null, publishedAt: null };
}

/** Code 999 has many meanings; only its text says that there is no data yet. */
function acknowledged(document: XmlNode): null {
  const reasons = childrenOf(document, 'Reason').map((reason) => textOf(reason, 'text') ?? '');
  if (reasons.some((text) => /no matching data/i.test(text))) return null;
  throw new HttpFailure(
    'refused',
    'ENTSO-E refused the request; its response is an acknowledgement without data',
  );
}

function isOfDayAhead(series: XmlNode, area: PriceArea): boolean {
  const { eic } = PRICE_AREA_FACTS[area];
  for (const domain of ['in_Domain.mRID', 'out_Domain.mRID']) {
    const named = textOf(series, domain);
    if (named !== undefined && named !== eic)
      throw notUnderstood(SOURCE, 'it is of another area than requested');
  }
  return (
    (textOf(series, 'contract_MarketAgreement.type') ?? 'A01') === 'A01' &&
    textOf(series, 'currency_Unit.name') === 'EUR' &&
    textOf(series, 'price_Measure_Unit.name') === 'MWH'
  );
}

/** The day-ahead series. Series are unordered and numbered by auction; if one has a number, those without it are something else. */
function primary(series: readonly XmlNode[]): readonly XmlNode[] {
  const first = series.filter((one) => textOf(one, SEQUENCE) === '1');
  return first.length > 0 ? first : series.filter((one) => textOf(one, SEQUENCE) === undefined);
}

function periodsOf(series: XmlNode) {
  const curve = textOf(series, 'curveType') ?? 'A01';
  if (curve !== 'A01' && curve !== 'A03') throw notUnderstood(SOURCE, 'its curve is neither A01 nor A03');
  return childrenOf(series, 'Period').map((period) => pricesOf(period, curve, SOURCE));
}
