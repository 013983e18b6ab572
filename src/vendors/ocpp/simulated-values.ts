import type { Quirks } from './simulated-options.ts';
import { PHASES, type SimulatedPlug, VOLTS } from './simulated-plug.ts';

interface Value {
  readonly value: number;
  readonly measurand: string;
  readonly unit: string;
  readonly phase?: string;
}

/** What a simulated station measures at one connector now. */
export function valuesOf(plug: SimulatedPlug, quirks: Quirks): Value[] {
  const lines = quirks.phasesToo === true ? ['L1', 'L2', 'L3'] : [];
  return [
    quirks.kilowattHours === true
      ? { value: plug.meterWh / 1000, measurand: 'Energy.Active.Import.Register', unit: 'kWh' }
      : { value: Math.round(plug.meterWh), measurand: 'Energy.Active.Import.Register', unit: 'Wh' },
    ...lines.map((phase) => ({
      value: plug.watts / PHASES,
      measurand: 'Power.Active.Import',
      unit: 'W',
      phase,
    })),
    { value: plug.watts, measurand: 'Power.Active.Import', unit: 'W' },
    { value: plug.amperes, measurand: 'Current.Import', unit: 'A', phase: 'L1' },
    { value: VOLTS, measurand: 'Voltage', unit: 'V', phase: 'L1-N' },
  ];
}
