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
  /** Sections of the page, in their order. */
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** What a newcomer needs to know, in the order of the page. */
  readonly start: (about: Pick<DocumentOptions, 'addressOf'>) => readonly StartStep[];
  /** Where the source code is, with the guides and the changelog; undefined where the operator has not said so. */
  readonly sourceUrl: string | undefined;
  /** By method and path: the operations to begin with. */
  readonly firstCalls: readonly string[];
  /** By method and path: what must be known before an operation is tried on the page. */
  readonly warnings?: Readonly<Record<string, string>>;
  /** Public addresses of the services, without a trailing slash; undefined where one is not known. */
  readonly addressOf: (service: Service) => string | undefined;
  /** Puts the page into the frame of the service. */
  readonly frame: (page: DocumentPage) => string;
}

export type DocumentPage = Omit<Page, 'navigation' | 'brand' | 'footer'>;

const DOCUMENT_SECONDS = 300;
const NAMES: Readonly<Record<Service, string>> = { connect: 'Connect', grid: 'Grid' };

/** Serves `/openapi.json`, made from the routes' own schemas, and `/docs`. Call it before the routes are added. */
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
      // Every route is there by now, and none is added later.
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
    ...(service === 'connect'
      ? {}
      : {
          session: {
            type: 'apiKey' as const,
            in: 'cookie' as const,
            name: 'elnav_session',
            description: 'Set by signing in, for the pages of an account.',
          },
        }),
  };
}

/** Who may call, in the words of OpenAPI 3.1, where the scopes of a key stand beside it. */
function securityOf(access: Access | undefined): Record<string, string[]>[] {
  switch (access) {
    case undefined:
    case 'public':
      return [];
    case 'admin':
      return [{ adminToken: [] }];
    case 'session':
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
  // What is published is what is shown.
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
