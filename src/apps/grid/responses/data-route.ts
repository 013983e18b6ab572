import type { RouteShorthandOptions } from 'fastify';
import Type, { type TObject, type TSchema } from 'typebox';
import { ErrorResponse, ValidationResponse } from './schemas.ts';

interface DataRoute {
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly query?: TObject;
  /** As JSON; left out where it never is. */
  readonly answer?: TSchema;
  /** Media types that an answer may have besides, each with its description: it is sent as it is read, without a tag. */
  readonly streamed?: Readonly<Record<string, string>>;
  /** What the statuses of this route alone mean. */
  readonly errors?: Readonly<Record<number, string>>;
}

const NOT_MODIFIED = { type: 'null', description: 'The answer is still the one that If-None-Match names' };

/** What all data endpoints have in common: a key is optional, and without one the anonymous quotas hold. */
export function dataRoute(route: DataRoute): RouteShorthandOptions {
  const { tag, summary, description, query, answer, streamed, errors = {} } = route;
  const told = {
    401: 'The API key is not valid; a call with a wrong key is never served as one without',
    403: 'The IP address is banned temporarily after too many wrong keys',
    429: "Over the account's rate limits, or over the quotas of calls without a key",
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
        ...(streamed === undefined
          ? { 200: answer, 304: NOT_MODIFIED }
          : { 200: { description: 'As it is read', content: contentOf(answer, streamed) } }),
        ...Object.fromEntries(
          Object.entries(told).map(([status, text]) => [status, { ...ErrorResponse, description: text }]),
        ),
        422: ValidationResponse,
      },
    },
  };
}

function contentOf(json: TSchema | undefined, texts: Readonly<Record<string, string>>) {
  const content = Object.entries(texts).map(([type, description]) => [
    type,
    { schema: Type.String({ description }) },
  ]);
  return {
    ...(json === undefined ? {} : { 'application/json': { schema: json } }),
    ...Object.fromEntries(content),
  };
}
