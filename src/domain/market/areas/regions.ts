import type { Clock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import { dayAt, dayBounds } from '../../../core/swedish-days.ts';
import type { PriceArea } from '../../../sources/contract/market.ts';
import type { EnergyTax, Tax } from '../tax/index.ts';
import { type Coded, fold, lower } from './places.ts';
import type { AreaTables, MunicipalityRow, PostalCodeRow } from './tables.ts';

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

interface Municipalities {
  /** By four digits or by name, with or without "kommun"; throws `place.not_found`. */
  byText(text: string): Coded;
}

const SUFFIX = /\s+(?:kommun|stad)$/;

export function indexMunicipalities(rows: readonly MunicipalityRow[]): Municipalities {
  const coded = rows.map(({ code, name }): Coded => ({ code, name }));
  const byCode = new Map(coded.map((one) => [one.code, one]));
  const byLower = new Map(coded.map((one) => [lower(one.name), one]));
  const byFolded = Map.groupBy(coded, ({ name }) => fold(name));
  return {
    byText(text) {
      const written = lower(text);
      // "Stockholms kommun" is in the genitive.
      const tries = [written, written.replace(SUFFIX, ''), written.replace(SUFFIX, '').replace(/s$/, '')];
      const exact =
        byCode.get(written) ?? tries.map((name) => byLower.get(name)).find((one) => one !== undefined);
      if (exact !== undefined) return exact;
      // Without their accents, Håbo and Habo are one name: the error lists both.
      const found = tries.map((name) => byFolded.get(fold(name))).find((one) => one !== undefined) ?? [];
      const [only, other] = found;
      if (only !== undefined && other === undefined) return only;
      const shown = text.trim().slice(0, 60);
      throw new AppError(
        'place.not_found',
        other === undefined
          ? `there is no municipality "${shown}"; kommun must be a code of four digits (0180) or a name (Stockholm)`
          : `"${shown}" may be ${found.map(({ code, name }) => `${name} (${code})`).join(' or ')}; send the code`,
      );
    },
  };
}

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

/** The Swedish calendar day and its end, ms since 1970; computed once a day. */
interface Today {
  now(): { readonly day: string; readonly ends: number };
}

/** Swedish days have 23, 24 or 25 hours. */
export function createToday(clock: Clock): Today {
  let today = { day: '', began: 0, ends: 0 };
  return {
    now() {
      const now = clock.now();
      if (now < today.began || now >= today.ends) {
        const day = dayAt(now);
        const { start, end } = dayBounds(day);
        today = { day, began: start, ends: end };
      }
      return today;
    },
  };
}
