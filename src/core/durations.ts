/** Durations in milliseconds. A day has 24 hours; calendar days may have 23 or 25, see `swedish-days`. */
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
/** The shortest price interval of the power market. */
export const QUARTER_MS = 15 * MINUTE_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
