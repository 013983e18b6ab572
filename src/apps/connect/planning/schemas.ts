import Type from 'typebox';
import { PRICE_AREAS } from '../../../adapter/market.ts';
import { PlanRequestSchema, PlanSchema } from '../../../domain/planner/index.ts';

const { prices, ...others } = PlanRequestSchema.properties;

/** What the planner takes, with the area whose stored prices may stand in for `prices`. */
export const AreaPlanRequestSchema = Type.Object({
  prices: Type.Optional(prices),
  area: Type.Optional(
    Type.Enum([...PRICE_AREAS], {
      description:
        'Instead of prices: the day-ahead prices stored for this price area of Sweden, SEK/kWh without VAT and tax, from the current slot on',
    }),
  ),
  ...others,
});

export const AreaPlanSchema = Type.Object({
  area: Type.Optional(Type.Enum([...PRICE_AREAS], { description: 'The area, where one was sent' })),
  currency: Type.Optional(Type.Literal('SEK')),
  price_source: Type.Optional(
    Type.String({ description: 'Where the prices of the area come from; "sample" is not a real price' }),
  ),
  ...PlanSchema.properties,
});
