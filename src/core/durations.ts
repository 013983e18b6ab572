/** Lengths of time in milliseconds. A day is 24 hours: days of the calendar may have 23 or 25, see `swedish-days`. */
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
/** The shortest slot of the power market. */
export const QUARTER_MS = 15 * MINUTE_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
