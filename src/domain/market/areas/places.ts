import type { PriceArea } from '../../../sources/contract/market.ts';
import type { AreaTables, CountyRow, MunicipalityRow, PostalCodeRow } from './tables.ts';

export interface Coded {
  readonly code: string;
  readonly name: string;
}

/** A place as the API returns it. One name in two municipalities or two price areas is two places. */
export interface PlaceItem {
  readonly ort: string;
  readonly kommun: Coded;
  readonly lan: Coded;
  readonly elomrade: PriceArea;
  readonly postal_codes: readonly string[];
  /** Centre of its postal codes, WGS84 degrees; null when none has a position. */
  readonly lat: number | null;
  readonly lon: number | null;
}

export interface Place {
  readonly item: PlaceItem;
  readonly folded: string;
  readonly lower: string;
}

export interface Places {
  /** The largest first. */
  readonly all: readonly Place[];
  readonly byFolded: ReadonlyMap<string, readonly Place[]>;
  /** All places of a name, the largest first. */
  named(name: string): readonly Place[];
  municipalityOf(of: Pick<PostalCodeRow, 'municipality'>): Coded;
  countyOf(municipality: string): Coded;
  municipalities: ReadonlyMap<string, MunicipalityRow>;
}

/** Groups postal codes by place, municipality and price area. A municipality missing from its table has its code as name. */
export function indexPlaces({
  postal_codes,
  municipalities,
  counties,
}: Pick<AreaTables, 'postal_codes' | 'municipalities' | 'counties'>): Places {
  const municipalityByCode = new Map(municipalities.map((row) => [row.code, row]));
  const kommunByCode = new Map(municipalities.map(({ code, name }) => [code, { code, name }]));
  const countyByCode = new Map(counties.map((row: CountyRow) => [row.code, row]));
  const municipalityOf = ({ municipality }: { municipality: string }): Coded =>
    kommunByCode.get(municipality) ?? { code: municipality, name: municipality };
  const countyOf = (municipality: string): Coded => {
    const code = municipalityByCode.get(municipality)?.county ?? municipality.slice(0, 2);
    return countyByCode.get(code) ?? { code, name: code };
  };

  const groups = new Map<string, { rows: PostalCodeRow[]; folded: string }>();
  const foldedNames = new Map<string, string>();
  for (const row of postal_codes) {
    let folded = foldedNames.get(row.place);
    if (folded === undefined) {
      folded = fold(row.place);
      foldedNames.set(row.place, folded);
    }
    const key = `${row.municipality} ${row.elomrade} ${lower(row.place)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { rows: [row], folded });
    else group.rows.push(row);
  }
  const all = [...groups.values()].flatMap(({ rows, folded }): Place[] => {
    const [first] = rows;
    if (first === undefined) return [];
    const item: PlaceItem = {
      ort: first.place,
      kommun: municipalityOf(first),
      lan: codedOf(countyOf(first.municipality)),
      elomrade: first.elomrade,
      postal_codes: rows.map(({ code }) => code).toSorted(),
      ...middleOf(rows),
    };
    return [{ item, folded, lower: lower(first.place) }];
  });
  all.sort(
    (a, b) =>
      b.item.postal_codes.length - a.item.postal_codes.length ||
      compare(a.folded, b.folded) ||
      compare(a.item.kommun.code, b.item.kommun.code) ||
      compare(a.item.elomrade, b.item.elomrade),
  );
  const byFolded = Map.groupBy(all, ({ folded }) => folded);
  return {
    all,
    byFolded,
    named: (name) => byFolded.get(fold(name)) ?? [],
    municipalityOf,
    countyOf: (municipality) => codedOf(countyOf(municipality)),
    municipalities: municipalityByCode,
  };
}

const codedOf = ({ code, name }: Coded): Coded => ({ code, name });
export const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Position of a postal code; null when no source has one, and when its price area was not taken from its position: the
 * source then confused it with another place of the same name.
 */
export function positionOf({ lat, lon, elomrade_basis }: PostalCodeRow): { lat: number; lon: number } | null {
  return lat === null || lon === null || elomrade_basis === 'municipality' ? null : { lat, lon };
}

function middleOf(rows: readonly PostalCodeRow[]): { lat: number | null; lon: number | null } {
  let [lat, lon, count] = [0, 0, 0];
  for (const row of rows) {
    const at = positionOf(row);
    if (at === null) continue;
    lat += at.lat;
    lon += at.lon;
    count += 1;
  }
  const rounded = (sum: number) => (count === 0 ? null : Math.round((sum / count) * 1e4) / 1e4);
  return { lat: rounded(lat), lon: rounded(lon) };
}

/** Longer text is no name; bounds the work for any input. */
const LONGEST = 120;

/**
 * Normalizes a name for comparison: lower case, no accents or punctuation, one space between words. å and ä become a, ö
 * and ø become o: "Angelholm" and "ÄNGELHOLM" match Ängelholm.
 */
export function fold(text: string): string {
  return text
    .slice(0, LONGEST)
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll('ø', 'o')
    .replaceAll('æ', 'a')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** Only lower-cases: of names that fold to the same, this selects the one spelled exactly. */
export function lower(text: string): string {
  return text.slice(0, LONGEST).normalize('NFC').toLowerCase().trim();
}
