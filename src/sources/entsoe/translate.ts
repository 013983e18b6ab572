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
import { pricesOf } from './period.ts';

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
