/*
 * The colours of prices. The limits are the same every day and in every area, so that a colour always means the same; they part the
 * spot prices of recent years about evenly.
 */

/** SEK per kWh without VAT and tax, from which the next step begins. */
export const STEP_LIMITS = [0.1, 0.3, 0.6, 1.2] as const;

/** Steps from cheap to dear, with the classes `step-1` to `step-5`. */
export const STEPS = [1, 2, 3, 4, 5] as const;
export type Step = (typeof STEPS)[number];

/** The step of a spot price, SEK per kWh. */
export const stepOf = (price: number): Step =>
  STEPS[STEP_LIMITS.filter((limit) => price >= limit).length] ?? 5;
