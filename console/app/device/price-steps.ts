/* The colours of prices are those of Grid's front page: a colour means the same everywhere, as test/price-colors.test.ts holds. */

/** SEK per kWh without VAT and tax, from which the next step begins. */
const LIMITS = [0.1, 0.3, 0.6, 1.2];

/** The step of a spot price, SEK per kWh: 1 is cheap, 5 is dear. */
export const stepOf = (price: number): number => 1 + LIMITS.filter((limit) => price >= limit).length;
