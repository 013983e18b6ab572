import type { ExchangeRateSource } from '../contract/market.ts';
import { translate } from './translate.ts';

const MOST_BYTES = 64 * 1024;

/** The euro's reference rates, published about 16:00 on banking days, without a key. */
export const ecb = {
  slug: 'ecb',
  name: 'European Central Bank',
  attribution: 'Euro foreign exchange reference rates: European Central Bank (https://www.ecb.europa.eu)',
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
