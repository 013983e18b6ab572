import type { AvailableCapacity, Status } from '../../adapter/device.ts';
import type { Answer } from './client.ts';
import type {
  ApplianceReading,
  BatteryReading,
  ChargerReading,
  ElevatorReading,
  HeatPumpReading,
  LightReading,
  PlantReading,
  SolarReading,
  ThermostatReading,
  VehicleReading,
} from './payloads.ts';

const OFFLINE: Status = { online: false };

/** kW to W, kWh to Wh, °C to milli-°C; null while the device is unreachable. */
export function thousandfold<Reading>(field: (reading: Reading) => number) {
  return (answer: Answer<Reading>) => (answer === null ? null : field(answer) * 1_000);
}

/**
 * Whole percent, rounded down, so that a battery that still charges never reads as at its limit or full. The millionth compensates
 * for binary fractions.
 */
export function batterySoc(answer: Answer<{ batteryPercent: number }>): number | null {
  return answer === null ? null : Math.floor(answer.batteryPercent + 1e-6);
}

export function chargingStatus(answer: Answer<VehicleReading | ChargerReading>): Status {
  if (answer === null) return OFFLINE;
  const { pluggedIn, charging, phase } = answer;
  return { online: true, connected: pluggedIn, charging, operation_state: phase };
}

const heatingLabel = ({ heating, targetCelsius }: Pick<ThermostatReading, 'heating' | 'targetCelsius'>) =>
  `${heating ? 'heating' : 'idle'}, target ${targetCelsius} °C`;

export function heatPumpStatus(answer: Answer<HeatPumpReading>): Status {
  if (answer === null) return OFFLINE;
  const { switchedOn } = answer;
  return {
    online: true,
    power_on: switchedOn,
    operation_state: switchedOn ? heatingLabel(answer) : 'off',
  };
}

export function thermostatStatus(answer: Answer<ThermostatReading>): Status {
  return answer === null ? OFFLINE : { online: true, operation_state: heatingLabel(answer) };
}

export function solarStatus(answer: Answer<SolarReading>): Status {
  if (answer === null) return OFFLINE;
  return { online: true, operation_state: answer.productionKw > 0 ? 'producing' : 'night' };
}

export function batteryStatus(answer: Answer<BatteryReading>): Status {
  if (answer === null) return OFFLINE;
  const { powerKw } = answer;
  const giving = powerKw < 0 ? 'discharging' : 'idle';
  return { online: true, charging: powerKw > 0, operation_state: powerKw > 0 ? 'charging' : giving };
}

export function applianceStatus(answer: Answer<ApplianceReading>): Status {
  if (answer === null) return OFFLINE;
  return {
    online: true,
    power_on: answer.switchedOn,
    operation_state: answer.stage,
    remaining_seconds: Math.ceil(answer.secondsLeft),
    door_open: answer.doorOpen,
  };
}

export function lightStatus(answer: Answer<LightReading>): Status {
  if (answer === null) return OFFLINE;
  const light = `dim ${Math.round(answer.brightness * 100)}, color ${answer.rgb.join(',')}`;
  return { online: true, power_on: answer.switchedOn, operation_state: light };
}

export function elevatorStatus(answer: Answer<ElevatorReading>): Status {
  if (answer === null) return OFFLINE;
  const doing = { up: 'moving up', down: 'moving down', still: 'waiting' }[answer.motion];
  return {
    online: true,
    power_on: answer.inService,
    operation_state: answer.inService ? doing : 'out of service',
  };
}

export function plantStatus(answer: Answer<PlantReading>): Status {
  if (answer === null) return OFFLINE;
  const running = answer.capped ? 'running, limited' : 'running';
  return { online: true, power_on: answer.running, operation_state: answer.running ? running : 'off' };
}

/** Whole amperes, rounded down so that using them never blows the fuse. */
export function chargerCapacity(answer: Answer<ChargerReading>): AvailableCapacity {
  return { current_a: answer === null ? null : Math.floor(answer.headroomAmperes), power_w: null };
}

export function plantCapacity(answer: Answer<PlantReading>): AvailableCapacity {
  return { current_a: null, power_w: answer === null ? null : Math.floor(answer.headroomKw * 1_000) };
}
