import { GRID_AREA_TYPES, type GridAreaRow, type OperatorRow } from '../../domain/areas/index.ts';

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
