import type { MunicipalityBasis, PostalCodeRow } from '../../domain/market/areas/index.ts';
import { metresPerDegree } from '../../domain/market/areas/index.ts';
import type { Position } from './price-areas.ts';

/** A postal code from the source of positions (GeoNames). */
export interface PositionedCode extends Position {
  readonly code: string;
  readonly place: string;
  readonly municipality: string | null;
}

/** A postal code from the source of municipalities (the CC0 table). */
export interface StatedCode {
  readonly code: string;
  readonly place: string;
  readonly municipality: string;
}

/** A postal code without its price area. */
export type PlacedCode = Omit<PostalCodeRow, 'elomrade' | 'elomrade_basis'>;

/** How well two sources of municipalities agree, counted while merging them. */
interface MunicipalityFigures {
  /** Codes for which both state a municipality, and those for which it is the same. */
  readonly both: number;
  readonly agree: number;
  /** Codes with at least two of three indications (the two sources, other codes of the place), and those on which two agree. */
  readonly witnessed: number;
  readonly witnesses: number;
  /** Codes of the second source whose municipality the rule finds without using that source. */
  readonly foundBlind: number;
  readonly blind: number;
}

/** Places of one name farther apart are different places. */
const SAME_PLACE_METRES = 20_000;
/** A place in several municipalities indicates the one that has at least this share of its codes. */
const LEAST_SHARE = 0.8;

interface Place {
  readonly name: string;
  readonly codes: readonly (StatedCode & { readonly position: Position | null })[];
}

/**
 * Merges both sources: every code that one of them has. When they disagree on a municipality, the other codes of the same
 * place decide, else the CC0 table: GeoNames derives some from the nearest town, across municipal borders.
 * Municipalities that are not in `municipalities` count as not stated.
 */
export function placePostalCodes(
  positioned: readonly PositionedCode[],
  stated: readonly StatedCode[],
  municipalities: ReadonlyMap<string, { readonly name: string }>,
): { readonly rows: readonly PlacedCode[]; readonly figures: MunicipalityFigures } {
  const positions = new Map(positioned.map((row) => [row.code, row]));
  const register = new Map(
    stated.filter((row) => municipalities.has(row.municipality)).map((row) => [row.code, row]),
  );
  const places = placesOf(
    stated.filter((row) => municipalities.has(row.municipality)),
    positions,
  );
  const figures = { both: 0, agree: 0, witnessed: 0, witnesses: 0, foundBlind: 0, blind: 0 };

  const codes = [...new Set([...positions.keys(), ...register.keys()])].sort();
  const judged = codes.map((code) => {
    const geonames = positions.get(code);
    const registered = register.get(code);
    const place = geonames?.place ?? registered?.place ?? '';
    const derived =
      geonames?.municipality != null && municipalities.has(geonames.municipality)
        ? geonames.municipality
        : undefined;
    const witness = ofSamePlace(places.get(foldedPlace(place)), code, geonames ?? null);
    const isNamed = derived !== undefined && municipalities.get(derived)?.name === place;
    const blind = isNamed ? derived : (witness ?? derived);
    count(figures, { derived, registered: registered?.municipality, witness, blind });
    const municipality = decide({ derived, registered: registered?.municipality, witness, blind });
    const isStated = municipality !== undefined && [derived, registered?.municipality].includes(municipality);
    const basis: MunicipalityBasis = isStated ? 'stated' : 'same_place';
    return {
      code,
      place,
      municipality,
      municipality_basis: basis,
      lat: geonames?.lat ?? null,
      lon: geonames?.lon ?? null,
    };
  });
  const resolved = judged.filter(
    (row): row is typeof row & { municipality: string } => row.municipality !== undefined,
  );
  const rows = judged.flatMap((row): PlacedCode[] => {
    if (row.municipality !== undefined) return [{ ...row, municipality: row.municipality }];
    const near = nearest(row, resolved);
    return near === undefined
      ? []
      : [{ ...row, municipality: near.municipality, municipality_basis: 'nearest_postal_code' }];
  });
  return { rows, figures };
}

interface Witnesses {
  readonly derived: string | undefined;
  readonly registered: string | undefined;
  readonly witness: string | undefined;
  /** The result without `registered`. */
  readonly blind: string | undefined;
}

function decide({ derived, registered, witness, blind }: Witnesses): string | undefined {
  if (registered === undefined) return blind;
  return derived !== undefined && derived !== registered && witness === derived ? derived : registered;
}

function count(
  figures: { -readonly [K in keyof MunicipalityFigures]: number },
  { derived, registered, witness, blind }: Witnesses,
): void {
  if (derived !== undefined && registered !== undefined) {
    figures.both += 1;
    if (derived === registered) figures.agree += 1;
  }
  const said = [derived, registered, witness].filter((one) => one !== undefined);
  if (said.length >= 2) {
    figures.witnesses += 1;
    if (new Set(said).size < said.length) figures.witnessed += 1;
  }
  if (registered !== undefined && blind !== undefined) {
    figures.blind += 1;
    if (blind === registered) figures.foundBlind += 1;
  }
}

function foldedPlace(place: string): string {
  return place.toLocaleLowerCase('sv');
}

function placesOf(
  stated: readonly StatedCode[],
  positions: ReadonlyMap<string, PositionedCode>,
): ReadonlyMap<string, Place> {
  const groups = Map.groupBy(stated, (row) => foldedPlace(positions.get(row.code)?.place ?? row.place));
  return new Map(
    [...groups].map(([name, rows]) => [
      name,
      { name, codes: rows.map((row) => ({ ...row, position: positions.get(row.code) ?? null })) },
    ]),
  );
}

/** The municipality that nearly all other codes of the place are in; undefined when they are in several, or there are none. */
function ofSamePlace(place: Place | undefined, code: string, position: Position | null): string | undefined {
  const counts = new Map<string, number>();
  let total = 0;
  for (const other of place?.codes ?? []) {
    const isFar =
      position === null || other.position === null
        ? // Without a position the first two digits give the region.
          other.code.slice(0, 2) !== code.slice(0, 2)
        : metresBetween(position, other.position) > SAME_PLACE_METRES;
    if (other.code === code || isFar) continue;
    counts.set(other.municipality, (counts.get(other.municipality) ?? 0) + 1);
    total += 1;
  }
  const best = [...counts].toSorted(([, a], [, b]) => b - a)[0];
  return best !== undefined && best[1] >= LEAST_SHARE * total ? best[0] : undefined;
}

interface Judged {
  readonly code: string;
  readonly lat: number | null;
  readonly lon: number | null;
}

/** By position; without one by number, as neighbouring codes have close numbers. */
function nearest<T extends Judged>(row: Judged, others: readonly T[]): T | undefined {
  let best: { other: T; distance: number } | undefined;
  for (const other of others) {
    const distance =
      row.lat === null || row.lon === null
        ? Math.abs(Number(row.code) - Number(other.code))
        : other.lat === null || other.lon === null
          ? Number.POSITIVE_INFINITY
          : metresBetween({ lat: row.lat, lon: row.lon }, { lat: other.lat, lon: other.lon });
    if (best === undefined || distance < best.distance) best = { other, distance };
  }
  return best?.other;
}

function metresBetween(a: Position, b: Position): number {
  const scale = metresPerDegree((a.lat + b.lat) / 2);
  return Math.hypot((a.lon - b.lon) * scale.lon, (a.lat - b.lat) * scale.lat);
}
