import Type from 'typebox';
import type { CommandOf } from '../../../adapter/commands.ts';
import { inRange, model, Refusal } from './model.ts';

const STANDBY_W = 0.4;
const FULL_W = 12;

const LightState = Type.Object({
  on: Type.Boolean(),
  dim: Type.Integer({ minimum: 0, maximum: 100 }),
  color: Type.Array(Type.Integer({ minimum: 0, maximum: 255 }), { minItems: 3, maxItems: 3 }),
});
type LightState = Type.Static<typeof LightState>;

/** Dimming to 0 switches the lamp off and keeps the last brightness for the next time; any other dimming switches it on. */
function withLight(state: LightState, { dim, color }: CommandOf<'set_light'>): LightState {
  if (dim === undefined && color === undefined) throw new Refusal('out_of_range', 'set dim, color or both');
  for (const part of color ?? []) inRange('each part of color', part, { least: 0, most: 255 });
  const coloured = color === undefined ? state : { ...state, color };
  if (dim === undefined) return coloured;
  inRange('dim', dim, { least: 0, most: 100 });
  return dim === 0 ? { ...coloured, on: false } : { ...coloured, on: true, dim };
}

/** A lamp of 12 W whose power follows its brightness. */
export const light = model<LightState>({
  schema: LightState,
  initial: () => ({ on: true, dim: 100, color: [255, 214, 170] }),
  advance: (state) => state,
  reading: (state) => ({
    switchedOn: state.on,
    brightness: state.dim / 100,
    rgb: state.color,
    powerKw: (state.on ? STANDBY_W + ((FULL_W - STANDBY_W) * state.dim) / 100 : STANDBY_W) / 1_000,
  }),
  orders: {
    turn_on: (state) => ({ ...state, on: true }),
    turn_off: (state) => ({ ...state, on: false }),
    set_light: withLight,
  },
});
