import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { CURSOR_FAULT, isCursor } from '../../../core/cursors.ts';
import {
  OperatorsPage,
  OperatorsRequest,
  type Requests,
  routeFilter,
  STATUS_FILTER,
  statusFilter,
} from '../../../domain/records/requests/index.ts';
import { nextPage } from '../../../http/next-page.ts';
import { adminRoute } from '../administration/route.ts';
import { faultInMoment } from '../administration/schemas.ts';
import { parse } from '../input/parameters.ts';

const RequestPath = Type.Object({
  request_id: Type.String({ description: 'X-Request-Id of a response', examples: ['v7Qm3kXz0a-4f'] }),
});

const Filters = Type.Object({
  user_id: Type.Optional(
    Type.String({ default: '', pattern: '^\\d{0,9}$', description: 'An account; 0 for callers without one' }),
  ),
  status: Type.Optional(Type.String({ default: '', description: STATUS_FILTER, examples: ['failed'] })),
  route: Type.Optional(
    Type.String({
      default: '',
      maxLength: 200,
      description: 'As it is declared, with its method or without',
      examples: ['POST /devices/{id}/command'],
    }),
  ),
  request_id: Type.Optional(
    Type.String({
      default: '',
      maxLength: 128,
      description: 'All requests with this id: one that a caller chose may be on several',
    }),
  ),
  since: Type.Optional(
    Type.String({ default: '', description: 'RFC 3339; requests that began then or later, by default all' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
  cursor: Type.Optional(Type.String({ default: '', maxLength: 200, description: 'From the page before' })),
});

const RULES = {
  status: (value: string) =>
    value === '' || statusFilter(value) !== undefined ? null : `it must be ${STATUS_FILTER}`,
  since: faultInMoment,
  cursor: (value: string) => (value === '' || isCursor(value) ? null : `it ${CURSOR_FAULT}`),
};

/** What became of requests, of whomever. */
export function addRequestRoutes(app: FastifyInstance, { ofOperator }: Pick<Requests, 'ofOperator'>): void {
  app.get(
    '/admin/requests',
    adminRoute({
      operationId: 'listFailedRequests',
      summary: 'List requests that failed or change something, newest first',
      query: Filters,
      answer: OperatorsPage,
      pagination: { cursor: 'cursor', items: 'requests', next: 'cursor' },
      kept: 'nothing',
    }),
    async (request, reply) => {
      const sent = parse(Filters, { place: 'query', sent: request.query, rules: RULES });
      const page = await ofOperator.list({
        account: sent.user_id === '' ? undefined : Number(sent.user_id),
        status: statusFilter(sent.status),
        ...(sent.route === '' ? {} : routeFilter(sent.route)),
        requestId: sent.request_id === '' ? undefined : sent.request_id,
        since: sent.since === '' ? undefined : Date.parse(sent.since),
        cursor: sent.cursor === '' ? undefined : sent.cursor,
        limit: sent.limit,
      });
      if (page.cursor !== null)
        reply.header('link', nextPage('/admin/requests', request.query, { cursor: page.cursor }));
      return page;
    },
  );

  app.get(
    '/admin/requests/:request_id',
    adminRoute({
      operationId: 'getRequestWithCalls',
      summary: 'Find a request by its id, with the calls to vendors that it led to',
      path: RequestPath,
      answer: OperatorsRequest,
      kept: 'nothing',
      errors: {
        404: 'No request with this id is kept',
        409: 'Requests of several accounts have this id; list them with request_id',
      },
    }),
    (request) => ofOperator.find(parse(RequestPath, { place: 'path', sent: request.params }).request_id),
  );
}
