import type { FastifyContextConfig, RouteShorthandOptions } from 'fastify';
import Type, { type TObject, type TSchema } from 'typebox';
import { errorsOf } from '../responses/schemas.ts';

interface SignInRoute {
  readonly operationId: string;
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
  /** A browser (Accept: text/html) is redirected instead. */
  readonly redirects?: true;
  readonly errors?: Readonly<Record<number, string>>;
  readonly showError?: FastifyContextConfig['showError'];
}

/** What all routes of signing in have in common. */
export function signInRoute(route: SignInRoute): RouteShorthandOptions {
  const {
    operationId,
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
      operationId,
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
        ...(route.isPage === true && answer === undefined
          ? { 304: { type: 'null', description: 'The page is still the one that If-None-Match names' } }
          : {}),
        ...(route.redirects === true
          ? { 303: { type: 'null', description: 'To a page, for a browser' } }
          : {}),
        ...errorsOf(errors),
      },
    },
  };
}
