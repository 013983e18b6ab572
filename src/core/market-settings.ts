import { Secret } from './secret.ts';
import { oneOf, parseHttpUrl, type Setting, type SettingReader } from './setting.ts';

/** How a day-ahead price or production source is asked. */
export interface MarketSettings {
  /** Slugs in the order in which they are asked. */
  readonly priceSources: readonly string[];
  readonly entsoeToken: Secret | undefined;
  /** Another base address by source slug; a simulator's, say. */
  readonly baseUrls: Readonly<Record<string, string>>;
  /** Whether sources are asked at all. */
  readonly isFetching: boolean;
  /** Whether the bundled sample day may stand in for prices that are not there. */
  readonly isSampleAllowed: boolean;
  /** The unit of the figures of the production source; `auto` tells it from their size. */
  readonly productionUnit: 'auto' | 'MW' | 'MWh';
  /** A Nominatim-compatible geocoder. */
  readonly geocoderUrl: string | undefined;
}

/** Sources whose base address can be set, and those of them that have prices. */
export const PRICE_SOURCE_SLUGS = ['elprisetjustnu', 'entsoe', 'energidataservice', 'nordpool'] as const;
const SOURCE_SLUGS = [...PRICE_SOURCE_SLUGS, 'ecb', 'esett'] as const;
const baseUrlName = (slug: string) => `ELNAV_${slug.toUpperCase()}_BASE_URL`;

/** Settings of prices, production and look-ups. */
export const MARKET_SETTINGS: readonly Setting[] = [
  {
    name: 'ELNAV_PRICE_SOURCES',
    fallback: 'elprisetjustnu,entsoe,energidataservice',
    description:
      'Day-ahead price sources in order of preference, comma-separated: elprisetjustnu, entsoe (skipped without a token), energidataservice (SE3 and SE4), nordpool (its terms restrict the use of the data)',
  },
  {
    name: 'ELNAV_ENTSOE_TOKEN',
    fallback: '',
    secret: true,
    description: "Security token of ENTSO-E's transparency platform, free after registration",
  },
  {
    name: 'ELNAV_FETCH',
    fallback: 'on',
    description:
      'off: fetches no prices, production or exchange rates, and serves only what is stored or imported',
  },
  {
    name: 'ELNAV_SAMPLE_PRICES',
    fallback: 'auto',
    description:
      'Whether to serve the bundled sample day, marked as a sample, while no price is known: on, off, or auto (on with the embedded database if ELNAV_HOST is a loopback address, else off)',
  },
  {
    name: 'ELNAV_PRODUCTION_UNIT',
    fallback: 'auto',
    description:
      "Unit of eSett's production figures: MW, MWh (energy in a slot), or auto, which detects it from their size",
  },
  {
    name: 'ELNAV_GEOCODER_URL',
    fallback: '',
    description:
      'URL of a Nominatim-compatible geocoder for street addresses; without it, they are resolved by postal code or place',
  },
  ...SOURCE_SLUGS.map((slug) => ({
    name: baseUrlName(slug),
    fallback: '',
    description: `Base URL of the source ${slug}, to replace the default`,
  })),
];

/** Reads them; on a development machine the sample day is allowed by default. */
export function readMarketSettings({ parsed }: SettingReader, isDevelopment: boolean): MarketSettings {
  return {
    priceSources: parsed('ELNAV_PRICE_SOURCES', parsePriceSources) ?? [],
    entsoeToken: parsed('ELNAV_ENTSOE_TOKEN', (value) => new Secret(value)),
    baseUrls: Object.fromEntries(
      SOURCE_SLUGS.map((slug) => [slug, parsed(baseUrlName(slug), parseHttpUrl)]).filter(
        ([, url]) => url !== undefined,
      ),
    ),
    isFetching: parsed('ELNAV_FETCH', oneOf('on', 'off')) !== 'off',
    isSampleAllowed: isSampleAllowed(
      parsed('ELNAV_SAMPLE_PRICES', oneOf('auto', 'on', 'off')) ?? 'auto',
      isDevelopment,
    ),
    productionUnit: parsed('ELNAV_PRODUCTION_UNIT', oneOf('auto', 'MW', 'MWh')) ?? 'auto',
    geocoderUrl: parsed('ELNAV_GEOCODER_URL', parseHttpUrl),
  };
}

function isSampleAllowed(setting: 'auto' | 'on' | 'off', isDevelopment: boolean): boolean {
  return setting === 'auto' ? isDevelopment : setting === 'on';
}

function parsePriceSources(value: string): string[] {
  const slugs = value.split(',').map((part) => part.trim());
  for (const slug of slugs) oneOf(...PRICE_SOURCE_SLUGS)(slug);
  if (new Set(slugs).size !== slugs.length) throw new Error('names a source twice');
  return slugs;
}
