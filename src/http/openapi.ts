import swagger from '@fastify/swagger';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Service } from './errors.ts';

interface DocumentOptions {
  readonly service: Service;
  readonly title: string;
  readonly description: string;
  readonly version: string;
}

/** Serves `/openapi.json`, made from the routes' own schemas, and `/docs`. Call it before the routes are added. */
export async function addDocuments(app: FastifyInstance, options: DocumentOptions): Promise<void> {
  const admin = { adminToken: { type: 'apiKey' as const, in: 'header' as const, name: 'x-admin-token' } };
  const session = { session: { type: 'apiKey' as const, in: 'cookie' as const, name: 'elnav_session' } };
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: options.title,
        description: options.description,
        version: options.version,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
          bearer: { type: 'http', scheme: 'bearer' },
          ...(options.service === 'grid' ? { ...admin, ...session } : {}),
        },
      },
    },
    transform: ({ schema, url, route }) => {
      const access = route.config?.access;
      const security =
        access === 'admin'
          ? [{ adminToken: [] }]
          : access === 'session'
            ? [{ session: [] }]
            : access === 'public' || access === undefined
              ? []
              : access === 'anonymous'
                ? [{}, { apiKey: [] }, { bearer: [] }]
                : [{ apiKey: [] }, { bearer: [] }];
      const scope = access?.includes(':') ? `\n\nScope: \`${access}\`.` : '';
      const described = { ...schema, security, description: `${schema?.description ?? ''}${scope}`.trim() };
      if (described.description === '') Reflect.deleteProperty(described, 'description');
      return { schema: url.startsWith('/docs') ? { ...described, hide: true } : described, url };
    },
  });
  app.get(
    '/openapi.json',
    { config: { access: 'public' }, schema: { summary: 'This document', tags: ['Operation'] } },
    (_request, reply) => reply.header('cache-control', 'public, max-age=300').send(app.swagger()),
  );
  addPage(app);
}

/**
 * The page with its script of 4 MB. Its module takes 40 MB of memory, which a process whose documents nobody looks at
 * does without: it is loaded, into a server of its own that has no port, when the page is first asked for.
 */
function addPage(app: FastifyInstance): void {
  let page: Promise<FastifyInstance> | undefined;
  const load = async (): Promise<FastifyInstance> => {
    const { default: scalar } = await import('@scalar/fastify-api-reference');
    const own = Fastify();
    await own.register(scalar, {
      routePrefix: '/docs',
      configuration: {
        url: '/openapi.json',
        withDefaultFonts: false,
        telemetry: false,
        hideClientButton: true,
        // The page is for reading and trying out; what leads to the maker's own services is left out.
        showDeveloperTools: 'never',
        agent: { disabled: true },
        mcp: { disabled: true },
      },
    });
    return own;
  };
  for (const url of ['/docs', '/docs/', '/docs/js/scalar.js']) {
    app.get(url, { config: { access: 'public' }, schema: { hide: true } }, async (_request, reply) => {
      page ??= load();
      const { statusCode, headers, rawPayload } = await (await page).inject(url);
      if (typeof headers.location === 'string') return reply.redirect(headers.location, statusCode);
      return reply.type(String(headers['content-type'])).send(rawPayload);
    });
  }
}
