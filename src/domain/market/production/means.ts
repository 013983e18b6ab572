import { HOUR_MS, MINUTE_MS } from '../../../core/durations.ts';
import { midnight } from '../../../core/swedish-days.ts';
import { PRODUCTION_TYPES } from '../../../sources/contract/market.ts';
import { type HistoricProduction, type ProductionQuery, powerOf, roundedMw, type Unit } from './shapes.ts';
import type { StoredProduction } from './store.ts';

/** A range extended to whole hours or days. */
export function widened({ from, until, resolution }: ProductionQuery): { from: number; until: number } {
  if (resolution === 'slot') return { from, until };
  if (resolution === 'hour') return { from: hourOf(from), until: hourOf(until - 1) + HOUR_MS };
  return { from: midnight(from), until: midnight(until - 1, 1) };
}

const hourOf = (ms: number) => Math.floor(ms / HOUR_MS) * HOUR_MS;

/**
 * Slots by time, unchanged or as means per hour or day, weighted by their length. A kind that lacks a figure in some
 * slots is the mean of the others.
 */
export async function* inResolution(
  batches: AsyncIterable<readonly StoredProduction[]>,
  resolution: ProductionQuery['resolution'],
  unit: Unit,
): AsyncGenerator<readonly HistoricProduction[]> {
  let open: Mean | undefined;
  for await (const rows of batches) {
    const done: HistoricProduction[] = [];
    for (const row of rows) {
      if (open === undefined || row.start >= open.end) {
        if (open !== undefined) done.push(open.result());
        open = beginMean(row, spanOf(row, resolution));
      }
      open.add(row, unit);
    }
    if (done.length > 0) yield done;
  }
  if (open !== undefined) yield [open.result()];
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function spanOf(row: StoredProduction, resolution: ProductionQuery['resolution']): Span {
  switch (resolution) {
    case 'slot':
      return { start: row.start, end: row.start + row.length_min * MINUTE_MS };
    case 'hour':
      return { start: hourOf(row.start), end: hourOf(row.start) + HOUR_MS };
    case 'day':
      return { start: midnight(row.start), end: midnight(row.start, 1) };
  }
}

interface Mean extends Span {
  add(row: StoredProduction, unit: Unit): void;
  result(): HistoricProduction;
}

const COLUMNS = ['total', ...PRODUCTION_TYPES] as const;

function beginMean({ area, source }: StoredProduction, { start, end }: Span): Mean {
  const sums = COLUMNS.map(() => 0);
  const minutes = COLUMNS.map(() => 0);
  const mean = (column: (typeof COLUMNS)[number]): number | null => {
    const index = COLUMNS.indexOf(column);
    const covered = minutes[index] ?? 0;
    return covered === 0 ? null : roundedMw((sums[index] ?? 0) / covered);
  };
  return {
    start,
    end,
    add(row, unit) {
      for (const [index, column] of COLUMNS.entries()) {
        const figure = row[column];
        if (figure === null) continue;
        sums[index] = (sums[index] ?? 0) + powerOf(figure, row.length_min, unit) * row.length_min;
        minutes[index] = (minutes[index] ?? 0) + row.length_min;
      }
    },
    result: () => ({
      area,
      start,
      end,
      total: mean('total') ?? 0,
      hydro: mean('hydro'),
      nuclear: mean('nuclear'),
      wind: mean('wind'),
      solar: mean('solar'),
      thermal: mean('thermal'),
      other: mean('other'),
      source,
      covered_min: minutes[0] ?? 0,
    }),
  };
}
