import Type from 'typebox';
import type { CommandOf } from '../../../adapter/commands.ts';
import { SECOND_MS } from '../../../core/durations.ts';
import { DELAY_SECONDS, inRange, model, PROGRAM_SECONDS, Refusal } from './model.ts';

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

const ApplianceState = Type.Object({
  on: Type.Boolean(),
  /** When the programme starts or started, simulated ms; null when none was started. */
  starts_at: Type.Union([Type.Number(), Type.Null()]),
  /** Absent while remote start is allowed, as in states stored before it could be forbidden. */
  remote_start_forbidden: Type.Optional(Type.Literal(true)),
});
type ApplianceState = Type.Static<typeof ApplianceState>;

/** A 60 °C wash: the power until each second. */
const PHASES = [
  { until: 1_500, watts: 2_000 },
  { until: 3_900, watts: 120 },
  { until: 4_800, watts: 80 },
  { until: PROGRAM_SECONDS, watts: 450 },
];
const IDLE_W = 2;

type Stage = 'off' | 'ready' | 'delayed' | 'running' | 'finished';

/** The stage of the programme. It follows from the start time, so nothing has to advance. */
function stageOf({ on, starts_at }: ApplianceState, at: number): { stage: Stage; elapsed: number } {
  if (!on) return { stage: 'off', elapsed: 0 };
  if (starts_at === null) return { stage: 'ready', elapsed: 0 };
  const elapsed = (at - starts_at) / SECOND_MS;
  if (elapsed < 0) return { stage: 'delayed', elapsed: 0 };
  return elapsed < PROGRAM_SECONDS ? { stage: 'running', elapsed } : { stage: 'finished', elapsed };
}

function powerW(stage: Stage, elapsed: number): number {
  if (stage === 'off') return 0;
  if (stage !== 'running') return IDLE_W;
  return PHASES.find(({ until }) => elapsed < until)?.watts ?? IDLE_W;
}

function startingAt(state: ApplianceState, at: number, delaySeconds: number): ApplianceState {
  const { stage } = stageOf(state, at);
  if (stage === 'off') throw new Refusal('refused', 'the appliance is switched off');
  if (state.remote_start_forbidden)
    throw new Refusal('remote_start_not_allowed', 'remote start is not allowed at the appliance');
  if (stage === 'running') throw new Refusal('refused', 'a programme is running already');
  return { ...state, starts_at: at + delaySeconds * SECOND_MS };
}

/** A washing machine with one programme of 90 minutes. */
export const appliance = model<ApplianceState>({
  schema: ApplianceState,
  initial: () => ({ on: true, starts_at: null }),
  advance: (state) => state,
  reading: (state, at) => {
    const { stage, elapsed } = stageOf(state, at);
    const left = {
      off: 0,
      ready: 0,
      delayed: PROGRAM_SECONDS,
      running: PROGRAM_SECONDS - elapsed,
      finished: 0,
    };
    return {
      switchedOn: state.on,
      doorOpen: false,
      powerKw: powerW(stage, elapsed) / 1_000,
      stage,
      secondsLeft: left[stage],
      remoteStartAllowed: state.remote_start_forbidden !== true,
    };
  },
  allowStart: ({ remote_start_forbidden: _before, ...state }, isAllowed) =>
    isAllowed ? state : { ...state, remote_start_forbidden: true },
  orders: {
    turn_on: (state) => ({ ...state, on: true }),
    turn_off: (state) => ({ ...state, on: false, starts_at: null }),
    start_program: (state, _command, at) => startingAt(state, at, 0),
    stop_program: (state) => ({ ...state, starts_at: null }),
    delayed_start: (state, { delay_seconds }, at) =>
      startingAt(state, at, inRange('delay_seconds', delay_seconds, DELAY_SECONDS)),
  },
});
