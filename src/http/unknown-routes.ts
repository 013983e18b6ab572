import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../core/errors.ts';
import { noteError, type Service, sendError } from './errors.ts';
import { wantsPage } from './wants-page.ts';

/** Renders the page for an unknown path in a browser; programs get the service's own body. */
type ShowUnknown = (error: AppError, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

declare module 'fastify' {
  interface FastifyInstance {
    /** Set by a service that has such a page. */
    showUnknown: ShowUnknown | null;
  }
}

/** Responds 405 with `Allow` for an existing path and 404 otherwise, in the service's error format. */
export function addUnknownRoutes(app: FastifyInstance, service: Service): void {
  const methodsByPath = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    const entry = methodsByPath.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() };
    for (const one of [method].flat()) entry.methods.add(one);
    methodsByPath.set(url, entry);
  });
  app.decorate('showUnknown', null);
  const send = (error: AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { showUnknown } = app;
    if (showUnknown === null || !wantsPage(request)) return sendError(service, error, request, reply);
    return showUnknown(noteError(service, error, request, reply), request, reply);
  };
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const allowed = new Set<string>();
    for (const { pattern, methods } of methodsByPath.values()) {
      if (pattern.test(path)) for (const method of methods) allowed.add(method);
    }
    if (allowed.size === 0) return send(unknownPath(path), request, reply);
    const allow = [...allowed].sort().join(', ');
    const error = new AppError(
      'route.method_not_allowed',
      `${path.slice(0, 100)} supports ${allow}, not ${request.method}`,
    );
    return send(error, request, reply.header('allow', allow));
  });
}

/** The path at which the page for unknown paths is requested again; the same for all, so that it reveals nothing about a path. */
export const UNKNOWN_PATH = '/not-found';

/** The error for a path that does not exist, or not for this caller. */
export function unknownPath(path: string): AppError {
  return new AppError('route.not_found', `there is no path ${path.slice(0, 100)}; GET /docs lists all`);
}

function patternOf(url: string): RegExp {
  return new RegExp(`^${url.split('/').map(patternOfPart).join('/')}$`);
}

/** `:id`, or `:id(^[a-z]+$)` with its pattern. */
function patternOfPart(part: string): string {
  if (part === '*') return '.*';
  if (!part.startsWith(':')) return RegExp.escape(part);
  return /\(\^(.+)\$\)$/.exec(part)?.[1] ?? '[^/]+';
}
