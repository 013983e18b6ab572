import type { PriceArea } from '../../../adapter/market.ts';
import { AppError } from '../../../core/errors.ts';
import type { Areas, Coded, GridAreaCandidate } from '../../../domain/areas/index.ts';
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

export type AnswerFault = QuestionFault | 'unknown_postal_code' | 'unknown_place' | 'outside';

export type Found =
  | { readonly places: readonly FoundPlace[] }
  | { readonly fault: AnswerFault; readonly near: readonly string[] };

type Lookups = Pick<Areas, 'postal' | 'place' | 'coordinate' | 'search'>;

/** So many names are offered to who has misspelt one. */
const MOST_NEAR = 6;

/** Answers what was typed into the look-up box. */
export function find(areas: Lookups, text: string): Found {
  const question = readQuestion(text);
  switch (question.kind) {
    case 'fault':
      return { fault: question.fault, near: [] };
    case 'postal':
      return orFault('unknown_postal_code', [], () => [ofPostalCode(areas, question.code)]);
    case 'coordinate':
      return orFault('outside', [], () => [ofCoordinate(areas, question)]);
    case 'place': {
      const { name } = question;
      const near = () => [...new Set(areas.search(name).map(({ ort }) => ort))].slice(0, MOST_NEAR);
      return orFault('unknown_place', near, () => ofName(areas, name));
    }
  }
}

function orFault(
  fault: AnswerFault,
  near: readonly string[] | (() => readonly string[]),
  read: () => readonly FoundPlace[],
): Found {
  try {
    return { places: read() };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { fault, near: typeof near === 'function' ? near() : near };
  }
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
  tax:
    energy_tax === null
      ? null
      : {
          ore: energy_tax.rate_ore_per_kwh,
          withVat: energy_tax.rate_ore_per_kwh_incl_vat,
          isReduced: energy_tax.reduced,
        },
});

function ofPostalCode(areas: Lookups, code: string): FoundPlace {
  const answer = areas.postal(code);
  // A postal code is told without its position; that of its place is near enough for a mark on a map.
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
