import { AppError } from '../../core/errors.ts';
import type { PriceArea } from '../../sources/contract/market.ts';
import type { EnergyTax } from '../tax/index.ts';
import { fold } from './fold.ts';
import type { Municipalities } from './municipalities.ts';
import type { Coded } from './places.ts';
import type { AreaTables } from './tables.ts';

/** A municipality or a county. */
export interface Region {
  readonly kind: 'municipality' | 'county';
  readonly code: string;
  /** "Mora", "Dalarnas län". */
  readonly name: string;
  /** The county of a municipality; null for a county. */
  readonly lan: Coded | null;
  /** The price areas of its postal codes, most frequent first. */
  readonly elomraden: readonly PriceArea[];
  /** null without a rate, or when its municipalities have different ones. */
  readonly energy_tax: EnergyTax | null;
}

interface RegionParts {
  readonly tables: Pick<AreaTables, 'municipalities' | 'counties' | 'postal_codes'>;
  readonly municipalities: Municipalities;
  readonly taxToday: (municipality: string) => EnergyTax | null;
}

/** "Dalarna", "Dalarnas län" and "dalarna lan" are one county. */
const nameOf = (text: string) => fold(text).replace(/ lan$/, '').replace(/s$/, '');

/** Finds a municipality or a county by name or code; null when none or several match. */
export function indexRegions({
  tables,
  municipalities,
  taxToday,
}: RegionParts): (text: string) => Region | null {
  const countyByName = new Map(tables.counties.map((row) => [nameOf(row.name), row]));
  const countyByCode = new Map(tables.counties.map((row) => [row.code, row]));
  const countyOf = new Map(tables.municipalities.map(({ code, county }) => [code, county]));
  const codesOf = new Map<string, Map<PriceArea, number>>();
  for (const { municipality, elomrade } of tables.postal_codes) {
    for (const region of [municipality, countyOf.get(municipality) ?? '']) {
      const counts = codesOf.get(region) ?? new Map<PriceArea, number>();
      counts.set(elomrade, (counts.get(elomrade) ?? 0) + 1);
      codesOf.set(region, counts);
    }
  }
  const areasOf = (region: string): PriceArea[] =>
    [...(codesOf.get(region) ?? [])].toSorted(([, a], [, b]) => b - a).map(([area]) => area);

  function municipality(text: string): Region | null {
    try {
      const { code, name } = municipalities.byText(text);
      const county = countyByCode.get(countyOf.get(code) ?? '');
      return {
        kind: 'municipality',
        code,
        name,
        lan: county === undefined ? null : { code: county.code, name: county.name },
        elomraden: areasOf(code),
        energy_tax: taxToday(code),
      };
    } catch (error) {
      if (error instanceof AppError) return null;
      throw error;
    }
  }

  function county(text: string): Region | null {
    const row = countyByName.get(nameOf(text));
    if (row === undefined) return null;
    const taxes = tables.municipalities
      .filter((one) => one.county === row.code)
      .map(({ code }) => taxToday(code));
    const [first = null] = taxes;
    const isSame = taxes.every((tax) => tax?.rate_ore_per_kwh === first?.rate_ore_per_kwh);
    return {
      kind: 'county',
      code: row.code,
      name: row.name,
      lan: null,
      elomraden: areasOf(row.code),
      energy_tax: isSame ? first : null,
    };
  }

  return (text) => (/ lan$/.test(fold(text)) ? county(text) : (municipality(text) ?? county(text)));
}
