import type { PriceArea } from '../../sources/contract/market.ts';
import { companyKey, type Extent, namesBorne } from './area-names.ts';
import { fold } from './fold.ts';
import { type Coded, compare, type Places } from './places.ts';
import { indexShapes } from './polygon.ts';
import { PROVINCES } from './provinces.ts';
import type { AreaTables, GridAreaRow } from './tables.ts';

/** Where a grid area is sought. */
export interface Spot {
  readonly ort: string;
  readonly kommun: Coded;
  readonly elomrade: PriceArea;
  /** A position, and how much it is worth: that of an address, of a postal code (often its place's) or of a place's middle. */
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
  /** Grid areas of local networks that may supply the spot, the likeliest first; together they claim at most 0.95. */
  at(spot: Spot): readonly Candidate[];
}

/*
 * No public table says which grid area a postal code belongs to. What is known: an area's name, its price area, its owner,
 * and where an import has them the owners' concessions. The weights below say how much each is worth. They are
 * judgements, not measured shares: a town's own network covers the town (0.8) and often, but seldom all of, the rest of
 * its municipality (0.5).
 */
const MOST_CLAIMED = 0.95;
const LEAST = 0.03;
const MOST_CANDIDATES = 10;
const POOLS = {
  /** The area bears the place's name. */
  place: 0.8,
  /** The same, where only a "bygden" or "landsbygd" bears it. */
  placeCountry: 0.6,
  municipality: 0.5,
  /** The municipality's town alone, for a place outside it. */
  municipalityTown: 0.3,
  owner: 0.25,
  province: 0.3,
  /** Nothing but another place of the municipality lends its name. */
  neighbour: 0.2,
} as const;
/** What is left for a weaker kind of match beside a stronger one. */
const BESIDE = { place: 0.12, municipality: 0.15, other: 0.08 } as const;
/** An owner's concession contains the position. */
const CONCESSION = { address: 0.9, postal_code: 0.7, place: 0.6 } as const;
const NOT_THE_OWNER = 0.15;

interface Bearer {
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
  const bearers = new Map<string, Bearer[]>();
  const provinceBearers = new Map<string, Bearer[]>();
  const add = (map: Map<string, Bearer[]>, name: string, bearer: Bearer) => {
    const list = map.get(name) ?? [];
    if (!list.some(({ area }) => area === bearer.area)) list.push(bearer);
    map.set(name, list);
  };
  for (const area of local) {
    for (const { name, extent, guesses } of namesBorne(area.name)) {
      add(bearers, name, { area, extent });
      add(provinceBearers, name, { area, extent });
      for (const guess of guesses) if (municipalityNames.has(guess)) add(bearers, guess, { area, extent });
    }
  }
  const named = (name: string, elomrade: PriceArea) =>
    (bearers.get(name) ?? []).filter(({ area }) => area.elomrade === elomrade);

  const provinces = provincesOf(provinceBearers, municipalityNames, places);
  const owners = ownerHints(local, { municipalityNames, bearers, places });
  const neighbours = areasOfPlaces(places, { bearers, municipalityNames });
  const concessions = concessionOwners(tables, local);

  /** In how many municipalities of the price area a place of this name lies. */
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

/** Shares a weight among areas; one that has more already keeps it. */
function pool(weights: Weights, bearers: readonly { readonly area: GridAreaRow }[], weight: number): void {
  for (const { area } of bearers) {
    weights.set(area, Math.max(weights.get(area) ?? 0, weight / bearers.length));
  }
}

/** The holders of concessions at the position share its weight; an area of nobody there keeps little. */
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
      // Where the owner has several areas, their names decide; without any, each is as likely as the others.
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
      // Rounded down, so that rounding claims no more than there is.
      .map(([area, weight]) => ({ area, confidence: Math.floor(weight * scale * 100 + 1e-9) / 100 }))
      .filter(({ confidence }) => confidence >= LEAST)
      .toSorted((a, b) => b.confidence - a.confidence || compare(a.area.code, b.area.code))
      .slice(0, MOST_CANDIDATES)
  );
}

/** By municipality code, the areas that are named after its county or province, and not after a municipality. */
function provincesOf(
  bearers: ReadonlyMap<string, readonly Bearer[]>,
  municipalityNames: ReadonlyMap<string, unknown>,
  places: Places,
): Map<string, GridAreaRow[]> {
  const found = new Map<string, GridAreaRow[]>();
  for (const { code, county } of places.municipalities.values()) {
    const name = fold(places.countyOf(code).name).replace(/ lan$/, '');
    const names = [name, name.replace(/s$/, '')].filter((one) => !municipalityNames.has(one));
    for (const [province, codes] of Object.entries(PROVINCES))
      if (codes.includes(code) || codes.includes(county)) names.push(province);
    const areas = new Set(names.flatMap((one) => bearers.get(one) ?? []).map(({ area }) => area));
    if (areas.size > 0) found.set(code, [...areas]);
  }
  return found;
}

/** By municipality code, the areas that bear the name of a place which lies in no other municipality. */
function areasOfPlaces(
  { byFolded }: Places,
  known: {
    readonly bearers: ReadonlyMap<string, readonly Bearer[]>;
    readonly municipalityNames: ReadonlyMap<string, unknown>;
  },
): Map<string, GridAreaRow[]> {
  const found = new Map<string, GridAreaRow[]>();
  for (const [name, list] of known.bearers) {
    if (known.municipalityNames.has(name)) continue;
    const codes = new Set((byFolded.get(name) ?? []).map(({ item }) => item.kommun.code));
    const [code, other] = codes;
    if (code === undefined || other !== undefined) continue;
    found.set(code, [...(found.get(code) ?? []), ...list.map(({ area }) => area)]);
  }
  return found;
}

/** By municipality code, areas whose own name says nothing but whose owner bears the municipality's name: Nacka Energi. */
function ownerHints(
  local: readonly GridAreaRow[],
  known: {
    readonly municipalityNames: ReadonlyMap<string, { readonly code: string }>;
    readonly bearers: ReadonlyMap<string, readonly Bearer[]>;
    readonly places: Places;
  },
): Map<string, GridAreaRow[]> {
  const { municipalityNames, bearers, places } = known;
  const told = new Set<GridAreaRow>();
  for (const [name, list] of bearers) {
    if (municipalityNames.has(name) || places.byFolded.has(name)) for (const { area } of list) told.add(area);
  }
  const hints = new Map<string, GridAreaRow[]>();
  for (const area of local) {
    if (told.has(area)) continue;
    const words = fold(area.owner_name).split(' ');
    const row = [words.slice(0, 2).join(' '), words[0] ?? '']
      .flatMap((name) => [name, name.replace(/s$/, '')])
      .map((name) => municipalityNames.get(name))
      .find((one) => one !== undefined);
    if (row !== undefined) hints.set(row.code, [...(hints.get(row.code) ?? []), area]);
  }
  return hints;
}

/** Answers for a position the local areas of each owner that holds a concession there, in the price area. */
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
