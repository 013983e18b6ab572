import type { FastifyContextConfig, FastifyRequest, RouteShorthandOptions } from 'fastify';
import type { TObject, TSchema } from 'typebox';
import type { Actor } from '../../../domain/access/accounts/index.ts';
import type { Pagination } from '../../../http/contract/document.ts';
import { ValidationErrors } from '../../../http/contract/errors.ts';
import { ValidationError } from '../../../http/errors.ts';
import { errorsOf } from '../responses/schemas.ts';

interface AdminRoute {
  readonly pagination?: Pagination;
  readonly operationId: string;
  readonly summary: string;
  readonly path?: TObject;
  readonly query?: TObject;
  /** The response with 200. */
  readonly answer?: TSchema;
  /** Responses with other statuses of success. */
  readonly answers?: Readonly<Record<number, TSchema>>;
  /** What the statuses of this route alone mean. */
  readonly errors?: Readonly<Record<number, string>>;
  readonly kept?: FastifyContextConfig['kept'];
}

/** What all routes of the administration have in common: the admin token, and its errors. */
export function adminRoute({
  operationId,
  summary,
  path,
  query,
  answer,
  answers = {},
  errors = {},
  kept,
  pagination,
}: AdminRoute): RouteShorthandOptions {
  return {
    config: { access: 'admin', ...(kept === undefined ? {} : { kept }) },
    preHandler(request, _reply, done) {
      refuseInBody(request, query);
      done();
    },
    schema: {
      operationId,
      summary,
      tags: ['Administration'],
      ...(pagination === undefined ? {} : { pagination }),
      ...(path === undefined ? {} : { params: path }),
      ...(query === undefined ? {} : { querystring: query }),
      response: {
        ...(answer === undefined ? {} : { 200: answer }),
        ...answers,
        ...errorsOf(errors),
        422: ValidationErrors,
      },
    },
  };
}

/** Who the audit trail names for a request with the admin token. */
export function actorOf(request: FastifyRequest): Actor {
  return { name: 'admin', ip: request.ip, requestId: request.id };
}

/** Parameters of the query string that were sent in the body, which is not read: left alone they would be missed in silence. */
function refuseInBody({ body, query: sent }: FastifyRequest, query: TObject | undefined): void {
  if (query === undefined || typeof body !== 'object' || body === null) return;
  const misplaced = Object.keys(query.properties).filter(
    (name) => Object.hasOwn(body, name) && !Object.hasOwn(sent ?? {}, name),
  );
  if (misplaced.length === 0) return;
  throw new ValidationError(
    misplaced.map((name) => ({
      type: 'value_error',
      loc: ['body', name],
      msg: `Value error, ${name} belongs in the query string, as in ?${misplaced.map((one) => `${one}=…`).join('&')}; the body is not read`,
    })),
  );
}
