import type { Day, ExchangeRateSource } from '../contract/market.ts';
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

const MOST_BYTES = 64 * 1024;

/** The euro's reference rates, published about 16:00 on banking days, without a key. */
export const ecb = {
  slug: 'ecb',
  has: 'rate',
  name: 'European Central Bank',
  credit: { name: 'European Central Bank', href: 'https://www.ecb.europa.eu' },
  baseUrl: 'https://www.ecb.europa.eu',
  simulator: async () => ({ simulate: (await import('./simulator.ts')).simulateEcb }),
  async fetchRate({ http, signal }) {
    const answer = await http.send({
      path: '/stats/eurofxref/eurofxref-daily.xml',
      headers: { accept: 'application/xml, text/xml' },
      mostBytes: MOST_BYTES,
      signal,
    });
    return translate(answer.text());
  },
} satisfies ExchangeRateSource;
