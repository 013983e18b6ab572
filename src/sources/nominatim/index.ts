import { type Http, HttpFailure } from '../../adapter/http.ts';
import { BoundedMap } from '../../core/bounded-map.ts';
import type { AddressQuery, Geocode, GeocodedAddress } from '../contract/geocoder.ts';
import { isResults, type Result } from './payload.ts';

/** Answers that are kept; an address stays where it is. What was not found is asked again. */
const MOST_KEPT = 500;
const MOST_BYTES = 256 * 1024;
const LONGEST = 200;

/**
 * Street addresses by the search API of Nominatim, or of anything that speaks it (`/search`, format jsonv2). Asked for
 * Sweden alone, one result; concurrent equal questions are one request.
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
  // A street alone is looked for as free text: the structured search wants something around it.
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
    throw new HttpFailure('answer_invalid', 'the geocoder answered something else than a list of results');
  const [first] = results;
  return first === undefined ? null : translated(first);
}

/** OSM's words in ours; a result outside Sweden, or without a position, is none. */
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
