import Type from 'typebox';
import { PlanRequestSchema, PlanSchema } from '../../../domain/plan/planner/index.ts';
import { PRICE_AREAS } from '../../../sources/contract/market.ts';

const { prices, ...others } = PlanRequestSchema.properties;

/** What the planner takes, with the area whose stored prices may stand in for `prices`. */
export const AreaPlanRequestSchema = Type.Object(
  {
    prices: Type.Optional(prices),
    area: Type.Optional(
      Type.Enum([...PRICE_AREAS], {
        title: 'PriceArea',
        description:
          'Instead of prices: use the stored day-ahead prices of this Swedish price area, SEK/kWh without VAT and tax, starting with the current slot',
      }),
    ),
    ...others,
  },
  {
    title: 'PlanRequest',
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
        device_profile: { kind: 'charger', voltage_v: 230, phases: 1 },
      },
    ],
  },
);

/** What the planner returns for the example of a request. */
const PLAN = {
  slots: [
    { index: 0, power_w: 0, expected_energy_wh: 0, price: '0.4213' },
    { index: 1, power_w: 7_360, expected_energy_wh: 7_360, price: '0.1876', reason: 'price rank 1 of 3' },
    { index: 2, power_w: 2_760, expected_energy_wh: 2_760, price: '0.2904', reason: 'price rank 2 of 3' },
  ],
  total_energy_wh: 10_120,
  total_cost: '2.18224',
  target_reachable: true,
  optimality: 'proven',
  binding: 'price',
  commands: [0, 32, 12].map((current_a, slot_index) => ({
    slot_index,
    command: { type: 'set_current', current_a },
  })),
};

export const AreaPlanSchema = Type.Object(
  {
    area: Type.Optional(
      Type.Enum([...PRICE_AREAS], {
        title: 'PriceArea',
        description: 'The area of the request, if it had one',
      }),
    ),
    currency: Type.Optional(Type.Literal('SEK')),
    price_source: Type.Optional(
      Type.String({ description: 'Source of the prices of the area; "sample" means that they are not real' }),
    ),
    ...PlanSchema.properties,
  },
  { title: 'Plan', examples: [PLAN] },
);
