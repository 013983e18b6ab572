import type { Usage } from '../api/shapes.ts';

/** How calls ended, in the order in which bars are stacked, with the colour of each. */
export const OUTCOMES = [
  { name: 'succeeded', series: 2 },
  { name: 'refused', series: 3 },
  { name: 'failed', series: 4 },
] as const;

export type Outcomes = Usage['days'][number]['connect'];

/** Calls of a day on both services. */
export interface DayTotal extends Outcomes {
  /** UTC, as in 2026-11-21. */
  readonly day: string;
}

export const callsOf = ({ succeeded, refused, failed }: Outcomes): number => succeeded + refused + failed;

export const dayTotals = (days: Usage['days']): readonly DayTotal[] =>
  days.map(({ day, connect, grid }) => ({
    day,
    succeeded: connect.succeeded + grid.succeeded,
    refused: connect.refused + grid.refused,
    failed: connect.failed + grid.failed,
  }));
