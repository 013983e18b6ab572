import { AppError } from '../../../core/errors.ts';
import { PRICE_AREA_FACTS, PRICE_AREAS } from '../../../sources/contract/market.ts';
import type {
  GridAreaAnswer,
  GridAreaCandidate,
  GridOwnerItem,
  MunicipalityOfArea,
  Owner,
} from './answers.ts';
import type { Candidate, Candidates } from './candidates.ts';
import { type Coded, compare, type Places } from './places.ts';
import type { AreaTables, GridAreaRow } from './tables.ts';

export interface GridAreas {
  byCode(code: string): GridAreaAnswer['grid_areas'];
  owners(): readonly GridOwnerItem[];
}

const ownerOf = ({ owner, owner_name }: GridAreaRow): Owner => ({ id: owner, name: owner_name });

export function candidateItem({ area, confidence }: Candidate): GridAreaCandidate {
  const { code, name, eic, elomrade } = area;
  return { code, name, eic, elomrade, owner: ownerOf(area), confidence };
}

const LONGEST_CODE = 40;

export function indexGridAreas(
  tables: Pick<AreaTables, 'grid_areas' | 'operators'>,
  places: Places,
  candidates: Candidates,
): GridAreas {
  const sorted = tables.grid_areas.toSorted((a, b) => compare(a.code, b.code));
  const byKey = new Map<string, GridAreaRow[]>();
  const add = (key: string | null, area: GridAreaRow) => {
    if (key === null) return;
    const list = byKey.get(key.toUpperCase());
    if (list === undefined) byKey.set(key.toUpperCase(), [area]);
    else list.push(area);
  };
  // An area's own code first: if an operator's id ever looks like one, the area wins.
  for (const area of sorted) add(area.code, area);
  for (const area of sorted) add(area.eic, area);
  for (const area of sorted) {
    if (area.owner !== null && !sorted.some(({ code }) => code === area.owner)) add(area.owner, area);
    add(PRICE_AREA_FACTS[area.elomrade].eic, area);
  }
  const municipalities = municipalitiesByArea(places, candidates);
  const itemOf = (area: GridAreaRow): GridAreaAnswer['grid_areas'][number] => {
    const { code, name, type, eic, elomrade } = area;
    return {
      code,
      name,
      type,
      eic,
      elomrade,
      owner: ownerOf(area),
      municipalities: municipalities.get(area) ?? [],
    };
  };
  const owners = ownersOf(tables);
  const operators = new Map(tables.operators.map(({ id, name }) => [id, name]));

  return {
    owners: () => owners,
    byCode(code) {
      const key = code.slice(0, LONGEST_CODE).trim().toUpperCase();
      const found = byKey.get(key);
      if (found !== undefined) return found.map(itemOf);
      const shown = code.slice(0, LONGEST_CODE).trim();
      const idle = operators.get(key);
      throw new AppError(
        'area.not_found',
        idle === undefined
          ? `there is no grid area "${shown}"; code must be the three letters or digits of a grid area (STH), an EIC (${PRICE_AREA_FACTS.SE3.eic} for all of SE3) or the id of a grid owner (14900)`
          : `the operator ${key} (${idle}) owns no grid area`,
      );
    },
  };
}

/**
 * The inverse of finding a place's areas: the municipalities with a place for which the area is a candidate, with the
 * highest confidence of those places, most likely first.
 */
function municipalitiesByArea(
  places: Places,
  candidates: Candidates,
): Map<GridAreaRow, MunicipalityOfArea[]> {
  const best = new Map<GridAreaRow, Map<string, { kommun: Coded; confidence: number }>>();
  for (const { item } of places.all) {
    for (const { area, confidence } of candidates.at(item)) {
      const byCode = best.get(area) ?? new Map<string, { kommun: Coded; confidence: number }>();
      best.set(area, byCode);
      if ((byCode.get(item.kommun.code)?.confidence ?? 0) < confidence)
        byCode.set(item.kommun.code, { kommun: item.kommun, confidence });
    }
  }
  return new Map(
    [...best].map(([area, byCode]) => [
      area,
      [...byCode.values()]
        .map(({ kommun, confidence }) => ({ ...kommun, confidence }))
        .toSorted((a, b) => b.confidence - a.confidence || compare(a.code, b.code)),
    ]),
  );
}

/** All registered operators, with or without areas, and owners that only areas name; in Swedish sort order. */
function ownersOf({ grid_areas, operators }: Pick<AreaTables, 'grid_areas' | 'operators'>): GridOwnerItem[] {
  const areasById = Map.groupBy(grid_areas, ({ owner, owner_name }) => owner ?? `name ${owner_name}`);
  const item = (owner: Owner, areas: readonly GridAreaRow[]): GridOwnerItem => ({
    ...owner,
    grid_areas: areas.map(({ code }) => code).toSorted(),
    elomraden: PRICE_AREAS.filter((area) => areas.some(({ elomrade }) => elomrade === area)),
  });
  const registered = new Set(operators.map(({ id }) => id));
  const unregistered = [...areasById.values()].filter(
    ([first]) => first !== undefined && (first.owner === null || !registered.has(first.owner)),
  );
  const swedish = new Intl.Collator('sv');
  return [
    ...operators.map(({ id, name }) => item({ id, name }, areasById.get(id) ?? [])),
    ...unregistered.map((areas) =>
      item({ id: areas[0]?.owner ?? null, name: areas[0]?.owner_name ?? '' }, areas),
    ),
  ].toSorted((a, b) => swedish.compare(a.name, b.name) || compare(a.id ?? '', b.id ?? ''));
}
