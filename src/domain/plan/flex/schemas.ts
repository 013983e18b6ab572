import Type, { type Static } from 'typebox';

/** Members of one fleet. */
export const MEMBER_LIMIT = 1_000_000;

/** Whole numbers that every JSON reader keeps exactly (IEEE 754 double, RFC 8259 §6). */
const whole = (description: string, minimum = -Number.MAX_SAFE_INTEGER) =>
  Type.Integer({ minimum, maximum: Number.MAX_SAFE_INTEGER, description });

export const FleetMember = Type.Object(
  {
    id: Type.String({ minLength: 1, description: 'Unique in the fleet' }),
    baseline_w: whole('Power drawn without regulation, watts; negative means that it feeds power back'),
    min_w: whole('Lower end of the controllable range, watts'),
    max_w: whole('Upper end of the controllable range, watts'),
    priority: whole('Members are recruited in ascending order; equal ones in the order of the request'),
  },
  { title: 'FleetMember' },
);
export type FleetMember = Static<typeof FleetMember>;

const Fleet = Type.Array(FleetMember, {
  maxItems: MEMBER_LIMIT,
  examples: [
    [
      { id: 'car-1', baseline_w: 7_400, min_w: 0, max_w: 11_000, priority: 1 },
      { id: 'battery-1', baseline_w: 0, min_w: -5_000, max_w: 5_000, priority: 2 },
    ],
  ],
});

export const DispatchRequest = Type.Object(
  {
    direction: Type.Enum(['down', 'up'], {
      description: 'down: less power is drawn; up: more power is drawn',
    }),
    amount_w: Type.Integer({ ...whole('Requested change, watts', 0), examples: [9_000] }),
  },
  { title: 'RequestedChange' },
);
export type DispatchRequest = Static<typeof DispatchRequest>;

export const DispatchBody = Type.Object(
  { fleet: Fleet, request: DispatchRequest },
  { title: 'DispatchRequest' },
);

export const Period = Type.Object(
  {
    index: whole('Number of the period, echoed', 0),
    duration_min: Type.Integer({ ...whole('Length of the period, minutes', 1), examples: [60] }),
  },
  { title: 'Period' },
);
export type Period = Static<typeof Period>;

export const FlexibilityBody = Type.Object({ fleet: Fleet, period: Period }, { title: 'FlexibilityRequest' });

export const Skipped = Type.Object(
  { device_id: Type.String(), reason: Type.String() },
  { title: 'SkippedMember' },
);
export type Skipped = Static<typeof Skipped>;

const SkippedList = Type.Optional(
  Type.Array(Skipped, {
    description:
      'Members whose baseline is outside their own range; they are not changed. Present only if there are any',
  }),
);

export const Setpoint = Type.Object(
  {
    device_id: Type.String(),
    target_w: Type.Integer({ description: 'New absolute setpoint, watts' }),
    delta_w: Type.Integer({ description: 'Signed change from the baseline, watts' }),
  },
  { title: 'FleetSetpoint' },
);
export type Setpoint = Static<typeof Setpoint>;

export const Dispatched = Type.Object(
  {
    setpoints: Type.Array(Setpoint, { description: 'The recruited members, in the order of recruiting' }),
    delivered_w: Type.Integer({ minimum: 0, description: 'Change that the setpoints deliver, watts' }),
    shortfall_w: Type.Integer({ minimum: 0, description: 'Requested but not delivered, watts' }),
    skipped: SkippedList,
  },
  {
    title: 'Dispatch',
    examples: [
      {
        setpoints: [
          { device_id: 'car-1', target_w: 0, delta_w: -7_400 },
          { device_id: 'battery-1', target_w: -1_600, delta_w: -1_600 },
        ],
        delivered_w: 9_000,
        shortfall_w: 0,
      },
    ],
  },
);
export type Dispatched = Static<typeof Dispatched>;

export const FlexibilityAnswer = Type.Object(
  {
    up_w: Type.Integer({ description: 'How much more the fleet can draw than its baseline, watts' }),
    down_w: Type.Integer({ description: 'How much less the fleet can draw than its baseline, watts' }),
    baseline_w: Type.Integer({ description: 'Sum of all baselines, watts' }),
    period_index: Type.Integer({ description: 'Echo of period.index' }),
    skipped: SkippedList,
  },
  { title: 'Flexibility', examples: [{ up_w: 8_600, down_w: 12_400, baseline_w: 7_400, period_index: 1 }] },
);

/** As `FlexibilityAnswer`; a sum past 2^53 − 1 is a bigint, and on the wire an integer with all its digits. */
export interface Flexibility {
  readonly up_w: number | bigint;
  readonly down_w: number | bigint;
  readonly baseline_w: number | bigint;
  readonly period_index: number;
  readonly skipped?: readonly Skipped[];
}
