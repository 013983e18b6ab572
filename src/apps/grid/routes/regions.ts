import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Areas } from '../../../domain/market/areas/index.ts';
import { parse } from '../input/parameters.ts';
import { GridOwners, PriceAreas } from '../lookups/schemas.ts';
import { dataRoute } from '../responses/data-route.ts';
import type { PreparedResponses } from '../responses/prepared.ts';

const TAG = 'Regions';
const OwnersQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 5_000, default: 500 })),
});

/** Lists of price areas and grid owners. */
export function addRegionRoutes(app: FastifyInstance, areas: Areas, responses: PreparedResponses): void {
  app.get(
    '/api/v1/regions/elomraden',
    dataRoute({
      operationId: 'listPriceAreas',
      tag: TAG,
      summary: 'The electricity price areas',
      answer: PriceAreas,
    }),
    (request, reply) => responses.send(request, reply, () => areas.priceAreas()),
  );

  app.get<{ Querystring: Record<string, unknown> }>(
    '/api/v1/regions/grid-owners',
    dataRoute({
      tag: TAG,
      operationId: 'listGridOwners',
      summary: 'Grid owners with their grid areas, by name',
      query: OwnersQuery,
      answer: GridOwners,
    }),
    (request, reply) =>
      responses.send(request, reply, () =>
        areas.gridOwners().slice(0, parse(OwnersQuery, { place: 'query', sent: request.query }).limit),
      ),
  );
}
