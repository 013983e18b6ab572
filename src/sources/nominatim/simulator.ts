import {
  type Http,
  type HttpAnswer,
  HttpFailure,
  type HttpFailureKind,
  type HttpRequest,
} from '../../adapter/http.ts';
import type { Json } from '../../core/json.ts';

interface SimulatedAddress {
  readonly road: string;
  readonly houses: readonly string[];
  readonly city: string;
  readonly postcode: string;
  readonly lat: string;
  readonly lon: string;
}

/** Made-up houses at real places. */
const ADDRESSES: readonly SimulatedAddress[] = [
  {
    road: 'Vasagatan',
    houses: ['1', '10'],
    city: 'Stockholm',
    postcode: '111 20',
    lat: '59.3316',
    lon: '18.0575',
  },
  {
    road: 'Storgatan',
    houses: ['1', '2'],
    city: 'Luleå',
    postcode: '972 31',
    lat: '65.5841',
    lon: '22.1547',
  },
  { road: 'Storgatan', houses: ['1'], city: 'Malmö', postcode: '211 41', lat: '55.6018', lon: '13.0006' },
];

/** An in-process simulation of Nominatim; `failWith` makes it fail until it is undefined again. */
interface SimulatedNominatim {
  readonly http: Http;
  readonly asked: readonly HttpRequest[];
  failWith: HttpFailureKind | undefined;
  /** The response to every query, until it is undefined again. */
  answerWith: Json | undefined;
}

export function simulateNominatim(): SimulatedNominatim {
  const asked: HttpRequest[] = [];
  const simulator: SimulatedNominatim = {
    asked,
    failWith: undefined,
    answerWith: undefined,
    http: {
      async send(request) {
        asked.push(request);
        if (simulator.failWith !== undefined)
          throw new HttpFailure(simulator.failWith, 'the geocoder does not respond', {
            retryAfterSeconds: 7,
          });
        return answerOf(simulator.answerWith ?? search(request));
      },
    },
  };
  return simulator;
}

function search({ path, query = {} }: HttpRequest): Json {
  if (path !== '/search' || query.format !== 'jsonv2')
    return { error: { code: 400, message: 'Nothing to search for.' } };
  const wanted = [query.q, query.street, query.city].flat().join(' ').toLowerCase();
  const found = ADDRESSES.filter(
    ({ road, city, postcode }) =>
      wanted.includes(road.toLowerCase()) &&
      (query.city === undefined || String(query.city).toLowerCase() === city.toLowerCase()) &&
      (query.postalcode === undefined || query.postalcode === postcode.replace(' ', '')),
  );
  return found.slice(0, Number(query.limit ?? 10)).map((address) => resultOf(address, wanted));
}

function resultOf({ road, houses, city, postcode, lat, lon }: SimulatedAddress, wanted: string): Json {
  const house = houses.find((number) => new RegExp(`\\b${number}\\b`).test(wanted));
  return {
    place_id: 1,
    licence: 'Data © OpenStreetMap contributors, ODbL 1.0. http://osm.org/copyright',
    osm_type: house === undefined ? 'way' : 'node',
    osm_id: 1,
    lat,
    lon,
    category: house === undefined ? 'highway' : 'place',
    type: house === undefined ? 'residential' : 'house',
    place_rank: house === undefined ? 26 : 30,
    importance: 0.1,
    addresstype: house === undefined ? 'road' : 'place',
    name: house === undefined ? road : '',
    display_name: `${house ?? ''} ${road}, ${city}, ${postcode}, Sverige`.trim(),
    address: {
      ...(house === undefined ? {} : { house_number: house }),
      road,
      city,
      postcode,
      country: 'Sverige',
      country_code: 'se',
    },
    boundingbox: ['0', '0', '0', '0'],
  };
}

function answerOf(body: Json): HttpAnswer {
  const text = JSON.stringify(body);
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    bytes: new TextEncoder().encode(text),
    text: () => text,
    json: () => body,
  };
}
