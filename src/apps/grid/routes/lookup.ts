import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Areas } from '../../../domain/market/areas/index.ts';
import { ValidationError } from '../../../http/errors.ts';
import { parse, readParameters } from '../input/parameters.ts';
import { readPostalCode, readTrimmed } from '../lookups/places.ts';
import {
  AddressAnswer,
  CoordinateAnswer,
  GridAreaAnswer,
  Place,
  PlaceAnswer,
  PostalAnswer,
} from '../lookups/schemas.ts';
import { dataRoute } from '../responses/data-route.ts';
import type { PreparedResponses } from '../responses/prepared.ts';

const TAG = 'Look-ups';
/** How long an answer that a geocoder had part in may be used: the geocoder changes when it likes. */
const GEOCODED_SECONDS = 3_600;

const PostalQuery = Type.Object({
  code: Type.String({ description: 'Five digits, with or without a space: 111 22', examples: ['11122'] }),
});
const GridAreaQuery = Type.Object({
  code: Type.String({
    minLength: 1,
    description:
      'Code (STH) or EIC of a metering grid area; or EIC of a price area or national operator id, for all its grid areas',
    examples: ['STH'],
  }),
});
const SearchQuery = Type.Object({
  q: Type.String({ minLength: 2, description: 'Part of a name', examples: ['Upps'] }),
});
const PlaceQuery = Type.Object({
  ort: Type.String({ minLength: 1, description: 'Name of a place', examples: ['Kiruna'] }),
});
const AddressQuery = Type.Object({
  adress: Type.String({
    description: 'Street address; a postal code or place in it is used',
    examples: ['Drottninggatan 1, 111 51 Stockholm'],
  }),
  ort: Type.Optional(Type.String({ default: '', description: 'Place' })),
  postnr: Type.Optional(Type.String({ default: '', description: 'Postal code, five digits' })),
});
const CoordinateQuery = Type.Object({
  lat: Type.Number({ minimum: -90, maximum: 90, description: 'Latitude, WGS84 degrees', examples: [59.33] }),
  lon: Type.Number({
    minimum: -180,
    maximum: 180,
    description: 'Longitude, WGS84 degrees',
    examples: [18.06],
  }),
});

/** Price area, grid areas and energy tax by what people know of a place. */
export function addLookupRoutes(app: FastifyInstance, areas: Areas, responses: PreparedResponses): void {
  app.get<{ Querystring: Record<string, unknown> }>(
    '/api/v1/lookup/postal',
    dataRoute({
      tag: TAG,
      operationId: 'lookUpPostalCode',
      summary: 'Look up a postal code',
      description:
        'Grid areas are ranked candidates, because no public source maps postal codes to grid areas.',
      query: PostalQuery,
      answer: PostalAnswer,
      errors: { 404: 'The postal code does not exist' },
    }),
    (request, reply) => responses.send(request, reply, () => areas.postal(postalCodeOf(request.query))),
  );

  app.get<{ Querystring: Record<string, unknown> }>(
    '/api/v1/lookup/grid-area',
    dataRoute({
      tag: TAG,
      operationId: 'lookUpGridArea',
      summary: 'Look up grid areas by code, EIC or owner',
      query: GridAreaQuery,
      answer: GridAreaAnswer,
      errors: { 404: 'No grid area has this code, EIC or owner' },
    }),
    (request, reply) =>
      responses.send(request, reply, () => {
        const { code } = parse(GridAreaQuery, { place: 'query', sent: request.query });
        return areas.gridArea(trimmed('code', code, 1));
      }),
  );

  app.get<{ Querystring: Record<string, unknown> }>(
    '/api/v1/search/ort',
    dataRoute({
      tag: TAG,
      operationId: 'searchPlaces',
      summary: 'Search places',
      description:
        'Ignores case and accents. Returns at most 20 places: exact matches first, then names that start with the query, contain it, or match with one typo; the largest first.',
      query: SearchQuery,
      answer: Type.Array(Place),
    }),
    (request, reply) =>
      responses.send(request, reply, () => {
        const { q } = parse(SearchQuery, { place: 'query', sent: request.query });
        return areas.search(trimmed('q', q, 2));
      }),
  );

  app.get<{ Querystring: Record<string, unknown> }>(
    '/api/v1/lookup/ort',
    dataRoute({
      tag: TAG,
      operationId: 'lookUpPlace',
      summary: 'Look up a place name; several places may share it',
      query: PlaceQuery,
      answer: PlaceAnswer,
      errors: { 404: 'The place does not exist' },
    }),
    (request, reply) =>
      responses.send(request, reply, () => {
        const { ort } = parse(PlaceQuery, { place: 'query', sent: request.query });
        return areas.place(trimmed('ort', ort, 1));
      }),
  );

  app.get<{ Querystring: Record<string, unknown> }>(
    '/api/v1/lookup/address',
    dataRoute({
      tag: TAG,
      operationId: 'lookUpAddress',
      summary: 'Look up a street address',
      description:
        'Resolved by postnr if given, else by the geocoder if one is configured, else by a postal code in the address or by the place. resolved_by says which.',
      query: AddressQuery,
      answer: AddressAnswer,
      errors: { 404: 'The address could not be resolved', 503: 'The geocoder is unreachable' },
    }),
    (request, reply) => {
      const make = () => areas.address(addressOf(request.query));
      // What a geocoder had no part in depends on nothing but the parameters.
      if (!areas.hasGeocoder) return responses.send(request, reply, make);
      const answer = make();
      if (!(answer instanceof Promise)) return responses.sendOnce(request, reply, { body: answer });
      return answer.then((body) => {
        const seconds = body.resolved_by === 'geocoder' ? GEOCODED_SECONDS : 0;
        return responses.sendOnce(request, reply, { body, seconds });
      });
    },
  );

  app.get<{ Querystring: Record<string, unknown> }>(
    '/api/v1/lookup/coordinate',
    dataRoute({
      tag: TAG,
      operationId: 'lookUpCoordinate',
      summary: 'Look up a coordinate',
      description: 'Off the coast, returns the nearest price area within 25 km and its distance.',
      query: CoordinateQuery,
      answer: CoordinateAnswer,
      errors: { 404: 'The coordinate is not in Sweden' },
    }),
    (request, reply) =>
      responses.send(request, reply, () => {
        const { lat, lon } = parse(CoordinateQuery, { place: 'query', sent: request.query });
        return areas.coordinate(lat, lon);
      }),
  );
}

function postalCodeOf(query: unknown): string {
  const { code } = parse(PostalQuery, { place: 'query', sent: query });
  const outcome = readPostalCode('code', code);
  if ('fault' in outcome) throw new ValidationError([outcome.fault]);
  return outcome.value;
}

function trimmed(name: string, input: string, least: number): string {
  const outcome = readTrimmed(name, input, least);
  if ('fault' in outcome) throw new ValidationError([outcome.fault]);
  return outcome.value;
}

function addressOf(query: unknown): { adress: string; ort: string; postnr: string } {
  const { values, faults } = readParameters(AddressQuery, { place: 'query', sent: query });
  const postnr = typeof values.postnr === 'string' ? values.postnr : '';
  const outcome = postnr.trim() === '' ? { value: '' } : readPostalCode('postnr', postnr);
  const all = 'fault' in outcome ? [...faults, outcome.fault] : faults;
  if (all.length > 0 || 'fault' in outcome) throw new ValidationError(all);
  return { ...values, postnr: outcome.value };
}
