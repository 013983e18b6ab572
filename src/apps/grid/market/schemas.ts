import Type from 'typebox';
import { decimal } from '../../../core/decimal.ts';
import { PRICE_AREAS } from '../../../sources/contract/market.ts';
import { Moment, nullable, PriceArea } from '../responses/schemas.ts';

const Day = Type.String({ format: 'date', description: 'A calendar day in Sweden' });
const Duration = Type.Integer({ minimum: 1, description: 'Minutes', examples: [15] });
const Source = Type.String({
  description: 'Source of the figures; sample means that they are not real',
  examples: ['elprisetjustnu'],
});
const byArea = <S extends Type.TSchema>(schema: S, description: string) =>
  Type.Object({ SE1: schema, SE2: schema, SE3: schema, SE4: schema }, { description });

export const SpotPrice = Type.Object(
  {
    area: PriceArea,
    start: Moment,
    end: Moment,
    duration_min: Duration,
    price: decimal('SEK per kWh, without VAT and tax'),
    currency: Type.Literal('SEK'),
    unit: Type.Literal('SEK/kWh'),
    price_eur: nullable(decimal('EUR per kWh', '0.03816')),
    exchange_rate: nullable(decimal('Kronor per euro', '11.04')),
    converted: Type.Boolean({
      description: 'Whether price was calculated from price_eur with the exchange rate of another source',
      examples: [false],
    }),
    published_at: nullable(Moment),
    source: Source,
  },
  { title: 'Price' },
);

export const CurrentPrices = Type.Object(
  {
    today: Day,
    now: byArea(
      nullable(decimal('SEK per kWh, without VAT and tax')),
      'Price of the current slot; null where none is known',
    ),
    today_avg: byArea(
      nullable(decimal('SEK per kWh, without VAT and tax')),
      'Mean of the Swedish day weighted by slot length; null where the day is not known',
    ),
    unit: Type.Literal('SEK/kWh'),
    source: Source,
  },
  { title: 'CurrentPrices' },
);

export const HistoricPrice = Type.Object(
  {
    area: PriceArea,
    start: Moment,
    end: Moment,
    duration_min: Duration,
    price: decimal('SEK per kWh, without VAT and tax'),
    currency: Type.Literal('SEK'),
    unit: Type.Literal('SEK/kWh'),
    price_eur: nullable(decimal('EUR per kWh', '0.03816')),
    converted: Type.Boolean({ examples: [false] }),
    source: Source,
  },
  { title: 'HistoricPrice' },
);

const byChosenArea = Type.Object(
  Object.fromEntries(
    PRICE_AREAS.map((area) => [area, Type.Optional(nullable(decimal('SEK per kWh, without VAT and tax')))]),
  ),
);

/** The data of an event of the stream of prices. */
export const PriceEventData = Type.Union(
  [
    Type.Object(
      { ...CurrentPrices.properties, now: byChosenArea, today_avg: byChosenArea },
      { description: 'Of `current`: as prices/current, for the areas that were asked for' },
    ),
    Type.Array(SpotPrice, { description: 'Of `slot`: the items of prices/spot of the slot' }),
    Type.Object(
      {
        area: PriceArea,
        day: Day,
        reason: Type.Enum(['stored', 'corrected'], { description: 'stored: the day is new' }),
        prices: Type.Array(SpotPrice),
      },
      { description: 'Of `day`' },
    ),
  ],
  { description: 'Server-sent events; the schema is the one of the data of each' },
);

const Megawatts = nullable(
  Type.Number({ description: 'MW; null if there is no figure', examples: [1840.5] }),
);

export const Produced = Type.Object(
  {
    area: PriceArea,
    start: Moment,
    end: Moment,
    unit: Type.Literal('MW'),
    total: Type.Number({ examples: [11043] }),
    hydro: Megawatts,
    nuclear: Megawatts,
    wind: Megawatts,
    solar: Megawatts,
    thermal: Megawatts,
    other: nullable(Type.Number({ description: 'Includes storage, so it can be negative', examples: [0] })),
    source: Source,
  },
  { title: 'Production' },
);

export const HistoricProduction = Type.Object(
  {
    ...Produced.properties,
    covered_min: Type.Integer({
      description: 'Minutes with figures; the mean covers only these',
    }),
  },
  { title: 'HistoricProduction' },
);

/** Names in the order in which rows have them. */
export const columnsOf = <S extends Type.TObject>(schema: S) =>
  Object.keys(schema.properties) as (keyof Type.Static<S> & string)[];

const Count = Type.Integer({ minimum: 0 });

export const Backfill = Type.Object(
  {
    id: Type.String(),
    from: Day,
    to: Day,
    areas: Type.Array(PriceArea),
    refresh: Type.Boolean({ description: 'Whether days that are already stored are fetched again' }),
    status: Type.Enum(['running', 'done', 'cancelled']),
    days_total: Count,
    days_done: Count,
    days_skipped: Type.Integer({ description: 'Days that were already stored' }),
    days_missing: Type.Integer({ description: 'Days that no source has for all areas' }),
    days_failed: Count,
    failures: Type.Array(Type.Object({ sentence: Type.String(), days: Count, last_day: Day })),
    created_at: Moment,
    updated_at: Moment,
    finished_at: nullable(Moment),
  },
  { title: 'Backfill' },
);
