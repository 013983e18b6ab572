import type { Sample } from '../../adapter/charging.ts';
import { REGISTER } from './measurands.ts';
import { decimalIn, isMeasurable } from './numbers.ts';

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

/** The maximum number of sampled values stored per message: every measurand on every phase at ten moments. */
const MOST_SAMPLES = 200;

/** The readings of one message within `MOST_SAMPLES`, newest first: most of the older ones were reported before. */
export function lastOf<R extends { readonly samples: readonly Sample[] }>(readings: readonly R[]): R[] {
  let room = MOST_SAMPLES;
  const kept: R[] = [];
  for (const reading of readings.toReversed()) {
    if (room === 0) break;
    kept.unshift({ ...reading, samples: reading.samples.slice(0, room) });
    room -= Math.min(room, reading.samples.length);
  }
  return kept;
}

/** Conversion leaves digits like 150.06999999999998; a thousandth of a base unit is finer than any meter. */
function tidy(value: number): number {
  const rounded = Math.round(value * 1000) / 1000;
  return Number.isFinite(rounded) ? rounded + 0 : value;
}
