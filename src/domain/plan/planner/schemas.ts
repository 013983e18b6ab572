import Type from 'typebox';
import { AnyCommand } from '../../../adapter/commands.ts';
import { DEVICE_TYPES } from '../../../adapter/device.ts';
import { CONTROL_CAPABILITIES } from '../../../adapter/fields.ts';
import { decimal } from '../../../core/decimal.ts';
import { BINDINGS } from './explain.ts';
import { MOST_CAPACITY_WH, MOST_MINUTES, MOST_SLOTS, MOST_WATTS } from './request.ts';

const whole = (minimum: number, maximum: number, description: string) =>
  Type.Integer({ minimum, maximum, description });

/** The request as documented; `checkRequest` validates it. */
export const PlanRequestSchema = Type.Object({
  prices: Type.Array(
    Type.Object(
      {
        duration_min: whole(1, MOST_MINUTES, 'Length of the slot, minutes; slots may have different lengths'),
        price: Type.Union([Type.String(), Type.Number()], {
          description: 'Per kWh; any decimal of at most 30 digits, also negative',
        }),
        start: Type.Optional(
          Type.Unknown({
            description: 'Start of the slot; a time in RFC 3339 is repeated in the plan',
          }),
        ),
      },
      { title: 'PricedSlot' },
    ),
    { minItems: 1, maxItems: MOST_SLOTS },
  ),
  task: Type.Object(
    {
      current_soc: whole(0, 100, 'State of charge now, percent'),
      target_soc: whole(0, 100, 'Target state of charge, percent'),
      capacity_wh: whole(1, MOST_CAPACITY_WH, 'Usable battery capacity, Wh'),
      max_power_w: whole(1, MOST_WATTS, 'Maximum charging power, W'),
      min_power_w: whole(0, MOST_WATTS, 'Minimum power while charging, W; at most max_power_w'),
      deadline_slot_index: whole(
        0,
        Number.MAX_SAFE_INTEGER,
        'Last slot that may be used, counted from 0; past the last slot means all',
      ),
    },
    { title: 'ChargeTask' },
  ),
  device_profile: Type.Optional(
    Type.Object(
      {
        kind: Type.Enum([...DEVICE_TYPES, ...CONTROL_CAPABILITIES], {
          description:
            'Device type or control capability. charger, set_current: whole amperes. battery, set_battery_power: watts. vehicle, charge_control: start and stop. Others: on and off',
        }),
        voltage_v: Type.Optional(whole(1, 1_000, 'Phase to neutral; required for charger and set_current')),
        phases: Type.Optional(whole(1, 3, 'Required for charger and set_current')),
      },
      {
        title: 'DeviceProfile',
        description: 'With it, the plan has only what the device can do, and one command for every slot',
      },
    ),
  ),
});

export const PlanSchema = Type.Object(
  {
    slots: Type.Array(
      Type.Object({
        index: Type.Integer({ description: "Index in the request's prices" }),
        start: Type.Optional(
          Type.String({
            format: 'date-time',
            description: 'Start of the slot, if the request had it, RFC 3339',
          }),
        ),
        power_w: Type.Integer({ description: 'Planned power, W; 0 means no charging' }),
        expected_energy_wh: Type.Integer({ description: 'floor(power_w × duration_min / 60), Wh' }),
        price: decimal('Price of the request, per kWh, as a plain decimal'),
        reason: Type.Optional(
          Type.String({ description: 'Why it charges: its price rank, or "needed by the deadline"' }),
        ),
      }),
      { description: 'One item for every slot of the request' },
    ),
    total_energy_wh: Type.Integer({ description: 'Sum over the slots, Wh' }),
    total_cost: decimal('Σ price × expected_energy_wh / 1000, exact', '2.18224'),
    target_reachable: Type.Boolean({ description: 'Whether the plan reaches the target by the deadline' }),
    optimality: Type.Enum(['proven', 'bounded'], {
      description: 'proven: no plan under the same rules costs less. bounded: see lower_bound',
    }),
    lower_bound: Type.Optional(
      decimal('Only if bounded: no plan that charges as much costs less than this', '2.18'),
    ),
    binding: Type.Enum([...BINDINGS], {
      description: 'What prevents a cheaper plan, or more charging',
    }),
    commands: Type.Optional(
      Type.Array(
        Type.Object(
          { slot_index: Type.Integer({ minimum: 0, examples: [0] }), command: AnyCommand },
          { title: 'SlotCommand' },
        ),
        {
          description:
            'Only with a device_profile: one for every slot, in the format of POST /devices/{id}/command',
        },
      ),
    ),
  },
  { title: 'PlanOfPrices' },
);
