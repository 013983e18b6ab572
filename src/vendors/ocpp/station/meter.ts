import type { Sample } from '../../../adapter/charging.ts';
import { NOMINAL_VOLTS } from '../translate.ts';
import { decimalIn, isMeasurable } from '../wire/values.ts';
import { REGISTER } from './setup.ts';

/** The values in one set of samples; null: not reported. */
export interface Figures {
  /** Active power, watt; negative when the car gives back. */
  readonly power_w: number | null;
  /** The meter's import register, watt-hours. */
  readonly register_wh: number | null;
  /** Energy imported since the previous set, watt-hours; sent by stations without a register. */
  readonly interval_wh: number | null;
  /** Phases that carried current, 1–3. */
  readonly phases: number | null;
}

/** A phase below this does not charge: it is standby current and measuring noise. */
const IDLE_AMPERES = 0.5;

const LINES = ['L1', 'L2', 'L3'] as const;
type Line = (typeof LINES)[number];

interface Measured {
  /** The value without a phase tag: the station's own total. */
  readonly total: number | null;
  readonly lines: ReadonlyMap<Line, number>;
}

/** Reads power, energy and phases from samples of one moment, however the phases are tagged. */
export function figuresOf(samples: readonly Sample[]): Figures {
  const current = measured(samples, 'Current.Import', 'A');
  return {
    power_w: powerOf(samples, current),
    register_wh: sumOf(measured(samples, 'Energy.Active.Import.Register', 'Wh')),
    interval_wh: sumOf(measured(samples, 'Energy.Active.Import.Interval', 'Wh')),
    phases: phasesOf(samples, current),
  };
}

function powerOf(samples: readonly Sample[], current: Measured): number | null {
  const taken = sumOf(measured(samples, 'Power.Active.Import', 'W'));
  const given = sumOf(measured(samples, 'Power.Active.Export', 'W'));
  if (taken !== null || given !== null) return (taken ?? 0) - (given ?? 0);
  const voltage = measured(samples, 'Voltage', 'V');
  const average = averageOf(voltage) ?? NOMINAL_VOLTS;
  if (current.lines.size > 0) {
    return [...current.lines].reduce(
      (watts, [line, amperes]) => watts + amperes * (voltage.lines.get(line) ?? average),
      0,
    );
  }
  // One current for all phases: as many phases as there are voltages tagged, else one.
  return current.total === null ? null : current.total * average * Math.max(voltage.lines.size, 1);
}

/**
 * A station that tags every phase shows which ones are idle. For a single current (a total, or the first phase) the number
 * follows from the measured power: power / (voltage × current) is then a whole number.
 */
function phasesOf(samples: readonly Sample[], current: Measured): number | null {
  if (current.lines.size < LINES.length) return phasesByPower(samples, current);
  const busy = [...current.lines.values()].filter((amperes) => amperes > IDLE_AMPERES).length;
  return busy === 0 ? null : busy;
}

/** Below this, rounding and the car's electronics make the quotient meaningless. */
const LEAST_USABLE_AMPERES = 3;
/** How far from a whole number the quotient may be. */
const TOLERATED = 0.25;
/** A higher voltage is one between two phases. */
const LARGEST_TO_NEUTRAL = 300;

function phasesByPower(samples: readonly Sample[], current: Measured): number | null {
  const power = sumOf(measured(samples, 'Power.Active.Import', 'W'));
  const amperes = current.total ?? Math.max(0, ...current.lines.values());
  if (power === null || amperes < LEAST_USABLE_AMPERES || current.lines.size > 1) return null;
  const reported = averageOf(measured(samples, 'Voltage', 'V')) ?? NOMINAL_VOLTS;
  const volts = reported > LARGEST_TO_NEUTRAL ? reported / Math.sqrt(3) : reported;
  const quotient = power / (volts * amperes);
  const phases = Math.round(quotient);
  return phases >= 1 && phases <= 3 && Math.abs(quotient - phases) <= TOLERATED ? phases : null;
}

/** The current samples of one measurand at the outlet: never the car's own, and those of Transaction.Begin only as a last resort. */
function relevant(samples: readonly Sample[], measurand: string, unit: string): Sample[] {
  const all = samples.filter(
    (sample) => sample.measurand === measurand && sample.unit === unit && sample.location !== 'EV',
  );
  const later = all.filter((sample) => sample.context !== 'Transaction.Begin');
  const now = later.length > 0 ? later : all;
  const place = now.some((sample) => sample.location === 'Outlet') ? 'Outlet' : now[0]?.location;
  return now.filter((sample) => sample.location === place);
}

function measured(samples: readonly Sample[], measurand: string, unit: string): Measured {
  let total: number | null = null;
  const lines = new Map<Line, number>();
  for (const { phase, value } of relevant(samples, measurand, unit)) {
    if (phase === undefined) total = value;
    else {
      // `L1` and `L1-N` are the same line here; `L1-L2` is a voltage between lines, and `N` is not a phase.
      const line = LINES.find((name) => phase === name || phase === `${name}-N`);
      if (line !== undefined) lines.set(line, value);
    }
  }
  return { total, lines };
}

const sumOf = ({ total, lines }: Measured): number | null =>
  total ?? (lines.size === 0 ? null : [...lines.values()].reduce((sum, value) => sum + value, 0));

const averageOf = ({ total, lines }: Measured): number | null =>
  total ??
  (lines.size === 0 ? null : [...lines.values()].reduce((sum, value) => sum + value, 0) / lines.size);

/** One sampled value as sent: 1.6 has the value as text and a `unit`, 2.0.1 a number and a `unitOfMeasure`. */
export interface SampledValue {
  readonly value: string | number;
  readonly context?: string;
  readonly format?: string;
  readonly measurand?: string;
  readonly phase?: string;
  readonly location?: string;
  readonly unit?: string;
  readonly unitOfMeasure?: { readonly unit?: string; readonly multiplier?: number };
}

export interface MeterValue {
  readonly timestamp: string;
  readonly sampledValue: readonly SampledValue[];
}

/** Every unit of both protocols, and the misspelling that 1.6 allows, with its base unit. */
const UNITS: ReadonlyMap<string, { readonly unit: string; readonly toBase: (value: number) => number }> =
  new Map(
    [
      ...['Wh', 'varh', 'VAh', 'W', 'VA', 'var', 'A', 'V', 'Percent', 'Hertz'].map(
        (unit) => [unit, { unit, toBase: (value: number) => value }] as const,
      ),
      ...['Wh', 'varh', 'VAh', 'W', 'VA', 'var', 'A', 'V'].map(
        (unit) => [`k${unit}`, { unit, toBase: (value: number) => value * 1000 }] as const,
      ),
      ['Hz', { unit: 'Hertz', toBase: (value: number) => value }] as const,
      ['Celsius', { unit: 'Celsius', toBase: (value: number) => value }] as const,
      ['Celcius', { unit: 'Celsius', toBase: (value: number) => value }] as const,
      ['K', { unit: 'Celsius', toBase: (value: number) => value - 273.15 }] as const,
      ['Fahrenheit', { unit: 'Celsius', toBase: (value: number) => ((value - 32) * 5) / 9 }] as const,
    ].map(([name, conversion]) => [name.toLowerCase(), conversion]),
  );

/** The unit of a measurand when the station names none. */
function unitOf(measurand: string): string {
  if (measurand.startsWith('Energy.Reactive')) return 'varh';
  if (measurand.startsWith('Energy.Apparent')) return 'VAh';
  if (measurand.startsWith('Energy')) return 'Wh';
  if (measurand.startsWith('Power.Reactive')) return 'var';
  if (measurand === 'Power.Factor' || measurand === 'RPM') return '';
  if (measurand.startsWith('Power')) return 'W';
  if (measurand.startsWith('Current')) return 'A';
  if (measurand === 'Voltage') return 'V';
  if (measurand === 'Frequency') return 'Hertz';
  if (measurand === 'Temperature') return 'Celsius';
  return 'Percent';
}

function numberOf(value: string | number): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  return decimalIn(value);
}

/**
 * One sampled value in base units with the protocol's defaults filled in (1.6 §7.43, 2.0.1 SampledValueType). Null when it holds
 * no usable number: signed meter data, text, or a value that no meter can show.
 */
export function sampleOf(sampled: SampledValue): Sample | null {
  if (sampled.format === 'SignedData') return null;
  const measurand = sampled.measurand ?? REGISTER;
  const value = numberOf(sampled.value);
  const multiplier = sampled.unitOfMeasure?.multiplier ?? 0;
  if (value === null || Math.abs(multiplier) > 12) return null;
  const named = sampled.unit ?? sampled.unitOfMeasure?.unit ?? unitOf(measurand);
  const conversion = UNITS.get(named.toLowerCase());
  const scaled = value * 10 ** multiplier;
  const base = conversion === undefined ? scaled : conversion.toBase(scaled);
  if (!isMeasurable(base)) return null;
  return {
    measurand,
    value: tidy(base),
    unit: conversion?.unit ?? named,
    ...(sampled.phase !== undefined && { phase: sampled.phase }),
    location: sampled.location ?? 'Outlet',
    context: sampled.context ?? 'Sample.Periodic',
  };
}

export function samplesOf(meterValue: MeterValue): Sample[] {
  return meterValue.sampledValue.map(sampleOf).filter((sample) => sample !== null);
}

/** Conversion leaves digits like 150.06999999999998; a thousandth of a base unit is finer than any meter. */
function tidy(value: number): number {
  const rounded = Math.round(value * 1000) / 1000;
  return Number.isFinite(rounded) ? rounded + 0 : value;
}
