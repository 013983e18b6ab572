import type { TransactionRow } from './store.ts';

export const ESTIMATES = ['meter_start_wh', 'meter_stop_wh', 'ended_at'] as const;
export type Estimate = (typeof ESTIMATES)[number];

/** The columns that mark estimates. */
const MARKS = {
  meter_start_wh: 'start_estimated',
  meter_stop_wh: 'stop_estimated',
  ended_at: 'end_estimated',
} as const satisfies Record<Estimate, keyof TransactionRow>;

/** Values that the station did not report, taken from the first or last reading of the transaction. */
export const estimatesOf = (row: TransactionRow): Estimate[] =>
  ESTIMATES.filter((estimate) => row[MARKS[estimate]] === 1);
