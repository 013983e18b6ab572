import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { ERRORS } from '../core/errors.ts';
import type { NavigationLink, Page } from '../pages/page.ts';
import type { ApiDocument } from '../pages/reference/document.ts';
import { renderReference, type StartStep } from '../pages/reference/reference.ts';
import type { Access } from './access.ts';
import { type Prepared, prepared, sendCacheable } from './cacheable.ts';
import type { Service } from './errors.ts';
import { keepPage, sendPrepared } from './pages.ts';

export interface DocumentOptions {
  readonly service: Service;
  readonly title: string;
  readonly description: string;
  readonly version: string;
  /** Sections of the page, in order. */
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** The first steps for newcomers, in order. */
  readonly start: (about: Pick<DocumentOptions, 'addressOf'>) => readonly StartStep[];
  /** Where the source code, the guides and the changelog are; undefined where the operator has not configured it. */
  readonly sourceUrl: string | undefined;
  /** The operations to begin with, as method and path. */
  readonly firstCalls: readonly string[];
  /** Warnings shown before an operation is tried on the page, by method and path. */
  readonly warnings?: Readonly<Record<string, string>>;
  /** What is sent to callers, by name, as OpenAPI's `webhooks` has it. */
  readonly webhooks?: Readonly<Record<string, object>>;
  /** Public addresses of the services, without a trailing slash; undefined where unknown. */
  readonly addressOf: (service: Service) => string | undefined;
  /** Renders the page in the frame of the service. */
  readonly frame: (page: DocumentPage) => string;
}

export type DocumentPage = Omit<Page, 'navigation' | 'brand' | 'footer'>;

const DOCUMENT_SECONDS = 300;
const NAMES: Readonly<Record<Service, string>> = { connect: 'Connect', grid: 'Grid' };

/** Serves `/openapi.json`, generated from the routes' schemas, and `/docs`. Call it before the routes are added. */
export async function addDocuments(app: FastifyInstance, options: DocumentOptions): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: options.title,
        description: options.description,
        version: options.version,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      tags: [...options.tags],
      components: { securitySchemes: schemesOf(options.service) },
      ...(options.webhooks === undefined ? {} : { webhooks: options.webhooks }),
    },
    transform: ({ schema, url, route }) => ({
      schema: { ...schema, security: securityOf(route.config?.access) },
      url,
    }),
  });
  let document: Prepared | undefined;
  app.get(
    '/openapi.json',
    { config: { access: 'public' }, schema: { summary: 'Read this document', tags: ['Operation'] } },
    (request, reply) => {
      // All routes have been added by now.
      document ??= prepared(JSON.stringify(app.swagger()));
      return sendCacheable(request, reply, { ...document, seconds: DOCUMENT_SECONDS, isShared: true });
    },
  );
  const hidden = { config: { access: 'public' as const }, schema: { hide: true } };
  const page = keepPage();
  const asked = { version: options.version, make: () => renderPage(app, options) };
  app.get('/docs', hidden, (request, reply) => sendPrepared(request, reply, page(asked)));
  app.get('/docs/', hidden, (_request, reply) => reply.redirect('/docs', 301));
}

const guidesAt = (sourceUrl: string | undefined): StartStep => ({
  title: 'Guides and changelog',
  text: `Guides are in the folder \`docs/guides\` of ${sourceUrl === undefined ? 'the source code' : `[the source code](${sourceUrl})`}; \`CHANGELOG.md\` lists what changed.`,
});

const SESSION_COOKIES = {
  connect: {
    name: 'elnav_console',
    description:
      'Set by opening /console, for its pages alone; with TLS its name is __Host-elnav_console. It is accepted wherever a key is.',
  },
  grid: { name: 'elnav_session', description: 'Set by signing in, for the pages of an account.' },
} as const satisfies Record<Service, object>;

function schemesOf(service: Service) {
  const key =
    'An API key. It belongs to an account and has scopes. Its calls count towards the limits of the account.';
  return {
    apiKey: { type: 'apiKey' as const, in: 'header' as const, name: 'X-Api-Key', description: key },
    bearer: {
      type: 'http' as const,
      scheme: 'bearer',
      description: 'The same API key, in the other header that is accepted.',
    },
    adminToken: {
      type: 'apiKey' as const,
      in: 'header' as const,
      name: 'X-Admin-Token',
      description: 'For administration and metrics only; set by the operator of the service.',
    },
    session: {
      type: 'apiKey' as const,
      in: 'cookie' as const,
      ...SESSION_COOKIES[service],
    },
  };
}

/** OpenAPI's security requirements of a route; version 3.1 allows the scopes of a key in them. */
function securityOf(access: Access | undefined): Record<string, string[]>[] {
  switch (access) {
    case undefined:
    case 'public':
      return [];
    case 'admin':
      return [{ adminToken: [] }];
    case 'session':
    case 'operator-session':
    case 'console':
      return [{ session: [] }];
    case 'operator':
      return [{}, { adminToken: [] }];
    case 'anonymous':
    case 'optional':
      return [{}, { apiKey: [] }, { bearer: [] }];
    case 'key':
      return [{ apiKey: [] }, { bearer: [] }];
    default:
      return [{ apiKey: [access] }, { bearer: [access] }];
  }
}

function renderPage(app: FastifyInstance, options: DocumentOptions): string {
  const { service, title, description, start, firstCalls, warnings = {}, addressOf, frame } = options;
  const services = (['connect', 'grid'] as const).flatMap((one): NavigationLink[] => {
    if (one === service) return [{ href: '/docs', text: NAMES[one], isHere: true }];
    const address = addressOf(one);
    return address === undefined ? [] : [{ href: `${address}/docs`, text: NAMES[one] }];
  });
  // The page shows exactly what `/openapi.json` publishes.
  const document = JSON.parse(JSON.stringify(app.swagger())) as ApiDocument;
  const errors = Object.entries(ERRORS).map(([code, { retry, title, ...statuses }]) => ({
    code,
    status: statuses[service],
    retry,
    title,
  }));
  return frame({
    language: 'en',
    title: `${title}: API reference`,
    description,
    styles: ['reference'],
    scripts: ['reference'],
    width: 'wide',
    main: renderReference({
      document,
      address: addressOf(service) ?? '',
      services,
      errors,
      start: { steps: [...start(options), guidesAt(options.sourceUrl)], calls: firstCalls },
      warnings,
    }),
  });
}
