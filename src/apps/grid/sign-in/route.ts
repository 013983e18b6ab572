import type { FastifyContextConfig, RouteShorthandOptions } from 'fastify';
import Type, { type TObject, type TSchema } from 'typebox';
import { ErrorResponse, ValidationResponse } from '../responses/schemas.ts';

interface SignInRoute {
  readonly summary: string;
  readonly description?: string;
  readonly access?: 'public' | 'session';
  readonly path?: TObject;
  readonly query?: TObject;
  /** Taken as a form and as JSON. */
  readonly body?: TObject;
  /** For programs; undefined where a page alone is answered. */
  readonly answer?: TSchema;
  readonly isPage?: true;
  readonly errors?: Readonly<Record<number, string>>;
  readonly showError?: FastifyContextConfig['showError'];
}

/** What all routes of signing in have in common. */
export function signInRoute(route: SignInRoute): RouteShorthandOptions {
  const {
    summary,
    description,
    access = 'public',
    path,
    query,
    body,
    answer,
    errors = {},
    showError,
  } = route;
  const page = { 'text/html': { schema: Type.String({ description: 'A page for browsers' }) } };
  const content = {
    ...(answer === undefined ? {} : { 'application/json': { schema: answer } }),
    ...(route.isPage === true ? page : {}),
  };
  return {
    config: { access, ...(showError === undefined ? {} : { showError }) },
    schema: {
      summary,
      tags: ['Sign-in'],
      ...(description === undefined ? {} : { description }),
      ...(path === undefined ? {} : { params: path }),
      ...(query === undefined ? {} : { querystring: query }),
      ...(body === undefined
        ? {}
        : {
            body: {
              content: {
                'application/x-www-form-urlencoded': { schema: body },
                'application/json': { schema: body },
              },
            },
          }),
      response: {
        200:
          route.isPage === true ? { description: 'A page for browsers, JSON for others', content } : answer,
        ...Object.fromEntries(
          Object.entries(errors).map(([status, text]) => [status, { ...ErrorResponse, description: text }]),
        ),
        ...(body === undefined && path === undefined ? {} : { 422: ValidationResponse }),
      },
    },
  };
}
