import { AppError } from '../../../core/errors.ts';
import type {
  AddressMatch,
  Areas,
  Coded,
  GridAreaCandidate,
  Region,
} from '../../../domain/market/areas/index.ts';
import { PRICE_AREA_FACTS, type PriceArea } from '../../../sources/contract/market.ts';
import { type QuestionFault, readQuestion } from './question.ts';

/** A place that a question leads to. */
export interface FoundPlace {
  readonly title: string;
  readonly elomrade: PriceArea;
  /** How sure the price area is; null where that is not known apart from the name. */
  readonly confidence: number | null;
  readonly kommun: Coded;
  readonly lan: Coded;
  readonly gridAreas: readonly GridAreaCandidate[];
  readonly tax: { readonly ore: string; readonly withVat: string; readonly isReduced: boolean } | null;
  /** Where it is, to be marked on the map. */
  readonly at: { readonly lat: number; readonly lon: number } | null;
  /** Metres to the price area, for a point outside of all. */
  readonly metresAway: number;
}

/** A price area, a municipality or a county. */
export interface FoundRegion {
  readonly kind: 'area' | Region['kind'];
  readonly name: string;
  /** It, where it is a municipality. */
  readonly kommun: Coded | null;
  /** The county of a municipality. */
  readonly lan: Coded | null;
  /** That of most of its postal codes first. */
  readonly elomraden: readonly PriceArea[];
  readonly tax: FoundPlace['tax'];
}

type AnswerFault = QuestionFault | 'unknown_postal_code' | 'unknown_place' | 'unknown_address' | 'outside';

export type Found =
  | {
      readonly places: readonly FoundPlace[];
      /** The name that is known, where it is not the one that was typed. */
      readonly instead?: string;
    }
  | { readonly region: FoundRegion }
  | { readonly fault: AnswerFault; readonly near: readonly string[] };

type Lookups = Pick<Areas, 'postal' | 'place' | 'coordinate' | 'search' | 'region' | 'address'>;

/** So many names are offered to who has misspelt one. */
const MOST_NEAR = 6;

/** Answers what was typed into the look-up box. */
export function find(areas: Lookups, text: string): Found | Promise<Found> {
  const question = readQuestion(text);
  switch (question.kind) {
    case 'fault':
      return { fault: question.fault, near: [] };
    case 'postal':
      return orFault('unknown_postal_code', () => [ofPostalCode(areas, question.code)]);
    case 'coordinate':
      return orFault('outside', () => [ofCoordinate(areas, question)]);
    case 'area':
      return { region: ofArea(question.area) };
    case 'name':
      return ofText(areas, question.name);
  }
}

function orFault(fault: AnswerFault, read: () => readonly FoundPlace[]): Found {
  return orNothing(() => ({ places: read() })) ?? { fault, near: [] };
}

/** Undefined where a look-up says that there is no such thing. */
function orNothing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

/** A region where it is named as one, a place, a region, an address, or the only name that is like it. */
function ofText(areas: Lookups, text: string): Found | Promise<Found> {
  const region = areas.region(text);
  const isNamedAsRegion = /\s(?:kommun|l[äa]n)$/iu.test(text);
  const places = region !== null && isNamedAsRegion ? undefined : orNothing(() => ofName(areas, text));
  if (places !== undefined) return { places };
  if (region !== null) return { region: ofRegion(region) };
  return isAddress(text) ? ofAddress(areas, text) : ofLikeNames(areas, text);
}

/** A name has no digits, and says nothing after a comma. */
const isAddress = (text: string) => /[\d,]/.test(text);

async function ofAddress(areas: Lookups, text: string): Promise<Found> {
  try {
    const { matches } = await areas.address({ adress: text, ort: '', postnr: '' });
    return { places: matches.map((match) => ofMatch(match)) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { fault: 'unknown_address', near: [] };
  }
}

function ofLikeNames(areas: Lookups, text: string): Found {
  const near = [...new Set(areas.search(text).map(({ ort }) => ort))].slice(0, MOST_NEAR);
  const [only] = near;
  return only !== undefined && near.length === 1
    ? { places: ofName(areas, only), instead: only }
    : { fault: 'unknown_place', near };
}

function ofMatch(match: AddressMatch): FoundPlace {
  const { postal_code: code, ort } = match;
  return {
    ...shared(match),
    title: code === null ? ort : `${code.slice(0, 3)} ${code.slice(3)} ${ort}`,
    confidence: match.confidence,
    at: positionOf(match),
    metresAway: 0,
  };
}

function ofArea(area: PriceArea): FoundRegion {
  const { name } = PRICE_AREA_FACTS[area];
  return { kind: 'area', name: `${area} ${name}`, kommun: null, lan: null, elomraden: [area], tax: null };
}

function ofRegion({ kind, code, name, lan, elomraden, energy_tax }: Region): FoundRegion {
  const kommun = kind === 'municipality' ? { code, name } : null;
  return { kind, name, kommun, lan, elomraden, tax: taxOf(energy_tax) };
}

interface Facts {
  readonly elomrade: PriceArea;
  readonly kommun: Coded;
  readonly lan: Coded;
  readonly grid_areas: readonly GridAreaCandidate[];
  readonly energy_tax: {
    readonly rate_ore_per_kwh: string;
    readonly rate_ore_per_kwh_incl_vat: string;
    readonly reduced: boolean;
  } | null;
}

const shared = ({ elomrade, kommun, lan, grid_areas, energy_tax }: Facts) => ({
  elomrade,
  kommun,
  lan,
  gridAreas: grid_areas,
  tax: taxOf(energy_tax),
});

const taxOf = (tax: Facts['energy_tax']): FoundPlace['tax'] =>
  tax === null
    ? null
    : { ore: tax.rate_ore_per_kwh, withVat: tax.rate_ore_per_kwh_incl_vat, isReduced: tax.reduced };

function ofPostalCode(areas: Lookups, code: string): FoundPlace {
  const answer = areas.postal(code);
  // The look-up of a postal code has no position; that of its place is near enough for a mark on a map.
  const place = areas.search(answer.ort).find(({ postal_codes }) => postal_codes.includes(code));
  return {
    ...shared(answer),
    title: `${code.slice(0, 3)} ${code.slice(3)} ${answer.ort}`,
    confidence: answer.confidence,
    at: place === undefined ? null : positionOf(place),
    metresAway: 0,
  };
}

function ofCoordinate(areas: Lookups, { lat, lon }: { lat: number; lon: number }): FoundPlace {
  const answer = areas.coordinate(lat, lon);
  return {
    ...shared(answer),
    title: answer.ort ?? answer.kommun.name,
    confidence: answer.confidence,
    at: { lat, lon },
    metresAway: answer.distance_m,
  };
}

function ofName(areas: Lookups, name: string): FoundPlace[] {
  return areas.place(name).matches.map((match) => ({
    ...shared(match),
    title: match.ort,
    confidence: null,
    at: positionOf(match),
    metresAway: 0,
  }));
}

function positionOf({ lat, lon }: { readonly lat: number | null; readonly lon: number | null }) {
  return lat === null || lon === null ? null : { lat, lon };
}
