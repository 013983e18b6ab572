import Type from 'typebox';

const switchedOn = Type.Boolean();
const powerKw = Type.Number();
const percent = Type.Number({ minimum: 0, maximum: 100 });

const charging = {
  pluggedIn: Type.Boolean(),
  charging: Type.Boolean(),
  powerKw,
  phase: Type.Enum(['disconnected', 'charging', 'paused', 'complete']),
};

/** Responses of the simulated cloud for each type of device, in its own fields and units. */
export const VehicleReading = Type.Object({ ...charging, batteryPercent: percent });
export const ChargerReading = Type.Object({
  ...charging,
  meterKwh: Type.Number(),
  headroomAmperes: Type.Number(),
});
export const HeatPumpReading = Type.Object({
  switchedOn,
  roomCelsius: Type.Number(),
  targetCelsius: Type.Number(),
  electricKw: Type.Number(),
  kwhToday: Type.Number(),
  heating: Type.Boolean(),
});
export const ThermostatReading = Type.Object({
  roomCelsius: Type.Number(),
  targetCelsius: Type.Number(),
  heating: Type.Boolean(),
});
export const SolarReading = Type.Object({ productionKw: Type.Number(), kwhToday: Type.Number() });
export const BatteryReading = Type.Object({ batteryPercent: percent, powerKw });
export const ApplianceReading = Type.Object({
  switchedOn,
  doorOpen: Type.Boolean(),
  powerKw,
  stage: Type.Enum(['off', 'ready', 'delayed', 'running', 'finished']),
  secondsLeft: Type.Number(),
  remoteStartAllowed: Type.Boolean(),
});
export const LightReading = Type.Object({
  switchedOn,
  brightness: Type.Number({ minimum: 0, maximum: 1 }),
  rgb: Type.Array(Type.Integer(), { minItems: 3, maxItems: 3 }),
  powerKw,
});
export const ElevatorReading = Type.Object({
  inService: Type.Boolean(),
  powerKw,
  meterKwh: Type.Number(),
  motion: Type.Enum(['up', 'down', 'still']),
});
export const PlantReading = Type.Object({
  running: Type.Boolean(),
  capped: Type.Boolean(),
  powerKw,
  meterKwh: Type.Number(),
  headroomKw: Type.Number(),
});

export type VehicleReading = Type.Static<typeof VehicleReading>;
export type ChargerReading = Type.Static<typeof ChargerReading>;
export type HeatPumpReading = Type.Static<typeof HeatPumpReading>;
export type ThermostatReading = Type.Static<typeof ThermostatReading>;
export type SolarReading = Type.Static<typeof SolarReading>;
export type BatteryReading = Type.Static<typeof BatteryReading>;
export type ApplianceReading = Type.Static<typeof ApplianceReading>;
export type LightReading = Type.Static<typeof LightReading>;
export type ElevatorReading = Type.Static<typeof ElevatorReading>;
export type PlantReading = Type.Static<typeof PlantReading>;
