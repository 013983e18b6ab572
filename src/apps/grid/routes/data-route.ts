import type { RouteShorthandOptions } from 'fastify';
import type { TObject, TSchema } from 'typebox';
import { ErrorAnswer, ValidationAnswer } from '../shapes.ts';

interface DataRoute {
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly query?: TObject;
  readonly answer: TSchema;
  /** What the statuses of this route alone mean. */
  readonly errors?: Readonly<Record<number, string>>;
}

/** What all data endpoints have in common: a key is optional, and without one the anonymous quotas hold. */
export function dataRoute(route: DataRoute): RouteShorthandOptions {
  const { tag, summary, description, query, answer, errors = {} } = route;
  const told = {
    401: 'The API key is not valid; a call with a wrong key is never served as one without',
    403: 'The address is banned for a while after too many wrong keys',
    429: "Over the account's limits, or over the quotas of calls without a key",
    ...errors,
  };
  return {
    config: { access: 'anonymous' },
    schema: {
      summary,
      tags: [tag],
      ...(description === undefined ? {} : { description }),
      ...(query === undefined ? {} : { querystring: query }),
      response: {
        200: answer,
        304: { type: 'null', description: 'The answer is still the one that If-None-Match names' },
        ...Object.fromEntries(
          Object.entries(told).map(([status, text]) => [status, { ...ErrorAnswer, description: text }]),
        ),
        422: ValidationAnswer,
      },
    },
  };
}
