import { GRID_AREA_TYPES, type GridAreaRow, type OperatorRow } from '../../domain/areas/index.ts';

/** A grid area as a register has it: it may name the owner alone. */
export type RegisteredArea = Omit<GridAreaRow, 'eic'>;

/**
 * Brings registers together, the older first. A register that has areas of a type has all of them, so for each type the newest such one
 * counts: an area that it dropped is dropped. Owners are told by their id, since they change their names; an id that no register of
 * operators has becomes null.
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
  // One that the newest register dropped, and that an area of an older one still names, stays.
  const dropped = [...nameOf].filter(([id]) => owners.has(id) && !current.some((one) => one.id === id));
  return { grid_areas: gridAreas, operators: [...current, ...dropped.map(([id, name]) => ({ id, name }))] };
}

/** Ids of all names that an operator ever had; a name that two had tells nothing. */
function idsByName(operators: readonly (readonly OperatorRow[])[]): ReadonlyMap<string, string | null> {
  const ids = new Map<string, string | null>();
  for (const { id, name } of operators.flat()) {
    const known = ids.get(name);
    ids.set(name, known === undefined || known === id ? id : null);
  }
  return ids;
}
