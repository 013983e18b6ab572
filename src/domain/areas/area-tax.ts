import type { PriceArea } from '../../sources/contract/market.ts';
import type { EnergyTax, Tax } from '../tax/index.ts';
import type { PostalCodeRow } from './tables.ts';

/** The energy tax of a price area, whose municipalities may have two rates. */
export interface AreaTax {
  /** The rate of most of its postal codes. */
  readonly energy_tax: EnergyTax;
  /** Whether that year's rate is not decided yet and the latest one is used instead. */
  readonly is_forecast: boolean;
  /** The rate of its other municipalities; null when all have the same. */
  readonly other: EnergyTax | null;
  /** How many municipalities have the other rate, and how many there are. */
  readonly other_count: number;
  readonly count: number;
}

/** Finds the energy tax of a price area on a day; null before the first known rate. */
export function indexAreaTax(
  rows: readonly Pick<PostalCodeRow, 'elomrade' | 'municipality'>[],
  tax: Pick<Tax, 'on' | 'isForecast'>,
): (area: PriceArea, day: string) => AreaTax | null {
  const codesOf = new Map<PriceArea, Map<string, number>>();
  for (const { elomrade, municipality } of rows) {
    const codes = codesOf.get(elomrade) ?? new Map<string, number>();
    codesOf.set(elomrade, codes.set(municipality, (codes.get(municipality) ?? 0) + 1));
  }
  return (area, day) => {
    const rates = new Map<boolean, { tax: EnergyTax; codes: number; municipalities: number }>();
    for (const [municipality, codes] of codesOf.get(area) ?? []) {
      const own = tax.on(municipality, day);
      if (own === null) return null;
      const rate = rates.get(own.reduced) ?? { tax: own, codes: 0, municipalities: 0 };
      rate.codes += codes;
      rate.municipalities += 1;
      rates.set(own.reduced, rate);
    }
    const [most, other] = [...rates.values()].toSorted((a, b) => b.codes - a.codes);
    if (most === undefined) return null;
    return {
      energy_tax: most.tax,
      is_forecast: tax.isForecast(day),
      other: other?.tax ?? null,
      other_count: other?.municipalities ?? 0,
      count: most.municipalities + (other?.municipalities ?? 0),
    };
  };
}
