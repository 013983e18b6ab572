import Type from 'typebox';
import { CONTROL_CAPABILITIES } from '../../adapter/capabilities.ts';
import { COMMANDS } from '../../adapter/commands.ts';
import { DEVICE_TYPES } from '../../adapter/device.ts';
import { BINDINGS } from './explain.ts';
import { MOST_CAPACITY_WH, MOST_MINUTES, MOST_SLOTS, MOST_WATTS } from './request.ts';

const whole = (minimum: number, maximum: number, description: string) =>
  Type.Integer({ minimum, maximum, description });

/** The request as the document describes it; `checkRequest` judges it, and says what would be right. */
export const PlanRequestSchema = Type.Object({
  prices: Type.Array(
    Type.Object({
      duration_min: whole(1, MOST_MINUTES, 'Length of the slot, minutes; slots may differ'),
      price: Type.Union([Type.String(), Type.Number()], {
        description: 'Per kWh; any finite decimal of at most 30 digits, negative too',
      }),
      start: Type.Optional(
        Type.Unknown({
          description: 'When the slot starts; a moment in RFC 3339 is told again in the plan',
        }),
      ),
    }),
    { minItems: 1, maxItems: MOST_SLOTS },
  ),
  task: Type.Object({
    current_soc: whole(0, 100, 'State of charge now, percent'),
    target_soc: whole(0, 100, 'State of charge wanted, percent'),
    capacity_wh: whole(1, MOST_CAPACITY_WH, 'Usable battery capacity, Wh'),
    max_power_w: whole(1, MOST_WATTS, 'Most power, W'),
    min_power_w: whole(0, MOST_WATTS, 'Least power while it charges, W; at most max_power_w'),
    deadline_slot_index: whole(
      0,
      Number.MAX_SAFE_INTEGER,
      'Slots 0 to this one may be used; past the last slot means all',
    ),
  }),
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
      { description: 'When given, the plan holds what the device can do, and a command for every slot' },
    ),
  ),
});

export const PlanSchema = Type.Object({
  slots: Type.Array(
    Type.Object({
      index: Type.Integer({ description: "Place in the request's prices" }),
      start: Type.Optional(Type.String({ description: 'When it starts, where its price said so, RFC 3339' })),
      power_w: Type.Integer({ description: 'Planned power, W; 0 when it does not charge' }),
      expected_energy_wh: Type.Integer({ description: 'floor(power_w × duration_min / 60), Wh' }),
      price: Type.String({ description: 'The price, as a plain decimal' }),
      reason: Type.Optional(
        Type.String({ description: 'Why it charges: its price rank, or "needed by the deadline"' }),
      ),
    }),
    { description: 'One for every slot of the request' },
  ),
  total_energy_wh: Type.Integer({ description: 'Sum over the slots, Wh' }),
  total_cost: Type.String({ description: 'Σ price × expected_energy_wh / 1000, exact' }),
  target_reachable: Type.Boolean({ description: 'The plan reaches the target by the deadline' }),
  optimality: Type.Enum(['proven', 'bounded'], {
    description: 'proven: no plan that keeps the same rules costs less. bounded: see lower_bound',
  }),
  lower_bound: Type.Optional(
    Type.String({ description: 'Only when bounded: no plan that charges as much costs less' }),
  ),
  binding: Type.Enum([...BINDINGS], {
    description: 'What keeps the plan from being cheaper, or from charging more',
  }),
  commands: Type.Optional(
    Type.Array(Type.Object({ slot_index: Type.Integer(), command: Type.Union(Object.values(COMMANDS)) }), {
      description: 'Only with a device profile: one for every slot, as POST /devices/{id}/command takes it',
    }),
  ),
});
