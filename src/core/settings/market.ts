import type { Secret } from '../secret.ts';
import { SOURCES, slugsOf } from '../sources.ts';
import { httpUrl, listOf, oneOf, secret } from './kinds.ts';
import { type Declared, given, optional, type Setting, setting, type Values } from './setting.ts';

/** Settings of the price and production sources. */
export interface MarketSettings {
  /** Slugs in order of preference. */
  readonly priceSources: readonly string[];
  readonly entsoeToken: Secret | undefined;
  /** Replacement base URLs by source slug, such as a simulator's. */
  readonly baseUrls: Readonly<Record<string, string>>;
  /** Whether sources are called at all. */
  readonly isFetching: boolean;
  /** Whether the bundled sample day may be served when prices are missing. */
  readonly isSampleAllowed: boolean;
  /** The unit of the production source's figures; `auto` detects it from their size. */
  readonly productionUnit: 'auto' | 'MW' | 'MWh';
  /** A Nominatim-compatible geocoder. */
  readonly geocoderUrl: string | undefined;
}

/** Settings of prices, production and look-ups. */
export const MARKET = {
  priceSources: setting('ELNAV_PRICE_SOURCES', listOf('sources', ...slugsOf('prices')), {
    fallback: 'elprisetjustnu,entsoe,energidataservice',
    description:
      'Day-ahead price sources in order of preference: entsoe is skipped without a token, energidataservice has SE3 and SE4, the terms of nordpool restrict the use of its data',
  }),
  entsoeToken: optional('ELNAV_ENTSOE_TOKEN', secret('text'), {
    description: "Security token of ENTSO-E's transparency platform, free after registration",
  }),
  fetch: setting('ELNAV_FETCH', oneOf('on', 'off'), {
    fallback: 'on',
    description:
      'off: fetches no prices, production or exchange rates, and serves only what is stored or imported',
  }),
  samplePrices: setting('ELNAV_SAMPLE_PRICES', oneOf('auto', 'on', 'off'), {
    fallback: 'auto',
    description:
      'Whether to serve the bundled sample day, marked as a sample, while no price is known. auto: on with the embedded database if ELNAV_HOST is a loopback address, else off',
  }),
  productionUnit: setting('ELNAV_PRODUCTION_UNIT', oneOf('auto', 'MW', 'MWh'), {
    fallback: 'auto',
    service: 'grid',
    description: "Unit of eSett's production figures. MWh: energy in a slot; auto: detected from their size",
  }),
  geocoderUrl: optional('ELNAV_GEOCODER_URL', httpUrl, {
    service: 'grid',
    description:
      'URL of a Nominatim-compatible geocoder for street addresses; without it, they are resolved by postal code or place',
  }),
} satisfies Declared;

/** A replacement base URL for each source, by its slug. */
export const SOURCE_URLS: Readonly<Record<string, Setting<string | undefined>>> = Object.fromEntries(
  Object.keys(SOURCES).map((slug) => [
    slug,
    optional(`ELNAV_${slug.toUpperCase()}_BASE_URL`, httpUrl, {
      description: `Base URL of the source ${slug}, to replace the default`,
    }),
  ]),
);

/** On a development machine the sample day is allowed by default. */
export function marketSettings(
  { fetch, samplePrices, ...values }: Values<typeof MARKET>,
  baseUrls: Values<typeof SOURCE_URLS>,
  isDevelopment: boolean,
): MarketSettings {
  return {
    ...values,
    baseUrls: given(baseUrls),
    isFetching: fetch === 'on',
    isSampleAllowed: samplePrices === 'auto' ? isDevelopment : samplePrices === 'on',
  };
}
