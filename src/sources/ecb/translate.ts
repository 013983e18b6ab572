import type { Day } from '../contract/market.ts';
import { notUnderstood } from '../contract/price-figures.ts';
import { childOf, childrenOf, readXml, textOf } from '../contract/xml.ts';

const SOURCE = 'the European Central Bank';

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const RATE = /^\d{1,4}(?:\.\d{1,8})?$/;

/** Kronor per euro on the latest day in a file of reference rates. */
export function translate(text: string): { readonly day: Day; readonly sekPerEur: string } {
  const list = childOf(childOf(readXml(text, SOURCE), 'Envelope'), 'Cube');
  const days = childrenOf(list, 'Cube').map((rates) => ({ day: textOf(rates, 'time') ?? '', rates }));
  if (days.length === 0 || !days.every(({ day }) => DAY.test(day)))
    throw notUnderstood(SOURCE, 'it has no day of rates');
  const [latest] = days.sort((a, b) => (a.day < b.day ? 1 : -1));
  const krona = childrenOf(latest?.rates, 'Cube').find((rate) => textOf(rate, 'currency') === 'SEK');
  const sekPerEur = textOf(krona, 'rate') ?? '';
  if (latest === undefined || !RATE.test(sekPerEur) || Number(sekPerEur) === 0)
    throw notUnderstood(SOURCE, 'it has no rate of the krona');
  return { day: latest.day, sekPerEur };
}
