import type { RouteShorthandOptions } from 'fastify';
import type { TObject, TSchema } from 'typebox';
import { ValidationErrors } from '../../../http/contract/errors.ts';
import { errorsOf } from './schemas.ts';

interface DataRoute {
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly query?: TObject;
  /** As JSON; left out where it never is. */
  readonly answer?: TSchema;
  /** Further media types of the response, which is sent as it is read and has no tag. */
  readonly streamed?: Readonly<Record<string, TSchema>>;
  /** What the statuses of this route alone mean. */
  readonly errors?: Readonly<Record<number, string>>;
}

const NOT_MODIFIED = { type: 'null', description: 'The answer is still the one that If-None-Match names' };

/** What all data endpoints have in common: a key is optional, and without one the anonymous quotas hold. */
export function dataRoute(route: DataRoute): RouteShorthandOptions {
  const { operationId, tag, summary, description, query, answer, streamed, errors = {} } = route;
  return {
    config: { access: 'anonymous' },
    schema: {
      operationId,
      summary,
      tags: [tag],
      ...(description === undefined ? {} : { description }),
      ...(query === undefined ? {} : { querystring: query }),
      response: {
        ...(streamed === undefined
          ? { 200: answer, 304: NOT_MODIFIED }
          : { 200: { description: 'As it is read', content: contentOf(answer, streamed) } }),
        ...errorsOf(errors),
        422: ValidationErrors,
      },
    },
  };
}

function contentOf(json: TSchema | undefined, streamed: Readonly<Record<string, TSchema>>) {
  const schemas = { ...(json === undefined ? {} : { 'application/json': json }), ...streamed };
  return Object.fromEntries(Object.entries(schemas).map(([type, schema]) => [type, { schema }]));
}
