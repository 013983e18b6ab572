import type { FastifyInstance } from 'fastify';
import { AppError } from '../core/errors.ts';
import { type Service, sendError } from './errors.ts';

/** Answers 405 with `Allow` for a known path and 404 otherwise, in the service's error shape. */
export function answerUnknownRoutes(app: FastifyInstance, service: Service): void {
  const methodsByPath = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = methodsByPath.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() };
    for (const one of [method].flat()) known.methods.add(one);
    methodsByPath.set(url, known);
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const allowed = new Set<string>();
    for (const { pattern, methods } of methodsByPath.values()) {
      if (pattern.test(path)) for (const method of methods) allowed.add(method);
    }
    if (allowed.size === 0) {
      const error = new AppError(
        'route.not_found',
        `there is no ${path.slice(0, 100)} here; GET /docs lists what there is`,
      );
      return sendError(service, error, request, reply);
    }
    const allow = [...allowed].sort().join(', ');
    const error = new AppError(
      'route.method_not_allowed',
      `${path.slice(0, 100)} takes ${allow}, not ${request.method}`,
    );
    return sendError(service, error, request, reply.header('allow', allow));
  });
}

function patternOf(url: string): RegExp {
  return new RegExp(`^${url.split('/').map(patternOfPart).join('/')}$`);
}

/** `:id`, or `:id(^[a-z]+$)` with what it must look like. */
function patternOfPart(part: string): string {
  if (part === '*') return '.*';
  if (!part.startsWith(':')) return RegExp.escape(part);
  return /\(\^(.+)\$\)$/.exec(part)?.[1] ?? '[^/]+';
}
