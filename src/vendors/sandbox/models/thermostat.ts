import Type from 'typebox';
import { HOUR_MS } from '../../../core/durations.ts';
import { between } from '../../../simulation/physics/chance.ts';
import { type Building, heatRoom, regimeOf } from '../../../simulation/physics/room.ts';
import { targetC } from './heating.ts';
import { model } from './model.ts';

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
