import type { FastifyInstance } from 'fastify';
import { type Clock, rfc3339 } from '../core/clock.ts';
import { DAY_MS } from '../core/durations.ts';
import { AppError } from '../core/errors.ts';
import type { SiteSettings } from '../core/settings/site.ts';

interface SiteFiles {
  readonly site: SiteSettings;
  readonly clock: Clock;
  /** Path prefixes that search engines must not crawl: pages of one person, and counted routes. */
  readonly notForSearch: readonly string[];
  /** The configured address of the service. */
  readonly configuredUrl: string | undefined;
}

/** Less than a year, which RFC 9116 recommends as the maximum. */
const EXPIRES_DAYS = 90;
const TEXT = 'text/plain; charset=utf-8';
const CACHED = 'public, max-age=86400';

/** Serves the well-known files `robots.txt` (RFC 9309) and `security.txt` (RFC 9116). */
export function addSiteFileRoutes(app: FastifyInstance, options: SiteFiles): void {
  const { site, clock, configuredUrl } = options;
  const robots = ['User-agent: *', ...options.notForSearch.map((path) => `Disallow: ${path}`), ''].join('\n');
  const hidden = { config: { access: 'public' as const }, schema: { hide: true } };
  app.get('/robots.txt', hidden, (_request, reply) =>
    reply.headers({ 'content-type': TEXT, 'cache-control': CACHED }).send(robots),
  );
  app.get('/.well-known/security.txt', hidden, (_request, reply) => {
    if (site.contact === undefined)
      throw new AppError(
        'route.not_found',
        'there is no contact for security reports; the operator of the service can set ELNAV_CONTACT',
      );
    const today = Math.floor(clock.now() / DAY_MS) * DAY_MS;
    const lines = [
      `Contact: ${site.contact}`,
      `Expires: ${rfc3339(today + EXPIRES_DAYS * DAY_MS)}`,
      'Preferred-Languages: en, sv',
      ...(configuredUrl?.startsWith('https:') === true
        ? [`Canonical: ${configuredUrl}/.well-known/security.txt`]
        : []),
      '',
    ];
    return reply.headers({ 'content-type': TEXT, 'cache-control': CACHED }).send(lines.join('\n'));
  });
}
