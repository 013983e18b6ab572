import { OperatorError } from '../../core/errors.ts';
import type {
  ConcessionRow,
  MunicipalityShapeRow,
  Polygon,
  ZoneRow,
} from '../../domain/market/areas/index.ts';
import { simplify } from '../../domain/market/areas/index.ts';
import { PRICE_AREAS } from '../../sources/contract/market.ts';
import type { Rings } from '../formats/geometries.ts';

/**
 * How far a border may move, in degrees of latitude. Measured: with ten times as much, 20,000 random points still get the
 * same areas, because borders between areas have few points; but the coast would move by up to 2 km. With this value
 * 0.025 % of the points fall outside, and the shapes have a third fewer points.
 */
const ZONE_TOLERANCE_DEGREES = 0.002;

/** Concessions are a few kilometres wide; their borders may move by about fifty metres. */
const CONCESSION_TOLERANCE_DEGREES = 0.0005;

/** With twice as much, 99.98 % of 20,000 random points on land stay in their municipality; the table gets a fifth smaller. */
const MUNICIPALITY_TOLERANCE_DEGREES = 0.0005;

function toPolygons(shapes: readonly Rings[]): Polygon[] {
  return shapes.map((rings) =>
    rings.map((ring) => {
      const [first, last] = [ring[0], ring.at(-1)];
      const open = first?.[0] === last?.[0] && first?.[1] === last?.[1] ? ring.slice(0, -1) : ring;
      return { lon: Float64Array.from(open, ([lon]) => lon), lat: Float64Array.from(open, ([, lat]) => lat) };
    }),
  );
}

/** Shapes of all four price areas; throws an `OperatorError` that names those that are missing. */
export function compileZones(
  shapes: readonly { readonly area: string; readonly polygons: readonly Rings[] }[],
  toleranceDegrees = ZONE_TOLERANCE_DEGREES,
): ZoneRow[] {
  const missing = PRICE_AREAS.filter((area) => !shapes.some((shape) => shape.area === area));
  if (missing.length > 0) throw new OperatorError(`The shapes of ${missing.join(', ')} are missing.`);
  return PRICE_AREAS.map((area) => {
    const polygons = shapes.filter((shape) => shape.area === area).flatMap((shape) => shape.polygons);
    return { elomrade: area, polygons: simplify(toPolygons(polygons), toleranceDegrees) };
  });
}

export function compileConcessions(
  shapes: readonly {
    readonly id: string;
    readonly owner_name: string;
    readonly polygons: readonly Rings[];
  }[],
): ConcessionRow[] {
  const groups = Map.groupBy(shapes, ({ id }) => id);
  return [...groups].flatMap(([id, parts]) => {
    const owner = parts[0]?.owner_name;
    if (owner === undefined) return [];
    if (parts.some((part) => part.owner_name !== owner)) {
      throw new OperatorError(`The concession ${id} has several owners.`);
    }
    const polygons = simplify(
      toPolygons(parts.flatMap((part) => part.polygons)),
      CONCESSION_TOLERANCE_DEGREES,
    );
    return [{ id, owner_name: owner, polygons }];
  });
}

/** Shapes of municipalities; throws an `OperatorError` that names municipalities without a shape, and shapes with an unknown code. */
export function compileMunicipalityShapes(
  shapes: readonly { readonly code: string; readonly polygons: readonly Rings[] }[],
  municipalities: readonly { readonly code: string; readonly name: string }[],
): MunicipalityShapeRow[] {
  const groups = Map.groupBy(shapes, ({ code }) => code);
  const unknown = [...groups.keys()].filter((code) => !municipalities.some((one) => one.code === code));
  if (unknown.length > 0) {
    throw new OperatorError(
      `There is no municipality ${unknown.slice(0, 5).join(', ')}; refresh the table of municipalities first.`,
    );
  }
  const missing = municipalities.filter(({ code }) => !groups.has(code));
  if (missing.length > 0) {
    const named = missing.slice(0, 5).map(({ code, name }) => `${name} (${code})`);
    throw new OperatorError(
      `The shapes of ${missing.length} municipalities are missing: ${named.join(', ')}${missing.length > 5 ? ', …' : ''}.`,
    );
  }
  return municipalities.map(({ code, name }) => ({
    municipality: code,
    name,
    polygons: simplify(
      toPolygons((groups.get(code) ?? []).flatMap(({ polygons }) => polygons)),
      MUNICIPALITY_TOLERANCE_DEGREES,
    ),
  }));
}
