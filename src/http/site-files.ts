import type { FastifyInstance } from 'fastify';
import { type Clock, rfc3339 } from '../core/clock.ts';
import { DAY_MS } from '../core/durations.ts';
import { AppError } from '../core/errors.ts';
import type { SiteSettings } from '../core/site-settings.ts';

interface SiteFiles {
  readonly site: SiteSettings;
  readonly clock: Clock;
  /** Beginnings of paths at which search engines find nothing: pages of one person, and what is counted. */
  readonly notForSearch: readonly string[];
  /** Where the service is reached, as it is configured. */
  readonly configuredUrl: string | undefined;
}

/** Less than the year that RFC 9116 recommends as the most. */
const EXPIRES_DAYS = 90;
const TEXT = 'text/plain; charset=utf-8';
const CACHED = 'public, max-age=86400';

/** The files that programs look for at fixed addresses: `robots.txt` (RFC 9309) and `security.txt` (RFC 9116). */
export function siteFileRoutes(app: FastifyInstance, options: SiteFiles): void {
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
        'no contact for reports of security faults is named here; whoever runs the service can set ELNAV_CONTACT',
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
