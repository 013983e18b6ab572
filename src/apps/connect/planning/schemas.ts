import Type from 'typebox';
import { PRICE_AREAS } from '../../../adapter/market.ts';
import { PlanRequestSchema, PlanSchema } from '../../../domain/planner/index.ts';

const { prices, ...others } = PlanRequestSchema.properties;

/** What the planner takes, with the area whose stored prices may stand in for `prices`. */
export const AreaPlanRequestSchema = Type.Object(
  {
    prices: Type.Optional(prices),
    area: Type.Optional(
      Type.Enum([...PRICE_AREAS], {
        description:
          'Instead of prices: the day-ahead prices stored for this price area of Sweden, SEK/kWh without VAT and tax, from the current slot on',
      }),
    ),
    ...others,
  },
  {
    examples: [
      {
        prices: [
          { duration_min: 60, price: '0.4213' },
          { duration_min: 60, price: '0.1876' },
          { duration_min: 60, price: '0.2904' },
        ],
        task: {
          current_soc: 55,
          target_soc: 80,
          capacity_wh: 40_000,
          max_power_w: 7_400,
          min_power_w: 1_400,
          deadline_slot_index: 2,
        },
      },
    ],
  },
);

export const AreaPlanSchema = Type.Object({
  area: Type.Optional(Type.Enum([...PRICE_AREAS], { description: 'The area, where one was sent' })),
  currency: Type.Optional(Type.Literal('SEK')),
  price_source: Type.Optional(
    Type.String({ description: 'Where the prices of the area come from; "sample" is not a real price' }),
  ),
  ...PlanSchema.properties,
});
