import {
  type AreaTables,
  type CountyRow,
  GRID_AREA_TYPES,
  type GridAreaRow,
  type MunicipalityRow,
  type OperatorRow,
  type ReducedTaxRow,
  type TableSource,
  type TaxRateRow,
  type ZoneRow,
} from '../../domain/market/areas/index.ts';
import type { Rings } from '../formats/geometries.ts';
import { type PositionedCode, placePostalCodes, type StatedCode } from './postal-codes.ts';
import { areaFinder, assignPriceAreas, randomPoints } from './price-areas.ts';
import { compileConcessions, compileMunicipalityShapes, compileZones } from './shapes.ts';

type Source = Omit<TableSource, 'table'>;

/** Parsed originals; tables of absent ones stay unchanged. */
export interface Originals {
  readonly municipalities?: {
    readonly municipalities: readonly MunicipalityRow[];
    readonly counties: readonly CountyRow[];
    readonly sources: readonly Source[];
  };
  readonly zones?: {
    readonly shapes: readonly { readonly area: string; readonly polygons: readonly Rings[] }[];
    readonly sources: readonly Source[];
  };
  readonly gridAreas?: {
    /** Oldest first. */
    readonly registers: readonly (readonly RegisteredArea[])[];
    readonly operators: readonly (readonly OperatorRow[])[];
    readonly sources: readonly Source[];
  };
  readonly postalCodes?: {
    readonly positioned: readonly PositionedCode[];
    readonly stated: readonly StatedCode[];
    readonly sources: readonly Source[];
  };
  readonly concessions?: {
    readonly shapes: readonly {
      readonly id: string;
      readonly owner_name: string;
      readonly polygons: readonly Rings[];
    }[];
    readonly sources: readonly Source[];
  };
  readonly municipalityShapes?: {
    readonly shapes: readonly { readonly code: string; readonly polygons: readonly Rings[] }[];
    readonly sources: readonly Source[];
  };
  readonly tax?: {
    readonly rates?: readonly TaxRateRow[];
    readonly reduced?: readonly ReducedTaxRow[];
    readonly sources: readonly Source[];
  };
}

export interface Compiled {
  readonly tables: AreaTables;
  /** Figures that can only be counted from the originals. */
  readonly figures: Readonly<Record<string, number>>;
}

/** Number of points at which simplified and full shapes are compared. */
const COMPARED_POINTS = 20_000;

/**
 * Merges the originals into the tables. Price areas of postal codes depend on shapes, grid areas and municipalities, so
 * they are computed again when any of these is imported. Throws an `OperatorError` when an original is incomplete.
 */
export function compileTables(current: AreaTables, originals: Originals): Compiled {
  const figures: Record<string, number> = {};
  let tables = current;
  const put = (rows: Partial<AreaTables>, sources: readonly Source[]) => {
    tables = { ...tables, ...rows, sources: replaceSources(tables.sources, Object.keys(rows), sources) };
  };

  const { municipalities, zones, gridAreas, postalCodes, concessions, municipalityShapes, tax } = originals;
  if (municipalities !== undefined) {
    const { sources, ...rows } = municipalities;
    put(rows, sources);
  }
  if (zones !== undefined) {
    const simple = compileZones(zones.shapes);
    Object.assign(figures, compareZones(compileZones(zones.shapes, 0), simple));
    put({ zones: simple }, zones.sources);
  }
  if (gridAreas !== undefined) {
    put(compileGridAreas(gridAreas.registers, gridAreas.operators), gridAreas.sources);
  }
  let placed: Parameters<typeof assignPriceAreas>[0] = tables.postal_codes;
  if (postalCodes !== undefined) {
    const byCode = new Map(tables.municipalities.map((row) => [row.code, row]));
    const { rows, figures: counted } = placePostalCodes(postalCodes.positioned, postalCodes.stated, byCode);
    placed = rows;
    for (const [name, count] of Object.entries(counted)) figures[`municipality_${snake(name)}`] = count;
    put({ postal_codes: tables.postal_codes }, postalCodes.sources);
  }
  if ((municipalities ?? zones ?? gridAreas ?? postalCodes) !== undefined) {
    const assigned = assignPriceAreas(placed, {
      zones: tables.zones,
      gridAreas: tables.grid_areas,
      municipalities: tables.municipalities,
    });
    tables = { ...tables, postal_codes: assigned.rows };
    for (const [name, count] of Object.entries(assigned.figures))
      figures[`price_area_${snake(name)}`] = count;
  }
  if (concessions !== undefined) {
    put({ concessions: compileConcessions(concessions.shapes) }, concessions.sources);
  }
  if (municipalityShapes !== undefined) {
    const rows = compileMunicipalityShapes(municipalityShapes.shapes, tables.municipalities);
    put({ municipality_shapes: rows }, municipalityShapes.sources);
  }
  if (tax !== undefined) {
    if (tax.rates !== undefined) put({ tax_rates: tax.rates }, tax.sources);
    if (tax.reduced !== undefined) put({ reduced_tax: tax.reduced }, tax.sources);
  }
  return { tables, figures };
}

function replaceSources(
  all: readonly TableSource[],
  tables: readonly string[],
  sources: readonly Source[],
): TableSource[] {
  return [
    ...all.filter(({ table }) => !tables.includes(table)),
    ...tables.flatMap((table) => sources.map((source) => ({ table, ...source }))),
  ];
}

/** Number of random points on land for which both shapes give the same area. */
function compareZones(full: readonly ZoneRow[], simple: readonly ZoneRow[]): Record<string, number> {
  const [truth, answer] = [areaFinder(full), areaFinder(simple)];
  const points = randomPoints(COMPARED_POINTS, (point) => truth(point).isInside);
  const agree = points.filter((point) => truth(point).area === answer(point).area).length;
  return {
    zones_points: points.length,
    zones_agree: agree,
    zones_vertices_full: verticesOf(full),
    zones_vertices: verticesOf(simple),
  };
}

function verticesOf(zones: readonly ZoneRow[]): number {
  return zones.flatMap(({ polygons }) => polygons.flat()).reduce((sum, ring) => sum + ring.lon.length, 0);
}

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A grid area from a register, which may have only the owner's name. */
export type RegisteredArea = Omit<GridAreaRow, 'eic'>;

/**
 * Merges registers, oldest first. A register with areas of a type has all of them, so for each type the newest such one
 * counts, and areas that it dropped are dropped. Owners are identified by id, since their names change; an id that no
 * register of operators has becomes null.
 */
export function compileGridAreas(
  registers: readonly (readonly RegisteredArea[])[],
  operators: readonly (readonly OperatorRow[])[],
): { readonly grid_areas: readonly GridAreaRow[]; readonly operators: readonly OperatorRow[] } {
  const idOf = idsByName(operators);
  const nameOf = new Map(operators.flat().map(({ id, name }) => [id, name]));
  const areas = GRID_AREA_TYPES.flatMap((type) => {
    const newest = registers.findLast((register) => register.some((area) => area.type === type));
    return (newest ?? []).filter((area) => area.type === type);
  });
  const gridAreas = [...Map.groupBy(areas, ({ code }) => code).values()].flatMap(([area]): GridAreaRow[] => {
    if (area === undefined) return [];
    const stated = area.owner ?? idOf.get(area.owner_name) ?? null;
    const owner = stated !== null && nameOf.has(stated) ? stated : null;
    const ownerName = owner === null ? area.owner_name : (nameOf.get(owner) ?? area.owner_name);
    return [{ ...area, owner, owner_name: ownerName, eic: null }];
  });
  const owners = new Set(gridAreas.map(({ owner }) => owner));
  const current = operators.at(-1) ?? [];
  // Keeps an operator that the newest register dropped while an area still names it.
  const dropped = [...nameOf].filter(([id]) => owners.has(id) && !current.some((one) => one.id === id));
  return { grid_areas: gridAreas, operators: [...current, ...dropped.map(([id, name]) => ({ id, name }))] };
}

/** Ids by every name that an operator ever had; null for a name that two operators had. */
function idsByName(operators: readonly (readonly OperatorRow[])[]): ReadonlyMap<string, string | null> {
  const ids = new Map<string, string | null>();
  for (const { id, name } of operators.flat()) {
    const earlier = ids.get(name);
    ids.set(name, earlier === undefined || earlier === id ? id : null);
  }
  return ids;
}
