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
          'Instead of prices: use the stored day-ahead prices of this Swedish price area, SEK/kWh without VAT and tax, starting with the current slot',
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
  area: Type.Optional(Type.Enum([...PRICE_AREAS], { description: 'The area of the request, if it had one' })),
  currency: Type.Optional(Type.Literal('SEK')),
  price_source: Type.Optional(
    Type.String({ description: 'Source of the prices of the area; "sample" means that they are not real' }),
  ),
  ...PlanSchema.properties,
});
