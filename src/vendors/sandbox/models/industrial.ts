import Type from 'typebox';
import type { CommandOf } from '../../../adapter/commands.ts';
import { between } from '../../../simulation/physics/chance.ts';
import type { Span } from '../../../simulation/physics/stockholm.ts';
import { routineWh, weekTime } from '../../../simulation/physics/week.ts';
import { PLANT_LIMITS } from '../ratings.ts';
import { Ending, endingOf, endingWithin, hasCome } from './ending.ts';
import { inRange, model, Refusal } from './model.ts';

const PlantState = Type.Object({
  on: Type.Boolean(),
  max_w: Type.Integer(),
  /** Absent in states stored before limits could end. */
  max_ends: Type.Optional(Ending),
  meter_wh: Type.Number({ minimum: 0 }),
});
type PlantState = Type.Static<typeof PlantState>;

const sizeOf = (seed: string) => between(seed, 'size', [0.8, 1.1]);

/** The power that the plant needs in an hour of the week, watt: two shifts on weekdays, a base load otherwise. */
function wantedW(size: number, hour: number): number {
  const ofDay = hour % 24;
  const working = hour < 120 && ofDay >= 6 && ofDay < 22;
  return size * (working ? 260_000 + 120_000 * Math.sin((Math.PI * (ofDay - 6)) / 16) : 90_000);
}

function drawsW(state: PlantState, size: number, hour: number): number {
  return state.on ? Math.min(state.max_w, wantedW(size, hour)) : 0;
}

function turned(state: PlantState, at: number): PlantState {
  const { max_ends: ending } = state;
  return hasCome(ending, at) ? { ...state, max_w: ending.follows, max_ends: null } : state;
}

function withMaximum(state: PlantState, command: CommandOf<'set_limit'>, at: number): PlantState {
  const { max_w, then_w = PLANT_LIMITS.max_w } = command;
  if (max_w === undefined) throw new Refusal('wrong_axis', 'the plant limits by power only; set max_w');
  const range = { least: PLANT_LIMITS.min_w, most: PLANT_LIMITS.max_w };
  return {
    ...state,
    max_w: inRange('max_w', max_w, range),
    max_ends: endingOf(command, at, inRange('then_w', then_w, range)),
  };
}

function advance(state: PlantState, span: Span, seed: string): PlantState {
  const size = sizeOf(seed);
  const used = routineWh(({ hour, seconds }) => (drawsW(state, size, hour) * seconds) / 3_600, span);
  return { ...state, meter_wh: state.meter_wh + used };
}

/** A plant whose power can be limited. */
export const industrial = model<PlantState>({
  schema: PlantState,
  initial: (seed) => ({ on: true, max_w: PLANT_LIMITS.max_w, meter_wh: between(seed, 'meter', [1e9, 5e9]) }),
  advance: endingWithin({ endings: (state) => [state.max_ends ?? null], turned }, advance),
  reading: (state, at, seed) => {
    const watts = drawsW(state, sizeOf(seed), weekTime(at).hour);
    return {
      running: state.on,
      capped: state.on && watts >= state.max_w,
      powerKw: watts / 1_000,
      meterKwh: state.meter_wh / 1_000,
      headroomKw: (state.max_w - watts) / 1_000,
    };
  },
  orders: {
    turn_on: (state) => ({ ...state, on: true }),
    turn_off: (state) => ({ ...state, on: false }),
    set_limit: withMaximum,
  },
});
