import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { AppError } from '../../../core/errors.ts';
import {
  KeptRequest,
  RequestPage,
  type Requests,
  routeFilter,
  STATUS_FILTER,
  statusFilter,
} from '../../../domain/records/requests/index.ts';
import { nextPage } from '../../../http/next-page.ts';
import { limitParameter, principalOf, readPath, readQuery } from '../input/parameters.ts';
import { errorResponses } from '../schemas.ts';

const PAGE = 100;

const RequestId = Type.Object({
  request_id: Type.String({
    description: 'X-Request-Id of a response',
    examples: ['v7Qm3kXz0a-4f'],
  }),
});

const Filters = Type.Object({
  status: Type.Optional(Type.String({ description: STATUS_FILTER, examples: ['failed'] })),
  route: Type.Optional(
    Type.String({
      description: 'As it is declared, with its method or without',
      examples: ['POST /devices/{id}/command'],
    }),
  ),
  request_id: Type.Optional(
    Type.String({ description: 'All requests with this id: one that a caller chose may be on several' }),
  ),
  since: Type.Optional(
    Type.String({ format: 'date-time', description: 'Requests that began then or later; by default all' }),
  ),
  limit: limitParameter(PAGE),
  cursor: Type.Optional(Type.String({ description: 'From the page before' })),
});

export interface RequestRoutes {
  readonly requests: Pick<Requests, 'ofAccount'>;
}

/** What became of requests of an account. */
export function addRequestRoutes(app: FastifyInstance, { requests }: RequestRoutes): void {
  const { ofAccount } = requests;

  app.get(
    '/requests',
    {
      config: { access: 'devices:read', kept: 'nothing' },
      schema: {
        operationId: 'listRequests',
        summary: 'List requests, newest first',
        description:
          'Requests of the account to Connect and Grid that were refused or failed, and those that change something; reads that succeed are not kept, unless they waited a second or longer for a vendor. Of the same failures, at most 60 of a minute are kept. For seven days, unless the operator has set another time.',
        tags: ['Requests'],
        querystring: Filters,
        response: { 200: RequestPage },
        pagination: { cursor: 'cursor', items: 'requests', next: 'cursor' },
      },
    },
    async (request, reply) => {
      const { account } = principalOf(request);
      const {
        status,
        route,
        since,
        request_id: requestId,
        cursor,
        limit = PAGE,
      } = readQuery(Filters, request.query);
      const page = await ofAccount.list(account, {
        ...(status === undefined ? {} : { status: statusIn(status) }),
        ...(route === undefined ? {} : routeFilter(route)),
        since: since === undefined ? undefined : Date.parse(since),
        ...{ requestId, cursor, limit },
      });
      if (page.cursor !== null)
        reply.header('link', nextPage('/requests', request.query, { cursor: page.cursor }));
      return page;
    },
  );

  app.get(
    '/requests/:request_id',
    {
      config: { access: 'devices:read', kept: 'nothing' },
      schema: {
        operationId: 'getRequest',
        summary: 'Find a request by its id',
        description:
          'What became of a request, and the calls to vendors that it led to; of several with the same id, the newest. See GET /requests for what is kept.',
        tags: ['Requests'],
        params: RequestId,
        response: {
          200: KeptRequest,
          404: {
            ...errorResponses([404])[404],
            description: 'No request of the account with this id is kept',
          },
        },
      },
    },
    (request) => ofAccount.find(principalOf(request).account, readPath(RequestId, request).request_id),
  );
}

function statusIn(text: string) {
  const status = statusFilter(text);
  if (status === undefined) throw new AppError('request.invalid', `status must be ${STATUS_FILTER}`);
  return status;
}
