import Type from 'typebox';
import { HOUR_MS } from '../../../core/durations.ts';
import { midnight } from '../../../core/swedish-days.ts';
import {
  type Building,
  energyWh,
  heatRoom,
  heatW,
  outdoorC,
  type Room,
  regimeOf,
} from '../../../proof/simulation/physics/room.ts';
import type { Span } from '../../../proof/simulation/physics/sun.ts';
import { between } from '../../../proof/simulation/physics/week.ts';
import { model, Refusal, TARGET_MILLI_C } from './model.ts';

/** A target temperature, milli-°C in and °C out. */
function targetC(milliC: number): number {
  const { least, most } = TARGET_MILLI_C;
  if (milliC < least || milliC > most) {
    throw new Refusal(
      'out_of_range',
      `target_milli_c must be from ${least} to ${most} (${least / 1_000} to ${most / 1_000} °C); got ${milliC}`,
    );
  }
  return milliC / 1_000;
}

/** A room of 20 m² with an electric radiator. */
const ROOM: Building = { lossWPerK: 40, timeConstant: 25 * HOUR_MS, maxHeatW: 1_500 };

const ThermostatState = Type.Object({ target_c: Type.Number(), room_c: Type.Number() });
type ThermostatState = Type.Static<typeof ThermostatState>;

/** A thermostat on the radiator of one room. */
export const thermostat = model<ThermostatState>({
  schema: ThermostatState,
  initial: (seed) => ({ target_c: 20, room_c: between(seed, 'room', [18, 20]) }),
  advance: (state, span) => ({
    ...state,
    room_c: heatRoom(ROOM, { roomC: state.room_c, targetC: state.target_c }, span).roomC,
  }),
  reading: (state, at) => ({
    roomCelsius: state.room_c,
    targetCelsius: state.target_c,
    heating: regimeOf(ROOM, { roomC: state.room_c, targetC: state.target_c }, at) !== 'free',
  }),
  orders: {
    set_temperature: (state, { target_milli_c }) => ({ ...state, target_c: targetC(target_milli_c) }),
  },
});

/** A detached house of the 1980s: a heat capacity of about 10 kWh/K. */
const HOUSE: Building = { lossWPerK: 170, timeConstant: 60 * HOUR_MS, maxHeatW: 8_000 };
/** Power of the pump while it is on and does not heat, W. */
const STANDBY_W = 10;

const HeatPumpState = Type.Object({
  on: Type.Boolean(),
  target_c: Type.Number(),
  room_c: Type.Number(),
  /** Electrical energy since midnight in Stockholm. */
  today_wh: Type.Number({ minimum: 0 }),
});
type HeatPumpState = Type.Static<typeof HeatPumpState>;

/** Heat per unit of electricity: about 3 at −5 °C and 4.1 at +10 °C outdoors, as usual for air-to-water pumps. */
const coefficientOfPerformance = (ms: number) => Math.min(5, Math.max(1.8, 3.4 + 0.07 * outdoorC(ms)));

const roomOf = (state: HeatPumpState): Room => ({
  roomC: state.room_c,
  targetC: state.on ? state.target_c : null,
});

const electricW = (heat: number, ms: number) => STANDBY_W + heat / coefficientOfPerformance(ms);

function advance(state: HeatPumpState, span: Span): HeatPumpState {
  const turn = midnight(span.to);
  if (turn > span.from) {
    const { roomC } = heatRoom(HOUSE, roomOf(state), { from: span.from, to: turn });
    return heatToday({ ...state, room_c: roomC, today_wh: 0 }, { from: turn, to: span.to });
  }
  return heatToday(state, span);
}

function heatToday(state: HeatPumpState, span: Span): HeatPumpState {
  const { roomC, pieces } = heatRoom(HOUSE, roomOf(state), span);
  let used = 0;
  for (const { regime, ...piece } of state.on ? pieces : [])
    used += energyWh((ms) => electricW(heatW(HOUSE, { regime, targetC: state.target_c }, ms), ms), piece);
  return { ...state, room_c: roomC, today_wh: state.today_wh + used };
}

/** An air-to-water heat pump and the house that it heats. */
export const heatPump = model<HeatPumpState>({
  schema: HeatPumpState,
  initial: (seed) => ({
    on: true,
    target_c: 21,
    room_c: between(seed, 'room', [19, 21]),
    today_wh: 0,
  }),
  advance,
  reading: (state, at) => {
    const regime = regimeOf(HOUSE, roomOf(state), at);
    const heat = state.on ? heatW(HOUSE, { regime, targetC: state.target_c }, at) : 0;
    return {
      switchedOn: state.on,
      roomCelsius: state.room_c,
      targetCelsius: state.target_c,
      electricKw: state.on ? electricW(heat, at) / 1_000 : 0,
      kwhToday: state.today_wh / 1_000,
      heating: heat > 0,
    };
  },
  orders: {
    turn_on: (state) => ({ ...state, on: true }),
    turn_off: (state) => ({ ...state, on: false }),
    set_temperature: (state, { target_milli_c }) => ({ ...state, target_c: targetC(target_milli_c) }),
  },
});
