import type { PriceArea } from '../../../sources/contract/market.ts';
import { companyKey, type Extent, placeNamesIn } from './area-names.ts';
import { type Coded, compare, fold, type Places } from './places.ts';
import { indexShapes } from './polygon.ts';
import type { AreaTables, GridAreaRow } from './tables.ts';

/** The spot to find grid areas for. */
export interface Spot {
  readonly ort: string;
  readonly kommun: Coded;
  readonly elomrade: PriceArea;
  /** A position and its precision: of an address, of a postal code (often that of its place) or of a place's centre. */
  readonly at?: {
    readonly lat: number;
    readonly lon: number;
    readonly is: 'address' | 'postal_code' | 'place';
  };
}

export interface Candidate {
  readonly area: GridAreaRow;
  /** 0.03 to 0.95, two decimals. */
  readonly confidence: number;
}

export interface Candidates {
  /** Local grid areas that may supply the spot, most likely first; their confidences sum to at most 0.95. */
  at(spot: Spot): readonly Candidate[];
}

/*
 * No public table maps postal codes to grid areas. Available are an area's name, price area and owner, and the owners'
 * concessions if they were imported. The weights below are judgements, not measured shares: a town's own network covers
 * the town (0.8) and often parts, but seldom all, of the rest of its municipality (0.5).
 */
const MOST_CLAIMED = 0.95;
const LEAST = 0.03;
const MOST_CANDIDATES = 10;
const POOLS = {
  /** The area has the place's name. */
  place: 0.8,
  /** The same, but with "bygden" or "landsbygd". */
  placeCountry: 0.6,
  municipality: 0.5,
  /** The network of the municipality's town, for a place outside the town. */
  municipalityTown: 0.3,
  owner: 0.25,
  province: 0.3,
  /** The area has the name of another place in the municipality. */
  neighbour: 0.2,
} as const;
/** Weight of a weaker kind of match beside a stronger one. */
const BESIDE = { place: 0.12, municipality: 0.15, other: 0.08 } as const;
/** An owner's concession contains the position. */
const CONCESSION = { address: 0.9, postal_code: 0.7, place: 0.6 } as const;
const NOT_THE_OWNER = 0.15;

interface NamedArea {
  readonly area: GridAreaRow;
  readonly extent: Extent;
}

type Weights = Map<GridAreaRow, number>;

export function createCandidates(
  tables: Pick<AreaTables, 'grid_areas' | 'concessions'>,
  places: Places,
): Candidates {
  const local = tables.grid_areas.filter(({ type }) => type === 'DISTRIBUTION');
  const municipalityNames = new Map([...places.municipalities.values()].map((row) => [fold(row.name), row]));
  const areasByName = new Map<string, NamedArea[]>();
  const provinceBearers = new Map<string, NamedArea[]>();
  const add = (map: Map<string, NamedArea[]>, name: string, bearer: NamedArea) => {
    const list = map.get(name) ?? [];
    if (!list.some(({ area }) => area === bearer.area)) list.push(bearer);
    map.set(name, list);
  };
  for (const area of local) {
    for (const { name, extent, guesses } of placeNamesIn(area.name)) {
      add(areasByName, name, { area, extent });
      add(provinceBearers, name, { area, extent });
      for (const guess of guesses)
        if (municipalityNames.has(guess)) add(areasByName, guess, { area, extent });
    }
  }
  const named = (name: string, elomrade: PriceArea) =>
    (areasByName.get(name) ?? []).filter(({ area }) => area.elomrade === elomrade);

  const provinces = provincesOf(provinceBearers, municipalityNames, places);
  const owners = ownerHints(local, { municipalityNames, areasByName, places });
  const neighbours = areasOfPlaces(places, { areasByName, municipalityNames });
  const concessions = concessionOwners(tables, local);

  /** Number of municipalities in the price area with a place of this name. */
  const homonyms = (folded: string, elomrade: PriceArea) =>
    new Set(
      (places.byFolded.get(folded) ?? [])
        .filter(({ item }) => item.elomrade === elomrade)
        .map(({ item }) => item.kommun.code),
    ).size;

  function byName({ ort, kommun, elomrade }: Spot): Weights {
    const weights: Weights = new Map();
    const place = fold(ort);
    const municipality = fold(kommun.name);
    const inPlace = named(place, elomrade);
    // A municipality's own name means that municipality, not a hamlet of the same name elsewhere.
    const isForeign = place !== municipality && municipalityNames.has(place);
    const doubles = place === municipality ? 1 : Math.max(1, homonyms(place, elomrade));
    if (!isForeign) {
      const main = inPlace.filter(({ extent }) => extent === 'whole' || extent === 'town');
      const country = inPlace.filter(({ extent }) => extent === 'country');
      pool(weights, main, POOLS.place / doubles);
      pool(weights, country, (main.length > 0 ? BESIDE.place : POOLS.placeCountry) / doubles);
    }
    const isNamed = weights.size > 0 && doubles === 1;
    if (place !== municipality) {
      const whole = named(municipality, elomrade);
      const country = whole.filter(({ extent }) => extent === 'country');
      const rest = whole.filter(({ extent }) => extent === 'whole' || extent === 'town');
      const isTownOnly = rest.every(({ extent }) => extent === 'town');
      const share = isNamed ? BESIDE.municipality / POOLS.municipality : 1;
      pool(weights, country, POOLS.municipality * share);
      pool(
        weights,
        rest,
        share * (country.length > 0 || isTownOnly ? POOLS.municipalityTown : POOLS.municipality),
      );
    }
    const hinted = (owners.get(kommun.code) ?? []).filter((area) => area.elomrade === elomrade);
    const beside = weights.size > 0;
    pool(
      weights,
      hinted.map((area) => ({ area })),
      beside ? BESIDE.other : POOLS.owner,
    );
    const wide = (provinces.get(kommun.code) ?? []).filter((area) => area.elomrade === elomrade);
    pool(
      weights,
      wide.map((area) => ({ area })),
      beside ? BESIDE.municipality : POOLS.province,
    );
    if (weights.size === 0) {
      const areas = (neighbours.get(kommun.code) ?? []).filter((area) => area.elomrade === elomrade);
      pool(
        weights,
        areas.map((area) => ({ area })),
        POOLS.neighbour,
      );
    }
    const sites = [...inPlace, ...named(municipality, elomrade)].filter(({ extent }) => extent === 'site');
    pool(weights, sites, BESIDE.other);
    return weights;
  }

  function at(spot: Spot): readonly Candidate[] {
    const weights = byName(spot);
    if (spot.at !== undefined) {
      const holders = concessions(spot.at.lat, spot.at.lon, spot.elomrade);
      if (holders.length > 0) weighByConcession(weights, holders, CONCESSION[spot.at.is]);
    }
    return ranked(weights);
  }
  return { at };
}

/** Shares a weight among areas; an area with a higher weight keeps it. */
function pool(weights: Weights, areas: readonly { readonly area: GridAreaRow }[], weight: number): void {
  for (const { area } of areas) {
    weights.set(area, Math.max(weights.get(area) ?? 0, weight / areas.length));
  }
}

/** The concession holders at the position share its weight; areas of other owners keep little. */
function weighByConcession(
  weights: Weights,
  holders: readonly (readonly GridAreaRow[])[],
  weight: number,
): void {
  const theirs = new Set(holders.flat());
  for (const [area, own] of weights) if (!theirs.has(area)) weights.set(area, own * NOT_THE_OWNER);
  for (const areas of holders) {
    const share = weight / holders.length;
    const claimed = areas.map((area) => weights.get(area) ?? 0);
    const sum = claimed.reduce((total, one) => total + one, 0);
    for (const [index, area] of areas.entries()) {
      // Names decide between several areas of one owner; without a match all are equally likely.
      const part = sum > 0 ? (claimed[index] ?? 0) / sum : 1 / areas.length;
      weights.set(area, share * part);
    }
  }
}

function ranked(weights: Weights): readonly Candidate[] {
  const sum = [...weights.values()].reduce((total, one) => total + one, 0);
  const scale = sum > MOST_CLAIMED ? MOST_CLAIMED / sum : 1;
  return (
    [...weights]
      // Rounded down, so that the sum stays within the limit.
      .map(([area, weight]) => ({ area, confidence: Math.floor(weight * scale * 100 + 1e-9) / 100 }))
      .filter(({ confidence }) => confidence >= LEAST)
      .toSorted((a, b) => b.confidence - a.confidence || compare(a.area.code, b.area.code))
      .slice(0, MOST_CANDIDATES)
  );
}

/** By municipality code: areas named after its county or province, and not after a municipality. */
function provincesOf(
  areasByName: ReadonlyMap<string, readonly NamedArea[]>,
  municipalityNames: ReadonlyMap<string, unknown>,
  places: Places,
): Map<string, GridAreaRow[]> {
  const found = new Map<string, GridAreaRow[]>();
  for (const { code, county } of places.municipalities.values()) {
    const name = fold(places.countyOf(code).name).replace(/ lan$/, '');
    const names = [name, name.replace(/s$/, '')].filter((one) => !municipalityNames.has(one));
    for (const [province, codes] of Object.entries(PROVINCES))
      if (codes.includes(code) || codes.includes(county)) names.push(province);
    const areas = new Set(names.flatMap((one) => areasByName.get(one) ?? []).map(({ area }) => area));
    if (areas.size > 0) found.set(code, [...areas]);
  }
  return found;
}

/** By municipality code: areas named after a place that lies in no other municipality. */
function areasOfPlaces(
  { byFolded }: Places,
  index: {
    readonly areasByName: ReadonlyMap<string, readonly NamedArea[]>;
    readonly municipalityNames: ReadonlyMap<string, unknown>;
  },
): Map<string, GridAreaRow[]> {
  const found = new Map<string, GridAreaRow[]>();
  for (const [name, list] of index.areasByName) {
    if (index.municipalityNames.has(name)) continue;
    const codes = new Set((byFolded.get(name) ?? []).map(({ item }) => item.kommun.code));
    const [code, other] = codes;
    if (code === undefined || other !== undefined) continue;
    found.set(code, [...(found.get(code) ?? []), ...list.map(({ area }) => area)]);
  }
  return found;
}

/** By municipality code: areas whose own name matches nothing, but whose owner has the municipality's name (Nacka Energi). */
function ownerHints(
  local: readonly GridAreaRow[],
  index: {
    readonly municipalityNames: ReadonlyMap<string, { readonly code: string }>;
    readonly areasByName: ReadonlyMap<string, readonly NamedArea[]>;
    readonly places: Places;
  },
): Map<string, GridAreaRow[]> {
  const { municipalityNames, areasByName, places } = index;
  const matched = new Set<GridAreaRow>();
  for (const [name, list] of areasByName) {
    if (municipalityNames.has(name) || places.byFolded.has(name))
      for (const { area } of list) matched.add(area);
  }
  const hints = new Map<string, GridAreaRow[]>();
  for (const area of local) {
    if (matched.has(area)) continue;
    const words = fold(area.owner_name).split(' ');
    const row = [words.slice(0, 2).join(' '), words[0] ?? '']
      .flatMap((name) => [name, name.replace(/s$/, '')])
      .map((name) => municipalityNames.get(name))
      .find((one) => one !== undefined);
    if (row !== undefined) hints.set(row.code, [...(hints.get(row.code) ?? []), area]);
  }
  return hints;
}

/** Finds, for a position, the local areas in the price area of each owner with a concession there. */
function concessionOwners(
  { concessions }: Pick<AreaTables, 'concessions'>,
  local: readonly GridAreaRow[],
): (lat: number, lon: number, elomrade: PriceArea) => GridAreaRow[][] {
  if (concessions.length === 0) return () => [];
  const areasByOwner = Map.groupBy(local, ({ owner_name }) => companyKey(owner_name));
  const shapes = indexShapes(
    concessions.map(({ owner_name, polygons }) => ({ of: companyKey(owner_name), polygons })),
  );
  return (lat, lon, elomrade) =>
    [...new Set(shapes.at(lat, lon))]
      .map((owner) => (areasByOwner.get(owner) ?? []).filter((area) => area.elomrade === elomrade))
      .filter((areas) => areas.length > 0);
}

/**
 * Municipalities of the provinces and districts that grid areas are named after: four digits, or two for a whole county.
 * Provinces have no legal borders today, so a match is only a hint; when one spans several price areas, the price area
 * decides. Keys are folded names.
 */
const PROVINCES: Readonly<Record<string, readonly string[]>> = {
  adalen: ['2282', '2283'],
  bergslagen: ['1962', '1982', '2083', '2084'],
  bjare: ['1278', '1292'],
  bohuslan: ['1435', '1486', '1430', '1427', '1484', '1485', '1421', '1419', '1415', '1482', '1407'],
  brittedal: ['1273', '1293'],
  dalsland: ['1438', '1439', '1460', '1461', '1492'],
  drefviken: ['0136'],
  fal: ['1499'],
  gota: ['1487', '1462', '1488'],
  gotaland: ['05'],
  halsingland: ['2161', '2121', '2132', '2182', '2183', '2184'],
  harjean: ['2361'],
  huvudsta: ['0184'],
  kind: ['1452', '1491'],
  kinnekulle: ['1471'],
  lulealven: ['2510', '2582'],
  malmfalten: ['2584', '2523'],
  medelpad: ['2281', '2262', '2260'],
  nerike: ['18'],
  'nordvastra skane': ['1276', '1277', '1284', '1292', '1278', '1283', '1282'],
  oland: ['0885', '0840'],
  osterlen: ['1291', '1272'],
  ringsjo: ['1267', '1266', '1285'],
  roslags: ['0187', '0188', '0382', '0117'],
  sjuharad: ['1490', '1489', '1491', '1465', '1463', '1466', '1452', '1443'],
  smaland: ['06', '07', '08'],
  sydmalaren: ['04', '0181'],
  tornedalen: ['2583', '2518', '2521'],
  umealven: ['2480', '2460', '2403', '2401', '2421', '2422'],
  uppland: ['03', '0188', '0191', '0114', '0115', '0117', '0120', '0139', '0140', '0123', '0125'],
  valle: ['1495', '1496'],
  vasterbergslagen: ['2061', '2085', '1982'],
};
