import type { Adapter } from '../../../adapter/adapter.ts';

/** A brand that people look for and that is connected as something else. */
export interface OtherWay {
  readonly brand: string;
  /** How else it is written. */
  readonly also?: string;
  /** The slug of what it is connected as. */
  readonly vendor: string;
}

/** Makers whose cars Smartcar connects in Europe (smartcar.com/docs/help/frequencies). */
const CARS_BY_SMARTCAR = [
  ...[
    'Alfa Romeo',
    'Audi',
    'BMW',
    'BYD',
    'Cupra',
    'Dacia',
    'DS',
    'Fiat',
    'Ford',
    'Hyundai',
    'Jaguar',
    'Jeep',
    'Kia',
  ],
  ...[
    'Land Rover',
    'Mazda',
    'Mercedes-Benz',
    'MG',
    'MINI',
    'Nissan',
    'Opel',
    'Peugeot',
    'Polestar',
    'Porsche',
    'Renault',
  ],
];

/**
 * Chargers whose makers offer OCPP 1.6J or 2.0.1, cars of makers that Smartcar connects, and products that are sold under a name of their
 * own.
 */
const OTHER_WAYS: readonly OtherWay[] = [
  ...['ABB Terra', 'Alfen', 'CTEK', 'Garo', 'KEBA', 'Schneider EVlink', 'Wallbox', 'Webasto'].map(
    (brand) => ({ brand, vendor: 'ocpp' }),
  ),
  { brand: 'go-e', also: 'goe', vendor: 'ocpp' },
  { brand: 'Powerwall', vendor: 'tesla' },
  ...CARS_BY_SMARTCAR.map((brand) => ({ brand, vendor: 'smartcar' })),
  { brand: 'Citroën', also: 'citroen', vendor: 'smartcar' },
  { brand: 'Škoda', also: 'skoda', vendor: 'smartcar' },
  { brand: 'Volkswagen', also: 'vw', vendor: 'smartcar' },
];

/** Shorter beginnings are said of too many brands. */
const SHORTEST = 3;

/** The brands that are connected as one of these vendors; those that are a vendor by now are found by themselves. */
export const otherWays = (vendors: readonly Adapter[]): readonly OtherWay[] =>
  OTHER_WAYS.filter(
    ({ brand, vendor }) =>
      vendors.some(({ slug }) => slug === vendor) &&
      !vendors.some(({ name, slug }) => wordsIn(name).startsWith(wordsIn(brand)) || slug === wordsIn(brand)),
  );

/** What a brand is found by. */
export const wordsOf = ({ brand, also = '' }: OtherWay): string => wordsIn(`${brand} ${also}`);

/** Whether a query means a brand: one of its words begins a word of the brand. The script of the page does the same. */
export const isMeant = (way: OtherWay, query: string): boolean =>
  wordsIn(query)
    .split(' ')
    .some((word) => word.length >= SHORTEST && ` ${wordsOf(way)}`.includes(` ${word}`));

const wordsIn = (text: string): string => text.toLowerCase().split(/\s+/).filter(Boolean).join(' ');
