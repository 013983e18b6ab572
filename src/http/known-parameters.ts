import type { FastifyInstance } from 'fastify';
import { AppError } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';
import type { Access } from './access.ts';
import { type Service, ValidationError } from './errors.ts';

/** Whose calls ignore a query parameter that they do not have: pages, sign-in, health, and public data, which links with marks of campaigns lead to. */
const IGNORING: ReadonlySet<Access> = new Set([
  'public',
  'anonymous',
  'optional',
  'session',
  'operator',
  'operator-session',
]);
/** A name that was sent is shown no further than this. */
const LONGEST = 60;

interface Declared {
  readonly querystring?: { readonly properties?: Readonly<Record<string, unknown>> };
}

/**
 * Refuses query parameters that a route does not have, on Connect's API and in Grid's administration: a filter with a typo would otherwise
 * return everything, or change everything. Added after the hook that admits callers, so that nobody else learns what there is.
 */
export function refuseUnknownParameters(app: FastifyInstance, service: Service): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const sent = Object.keys(request.query as object);
    if (sent.length === 0) return done();
    const { config, schema } = request.routeOptions;
    const { access } = config;
    if (access === undefined || IGNORING.has(access) || (service === 'grid' && access !== 'admin'))
      return done();
    const known = Object.keys((schema as Declared | undefined)?.querystring?.properties ?? {});
    const unknown = sent.find((name) => !known.includes(name));
    if (unknown === undefined) return done();
    const sentence = sentenceOf(unknown, known);
    throw service === 'connect'
      ? new AppError('request.invalid', sentence)
      : new ValidationError([{ loc: ['query', unknown], msg: sentence, type: 'extra_forbidden' }]);
  });
}

function sentenceOf(unknown: string, known: readonly string[]): string {
  const sent = unknown.slice(0, LONGEST);
  const name = JSON.stringify(sent);
  if (known.length === 0) return `there is no query parameter ${name}; this call has none`;
  const meant = known.find((one) => one.startsWith(sent)) ?? nearest(sent, known);
  const question = meant === undefined ? '' : ` (did you mean ${meant}?)`;
  return `there is no query parameter ${name}${question}; this call has ${known.join(', ')}`;
}
