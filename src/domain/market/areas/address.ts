import { HttpFailure } from '../../../adapter/http.ts';
import { AppError } from '../../../core/errors.ts';
import type { Geocode, GeocodedAddress } from '../../../sources/contract/geocoder.ts';
import { type AddressAnswer, type AddressMatch, twoDecimals } from './answers.ts';
import { fold, lower, type Place } from './places.ts';

export interface AddressQuery {
  readonly adress: string;
  /** Empty: not given. */
  readonly ort: string;
  /** Five digits, or empty. */
  readonly postnr: string;
}

/** Look-ups in the tables by which an address can be resolved. */
export interface AddressParts {
  /** null for an unknown code. */
  postal(code: string): AddressMatch | null;
  /** Places of this name, most likely first. */
  places(name: string): readonly Place[];
  /** The place as a match; `share` scales its confidence. */
  place(place: Place, share: number): AddressMatch;
  /** Throws `coordinate.outside`. */
  coordinate(lat: number, lon: number): AddressMatch;
  unknownPostalCode(code: string): AppError;
  similar(name: string): string;
  readonly source: string;
  readonly geocode: Geocode | undefined;
}

type Resolved = Pick<AddressAnswer, 'resolved_by' | 'matches'>;

const MOST_MATCHES = 20;
/** Factor on a position's confidence, by the precision of the geocoder's result. */
const PRECISION = { house: 1, street: 0.9, area: 0.6 } as const;
/** Factor when postal code and place contradict each other. */
const CONTRADICTED = 0.6;
/** Factor when the only match differs in accents. */
const OTHER_SPELLING = 0.6;

/** Resolves by the given postal code, else the geocoder, else the text of the address, else the place. */
export function resolveAddress(
  query: AddressQuery,
  parts: AddressParts,
): AddressAnswer | Promise<AddressAnswer> {
  const written = readWrittenAddress(query.adress);
  if (query.postnr !== '') {
    const match = parts.postal(query.postnr);
    if (match === null) throw parts.unknownPostalCode(query.postnr);
    return byPostalCode(match, query, parts);
  }
  const code = written.postalCodes.map((one) => parts.postal(one)).find((match) => match !== null);
  const { geocode } = parts;
  const withoutGeocoder = (note?: string): AddressAnswer => {
    if (code !== undefined) return byPostalCode(code, query, parts, note);
    return byPlace(query, { parts, written: written.places, note });
  };
  if (geocode === undefined) return withoutGeocoder();
  const asked = {
    street: written.street,
    city: query.ort.trim() === '' ? written.places[0] : query.ort.trim(),
    postalCode: code?.postal_code ?? undefined,
  };
  return byGeocoder(geocode(asked), { parts, withoutGeocoder });
}

async function byGeocoder(
  asked: Promise<GeocodedAddress | null>,
  { parts, withoutGeocoder }: { parts: AddressParts; withoutGeocoder: (note: string) => AddressAnswer },
): Promise<AddressAnswer> {
  let found: GeocodedAddress | null;
  try {
    found = await asked;
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    try {
      return withoutGeocoder('the geocoder is unreachable, so the street was ignored');
    } catch (unresolved) {
      if (!(unresolved instanceof AppError)) throw unresolved;
      throw new AppError(
        'geocoder.unavailable',
        `the geocoder is unreachable, and the address cannot be resolved without it; send postnr, or retry`,
        { cause: error, retryAfterSeconds: error.retryAfterSeconds ?? 30 },
      );
    }
  }
  if (found === null) return withoutGeocoder('the geocoder does not know the street');
  let match: AddressMatch;
  try {
    match = parts.coordinate(found.lat, found.lon);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return withoutGeocoder('the geocoder found the street outside Sweden, so its result was ignored');
  }
  const named = found.postal_code === null ? null : parts.postal(found.postal_code);
  const confidence = twoDecimals(match.confidence * PRECISION[found.precision]);
  return answerOf(
    {
      resolved_by: 'geocoder',
      matches: [
        {
          ...match,
          postal_code: found.postal_code ?? match.postal_code,
          // The postal code's own municipality is more reliable than that of the nearest postal code.
          ...(named === null || named.elomrade !== match.elomrade
            ? {}
            : { kommun: named.kommun, lan: named.lan, energy_tax: named.energy_tax }),
          ort: found.ort ?? named?.ort ?? match.ort,
          confidence,
        },
      ],
    },
    { parts },
  );
}

function byPostalCode(
  match: AddressMatch,
  { ort }: AddressQuery,
  parts: AddressParts,
  note?: string,
): AddressAnswer {
  const isContradicted = ort.trim() !== '' && !isSamePlace(ort, match, parts);
  const contradiction = isContradicted
    ? `the postal code ${match.postal_code} is in ${match.ort} in ${match.kommun.name}, not in "${ort.trim().slice(0, 60)}"; the postal code was used`
    : undefined;
  const confidence = twoDecimals(match.confidence * (isContradicted ? CONTRADICTED : 1));
  const notes = [note, contradiction].filter((one) => one !== undefined).join('; ');
  return answerOf(
    { resolved_by: 'postnr', matches: [{ ...match, confidence }] },
    { parts, ...(notes === '' ? {} : { note: notes }) },
  );
}

/** Whether a name is that of the match's place or municipality, or of another place there that the postal code may serve. */
function isSamePlace(ort: string, match: AddressMatch, parts: AddressParts): boolean {
  const folded = fold(ort);
  if (folded === fold(match.ort) || folded === fold(match.kommun.name)) return true;
  return parts.places(ort).some(({ item }) => item.kommun.code === match.kommun.code);
}

function byPlace(
  { ort, adress }: AddressQuery,
  { parts, written, note }: { parts: AddressParts; written: readonly string[]; note: string | undefined },
): AddressAnswer {
  const names = ort.trim() === '' ? written : [ort];
  const places = names.map((name) => parts.places(name)).find((found) => found.length > 0);
  if (places === undefined) {
    const why =
      ort.trim() !== ''
        ? `there is no place "${ort.trim().slice(0, 60)}"${parts.similar(ort)}`
        : adress.trim() === ''
          ? 'adress is empty'
          : 'adress contains no known postal code or place';
    throw new AppError(
      'address.not_found',
      `${note === undefined ? '' : `${note}; `}${why}; send postnr (five digits) or ort (a place) with it`,
    );
  }
  const name = names.find((one) => parts.places(one).length > 0) ?? '';
  const right = places.filter((place) => place.lower === lower(name));
  // Näs is not Nås: accents are taken literally, and a note says when only another spelling exists.
  const isAccented = lower(name) !== fold(name);
  const meant = isAccented && right.length > 0 ? right : places;
  const isOther = isAccented && right.length === 0;
  const codes = meant.reduce((sum, { item }) => sum + item.postal_codes.length, 0);
  const certainty = isOther ? OTHER_SPELLING : 1;
  const matches = meant
    .slice(0, MOST_MATCHES)
    .map((place) => parts.place(place, (certainty * place.item.postal_codes.length) / codes));
  const spelling = `no place is called "${name.trim().slice(0, 60)}"; ${meant[0]?.item.ort} is the closest match`;
  const notes = [note, isOther ? spelling : undefined].filter((one) => one !== undefined).join('; ');
  return answerOf({ resolved_by: 'ort', matches }, { parts, ...(notes === '' ? {} : { note: notes }) });
}

function answerOf(
  { resolved_by, matches }: Resolved,
  { parts, note }: { parts: AddressParts; note?: string },
): AddressAnswer {
  const [first] = matches;
  if (first === undefined) throw new AppError('address.not_found', 'the address could not be resolved');
  const isOne = matches.length === 1;
  /** The first match's value, if all matches have the same. */
  const agreed = <T>(of: (match: AddressMatch) => T): T | null => {
    const own = JSON.stringify(of(first));
    return matches.every((match) => JSON.stringify(of(match)) === own) ? of(first) : null;
  };
  const notes = [
    note,
    isOne ? undefined : `${matches.length} places have this name; send postnr to choose one`,
    isOne && first.grid_areas.length === 0 ? NO_GRID_AREA : undefined,
  ].filter((one) => one !== undefined);
  return {
    resolved_by,
    confidence: first.confidence,
    postal_code: agreed((match) => match.postal_code),
    ort: agreed((match) => match.ort),
    kommun: agreed((match) => match.kommun),
    lan: agreed((match) => match.lan),
    elomrade: agreed((match) => match.elomrade),
    lat: agreed((match) => match.lat),
    lon: agreed((match) => match.lon),
    grid_areas: isOne ? first.grid_areas : [],
    energy_tax: agreed((match) => match.energy_tax),
    matches,
    source: parts.source,
    ...(notes.length === 0 ? {} : { note: notes.join('; ') }),
  };
}

/** The note on every empty list. */
export const NO_GRID_AREA =
  'no grid area was found: none in the price area has the name of the place, its municipality or its province';

/** Parts of a written address. */
interface WrittenAddress {
  /** Five digits each, last one first, as a box or house number may look like a postal code. */
  readonly postalCodes: readonly string[];
  /** Possible place names, most likely first. */
  readonly places: readonly string[];
  /** Without the postal code and what follows it. */
  readonly street: string;
}

const LONGEST = 300;
const POSTAL_CODE = /(?<![\d-])(\d{3})[ \u00a0]?(\d{2})(?!\d)/g;
const COUNTRY = /[\s,]+(?:sverige|sweden|schweden)\s*$/i;
const MOST_WORDS = 4;

/** Parses "Storgatan 1, 111 22 Stockholm" without looking anything up. */
export function readWrittenAddress(address: string): WrittenAddress {
  const text = address.slice(0, LONGEST).replaceAll(/\s+/g, ' ').trim().replace(COUNTRY, '');
  const found = [...text.matchAll(POSTAL_CODE)].filter(
    ({ index }) => !/\b(?:box|fack|postbox)\s*$/i.test(text.slice(0, index)),
  );
  const last = found.at(-1);
  const before = last === undefined ? text : text.slice(0, last.index);
  const after = last === undefined ? '' : text.slice(last.index + last[0].length);
  const parts = text.split(/[,;\n]/).map((part) => part.trim());
  const places = [
    ...wordsFrom(after),
    // Without a comma the place follows the house number: "Storgatan 1 Stockholm".
    ...(parts.length > 1 ? [parts.at(-1) ?? ''] : []),
    ...wordsFrom(/\d+ ?[a-z]?[ ,]+(\D+)$/i.exec(before.replace(/[ ,]+$/, ''))?.[1] ?? ''),
  ];
  return {
    postalCodes: found.toReversed().map((match) => `${match[1]}${match[2]}`),
    places: [...new Set(places.filter((place) => fold(place) !== ''))],
    street: (parts[0] ?? '').replaceAll(POSTAL_CODE, '').trim() || before.trim(),
  };
}

/** The text itself, then without its last words: "Stockholm c/o Berg" starts with the place. */
function wordsFrom(text: string): string[] {
  const words = text.split(/[ ,]+/).filter((word) => word !== '');
  const most = Math.min(words.length, MOST_WORDS);
  return Array.from({ length: most }, (_, index) => words.slice(0, most - index).join(' '));
}
