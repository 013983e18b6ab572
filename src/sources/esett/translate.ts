import { HttpFailure } from '../../adapter/http.ts';
import { HOUR_MS, QUARTER_MS } from '../../core/durations.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { PRICE_AREA_FACTS, PRICE_AREAS, type PriceArea, type ProducedInterval } from '../contract/market.ts';

/** So many slots that all start on the hour are hours, not quarters with three of four missing. */
const ENOUGH_FOR_HOURS = 20;

/** `2025-11-02T00:00:00Z`; a time without a zone is also UTC. */
const MOMENT = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?)Z?$/;

/**
 * Rows of EXP16/Volumes as our intervals, by start then area. Keyed on `timestampUTC`: the local `timestamp` occurs twice
 * when summer time ends. Offshore wind counts as wind; storage, which may be negative, counts with the other kinds.
 * Rows of areas that are not Swedish are left out. Throws an `HttpFailure` of kind `answer_invalid`.
 */
export function translateVolumes(answer: Json): ProducedInterval[] {
  if (!Array.isArray(answer)) throw invalid('it is not a list of rows');
  const rows = answer.flatMap((row, index) => readRow(row, index) ?? []);
  const starts = new Set(rows.map(({ start }) => start));
  const isHourly = starts.size >= ENOUGH_FOR_HOURS && [...starts].every((start) => start % HOUR_MS === 0);
  return rows
    .map((row) => ({ ...row, end: row.start + (isHourly ? HOUR_MS : QUARTER_MS) }))
    .sort((a, b) => a.start - b.start || a.area.localeCompare(b.area));
}

function readRow(row: Json, index: number): Omit<ProducedInterval, 'end'> | undefined {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) {
    throw invalid(`row ${index} is not an object`);
  }
  const area = areaOf(row.mba);
  if (area === undefined) return undefined;
  const figure = (name: string) => figureOf(row, name, index);
  return {
    area,
    start: startOf(row, index),
    total: figure('total'),
    hydro: figure('hydro'),
    nuclear: figure('nuclear'),
    wind: sum(figure('wind'), figure('windOffshore')),
    solar: figure('solar'),
    thermal: figure('thermal'),
    other: sum(figure('energyStorage'), figure('other')),
  };
}

/** Rows name the area; the register of areas has its EIC. */
function areaOf(mba: Json | undefined): PriceArea | undefined {
  return PRICE_AREAS.find((area) => mba === area || mba === PRICE_AREA_FACTS[area].eic);
}

function startOf(row: JsonObject, index: number): number {
  const written = row.timestampUTC;
  const moment = typeof written === 'string' ? MOMENT.exec(written)?.[1] : undefined;
  const start = moment === undefined ? Number.NaN : Date.parse(`${moment}Z`);
  if (Number.isNaN(start)) throw invalid(`row ${index} has no timestampUTC such as 2025-11-02T00:00:00Z`);
  return start;
}

function figureOf(row: JsonObject, name: string, index: number): number | null {
  const value = row[name] ?? null;
  if (value === null) return null;
  // 1e999 is valid JSON, and parses to Infinity.
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw invalid(`row ${index} has a ${name} that is not a number`);
  }
  return value;
}

function sum(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : a + b;
}

function invalid(what: string): HttpFailure {
  return new HttpFailure('answer_invalid', `the response of eSett was not understood: ${what}`);
}
