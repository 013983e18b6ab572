import { AppError } from '../src/core/errors.ts';
import type { Areas, AreaTables, CoordinateAnswer, PostalCodeRow } from '../src/domain/market/areas/index.ts';
import { indexPoints, indexShapes } from '../src/domain/market/areas/index.ts';
import { areaFinder, randomPoints, SPLIT_MUNICIPALITIES } from '../src/registers/index.ts';

/* Measures for data-report.ts: comparisons of independent sources. */

/** Number of random points at which price areas are compared. */
export const POINTS = 20_000;
/** A postal code is near a border within this distance of another price area. */
export const NEAR_METRES = 20_000;

export function measure(tables: AreaTables, areas: Areas) {
  const SHAPES = new Map(
    tables.zones.map((zone) => [
      zone.elomrade as string,
      indexShapes([{ of: zone.elomrade, polygons: zone.polygons }]),
    ]),
  );
  /** Places, by name and municipality, whose price area a distribution grid area of eSett's register indicates. */
  function registeredPlaces() {
    const find = areaFinder(tables.zones);
    const rows = tables.postal_codes.filter(isRegistered);
    const places = [...Map.groupBy(rows, ({ place, municipality }) => `${place} ${municipality}`).values()];
    return places.flatMap(([row]) => (row === undefined ? [] : [{ row, drawn: find(row).area }]));
  }

  /** Metres from a position to the nearest part of a price area. */
  function metresTo(area: string, { lat, lon }: { readonly lat: number; readonly lon: number }): number {
    const shapes = SHAPES.get(area);
    if (shapes === undefined) throw new Error(`there is no ${area}`);
    return shapes.at(lat, lon).length > 0
      ? 0
      : (shapes.nearest(lat, lon, 1_000_000)?.metres ?? Number.POSITIVE_INFINITY);
  }

  function priceAreas() {
    const places = registeredPlaces();
    const contrary = places.filter(({ row, drawn }) => row.elomrade !== drawn);
    const split = tables.postal_codes.filter(({ municipality }) => SPLIT_MUNICIPALITIES.has(municipality));
    const alone = split.filter(({ elomrade_basis }) => elomrade_basis !== 'register');
    const isNear = (row: Positioned) =>
      tables.zones.some(({ elomrade }) => elomrade !== row.elomrade && metresTo(elomrade, row) < NEAR_METRES);
    const unspoken = tables.postal_codes
      .filter((row) => row.elomrade_basis !== 'register')
      .filter(isPositioned);
    const nearPlaces = places.filter(({ row }) => isNear(row));
    const near = {
      spoken: nearPlaces.length,
      agree: nearPlaces.filter(({ row, drawn }) => row.elomrade === drawn).length,
      unspoken: unspoken.filter(isNear).length,
    };
    return { places, contrary, split, alone, near };
  }

  function randomLand() {
    const find = areaFinder(tables.zones);
    const points = randomPoints(POINTS, (point) => find(point).isInside);
    const near = indexPoints(tables.postal_codes.filter(isRegistered));
    const border = { at1: 0, at3: 0, at5: 0, at10: 0 };
    let [spoken, agree, answered, asDrawn] = [0, 0, 0, 0];
    for (const point of points) {
      const drawn = find(point).area;
      const metres = Math.min(
        ...tables.zones
          .filter(({ elomrade }) => elomrade !== drawn)
          .map(({ elomrade }) => metresTo(elomrade, point)),
      );
      for (const [name, limit] of [
        ['at1', 1_000],
        ['at3', 3_000],
        ['at5', 5_000],
        ['at10', 10_000],
      ] as const) {
        if (metres > limit) border[name] += 1;
      }
      const [witness] = near(point, 1, 10_000);
      if (witness !== undefined) {
        spoken += 1;
        if (witness.point.elomrade === drawn) agree += 1;
      }
      const answer = answerAt(areas, point)?.elomrade ?? null;
      if (answer !== null) answered += 1;
      if (answer === drawn) asDrawn += 1;
    }
    return { border, spoken, agree, answered, asDrawn };
  }

  function candidates() {
    const candidates = tables.postal_codes.map(({ code }) => areas.postal(code).grid_areas);
    const best = candidates.map(([first]) => first?.confidence ?? 0);
    return {
      none: candidates.filter(({ length }) => length === 0).length,
      one: candidates.filter(({ length }) => length === 1).length,
      several: candidates.filter(({ length }) => length > 1).length,
      likely: best.filter((confidence) => confidence >= 0.5).length,
    };
  }

  /** Compares the municipality whose border contains a postal code with the one stated for the code. */
  function municipalities() {
    const stated = tables.postal_codes
      .filter(({ municipality_basis }) => municipality_basis === 'stated')
      .filter(isPositioned);
    const spots = [
      ...new Map(stated.map((row) => [`${row.lat} ${row.lon} ${row.municipality}`, row])).values(),
    ];
    const isDrawn = (row: Positioned) => answerAt(areas, row)?.kommun.code === row.municipality;
    return {
      codes: stated.length,
      codesAgree: stated.filter(isDrawn).length,
      spots: spots.length,
      spotsAgree: spots.filter(isDrawn).length,
    };
  }

  return {
    priceAreas: priceAreas(),
    municipalities: municipalities(),
    land: randomLand(),
    grid: candidates(),
    metresTo,
  };
}

type Positioned = PostalCodeRow & { readonly lat: number; readonly lon: number };

export const isPositioned = (row: PostalCodeRow): row is Positioned => row.lat !== null && row.lon !== null;
const isRegistered = (row: PostalCodeRow): row is Positioned =>
  row.elomrade_basis === 'register' && isPositioned(row);

function answerAt(
  of: Areas,
  { lat, lon }: { readonly lat: number; readonly lon: number },
): CoordinateAnswer | null {
  try {
    return of.coordinate(lat, lon);
  } catch (error) {
    // Outside the area that the look-up covers; counted as not found.
    if (error instanceof AppError) return null;
    throw error;
  }
}
