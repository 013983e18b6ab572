import { Big } from 'big.js';

/** Energy tax on electricity from a day on, öre per kWh without VAT, decimal text. */
interface RateRow {
  readonly valid_from: string;
  readonly normal: string;
  readonly reduced: string;
}

interface ReducedRow {
  readonly municipality: string;
  readonly valid_from: string;
  readonly valid_until: string | null;
}

interface TaxTables {
  readonly tax_rates: readonly RateRow[];
  readonly reduced_tax: readonly ReducedRow[];
}

/** Tax per kWh for households and services, öre as decimal text. */
export interface EnergyTax {
  readonly rate_ore_per_kwh: string;
  readonly rate_ore_per_kwh_incl_vat: string;
  readonly reduced: boolean;
  /** First day of this rate in the municipality. */
  readonly valid_from: string;
}

/** A rate with its end; `valid_until` is the first day after it, null without an end. */
interface DatedTax extends EnergyTax {
  readonly valid_until: string | null;
}

export interface Tax {
  /** The rate of a municipality (four digits) on a day; null before the first one. */
  on(municipality: string, day: string): EnergyTax | null;
  /** All rates of a municipality, oldest first. */
  all(municipality: string): readonly DatedTax[];
  /** Whether the day's rate is a forecast: its year is after the year of the latest decided rate. */
  isForecast(day: string): boolean;
  /** The first day with a rate; null without any. */
  readonly since: string | null;
}

/** Mervärdesskattelag (2023:200), 9 kap. 2 §: 25 percent, on the energy tax too. */
const WITH_VAT = '1.25';

/**
 * Dated rates by municipality (lag (1994:1776) om skatt på energi, 11 kap. 3 and 4 §§): reduced by 9.6 öre in parts of
 * northern Sweden, whatever the price area. Manufacturing and farming have another rate, which is not included.
 */
export function createTax({ tax_rates, reduced_tax }: TaxTables): Tax {
  const rates = tax_rates.toSorted((a, b) => compare(a.valid_from, b.valid_from));
  const reducedBy = Map.groupBy(reduced_tax, ({ municipality }) => municipality);
  const byMunicipality = new Map<string, readonly DatedTax[]>();
  // Most municipalities never had the reduction, and share one list.
  const never = timeline(rates, []);
  const latest = rates.at(-1)?.valid_from;

  const all = (municipality: string): readonly DatedTax[] => {
    const reduced = reducedBy.get(municipality);
    if (reduced === undefined) return never;
    const cached = byMunicipality.get(municipality) ?? timeline(rates, reduced);
    byMunicipality.set(municipality, cached);
    return cached;
  };
  return {
    all,
    on(municipality, day) {
      const found = all(municipality).findLast(({ valid_from }) => valid_from <= day);
      if (found === undefined) return null;
      const { valid_until: _until, ...tax } = found;
      return tax;
    },
    isForecast: (day) => latest !== undefined && yearOf(day) > yearOf(latest),
    since: rates[0]?.valid_from ?? null,
  };
}

/** One entry per change of the law's rate, or of the municipality's reduction. */
function timeline(rates: readonly RateRow[], reduced: readonly ReducedRow[]): DatedTax[] {
  const [first] = rates;
  if (first === undefined) return [];
  const changes = reduced.flatMap(({ valid_from, valid_until }) => [valid_from, valid_until ?? valid_from]);
  const days = new Set([...rates.map(({ valid_from }) => valid_from), ...changes]);
  const starts = [...days].filter((day) => day >= first.valid_from).toSorted(compare);
  return starts.map((day, index) => {
    const rate = rates.findLast(({ valid_from }) => valid_from <= day) ?? first;
    const isReduced = reduced.some(
      ({ valid_from, valid_until }) => valid_from <= day && (valid_until === null || day < valid_until),
    );
    const ore = new Big(isReduced ? rate.reduced : rate.normal);
    return {
      rate_ore_per_kwh: ore.toFixed(),
      rate_ore_per_kwh_incl_vat: ore.times(WITH_VAT).toFixed(),
      reduced: isReduced,
      valid_from: day,
      valid_until: starts[index + 1] ?? null,
    };
  });
}

const yearOf = (day: string) => day.slice(0, 4);
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** What is added to a spot price. */
interface Additions {
  /** Energy tax without VAT, öre per kWh as decimal text; null: not added. */
  readonly energyTax: string | null;
  readonly hasVat: boolean;
}

/** VAT on electricity in whole percent. */
export const VAT_PERCENT = Number(new Big(WITH_VAT).minus(1).times(100));

/** A spot price with energy tax and VAT, which is on both: SEK per kWh as exact decimal text. */
export function priceWith(spot: string, { energyTax, hasVat }: Additions): string {
  const taxed = energyTax === null ? new Big(spot) : new Big(spot).plus(new Big(energyTax).div(100));
  return (hasVat ? taxed.times(WITH_VAT) : taxed).toFixed();
}
