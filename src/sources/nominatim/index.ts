import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { type Http, HttpFailure } from '../../adapter/http.ts';
import { BoundedMap } from '../../core/bounded-map.ts';
import type { AddressQuery, Geocode, GeocodedAddress } from '../contract/geocoder.ts';

const text = Type.Optional(Type.String());

/** The used fields of a result; Nominatim sends more, and positions as text. */
const Result = Type.Object({
  lat: Type.Union([Type.String(), Type.Number()]),
  lon: Type.Union([Type.String(), Type.Number()]),
  place_rank: Type.Optional(Type.Number()),
  address: Type.Optional(
    Type.Object({
      house_number: text,
      city: text,
      town: text,
      village: text,
      hamlet: text,
      suburb: text,
      postcode: text,
      country_code: text,
    }),
  ),
});
type Result = Static<typeof Result>;

const check = Compile(Type.Array(Result));

function isResults(value: unknown): value is Result[] {
  return check.Check(value);
}

/** Number of cached results; an address does not move. Misses are not cached. */
const MOST_KEPT = 500;
const MOST_BYTES = 256 * 1024;
const LONGEST = 200;

/**
 * Geocodes street addresses with the search API of Nominatim or a compatible service (`/search`, format jsonv2). Requests
 * one result in Sweden; concurrent equal queries share one request.
 */
export function nominatim(http: Http): Geocode {
  const kept = new BoundedMap<string, Promise<GeocodedAddress | null>>(MOST_KEPT);
  return (query) => {
    const key = JSON.stringify(
      [query.street, query.city, query.postalCode].map((part) => part?.toLowerCase()),
    );
    const answer = kept.get(key) ?? ask(http, query);
    kept.set(key, answer);
    const forget = () => {
      if (kept.get(key) === answer) kept.delete(key);
    };
    answer.then((found) => {
      if (found === null) forget();
    }, forget);
    return answer;
  };
}

async function ask(http: Http, { street, city, postalCode }: AddressQuery): Promise<GeocodedAddress | null> {
  const cut = (text: string | undefined) => text?.slice(0, LONGEST).toWellFormed();
  // Only a street: free text, as the structured search requires a city or postal code.
  const where =
    city === undefined && postalCode === undefined
      ? { q: cut(street) }
      : { street: cut(street), city: cut(city), postalcode: postalCode };
  const answer = await http.send({
    path: '/search',
    query: { ...where, countrycodes: 'se', format: 'jsonv2', addressdetails: '1', limit: '1' },
    headers: { accept: 'application/json', 'accept-language': 'sv' },
    mostBytes: MOST_BYTES,
  });
  const results = answer.json();
  if (!isResults(results))
    throw new HttpFailure('answer_invalid', 'the geocoder did not respond with a list of results');
  const [first] = results;
  return first === undefined ? null : translated(first);
}

/** Translates a result; null outside Sweden or without a position. */
function translated({ lat, lon, place_rank, address = {} }: Result): GeocodedAddress | null {
  const at = { lat: Number(lat), lon: Number(lon) };
  if (!Number.isFinite(at.lat) || !Number.isFinite(at.lon)) return null;
  if (address.country_code !== undefined && address.country_code !== 'se') return null;
  const digits = address.postcode?.replaceAll(/\s/g, '') ?? '';
  return {
    ...at,
    postal_code: /^\d{5}$/.test(digits) ? digits : null,
    ort: address.city ?? address.town ?? address.village ?? address.hamlet ?? address.suburb ?? null,
    precision: precisionOf(place_rank, address.house_number),
  };
}

/** Ranks of Nominatim: 30 is a house, 26 and 27 are streets, less is wider. */
function precisionOf(
  rank: number | undefined,
  houseNumber: string | undefined,
): GeocodedAddress['precision'] {
  if (houseNumber !== undefined || (rank ?? 0) >= 28) return 'house';
  return (rank ?? 0) >= 26 ? 'street' : 'area';
}
