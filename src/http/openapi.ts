import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { ERRORS } from '../core/errors.ts';
import type { NavigationLink, Page } from '../pages/page.ts';
import type { ApiDocument } from '../pages/reference/document.ts';
import { renderReference, type StartStep } from '../pages/reference/reference.ts';
import { type Prepared, prepared, sendCacheable } from './cacheable.ts';
import { type About, collectRoutes, contractOf } from './contract/document.ts';
import type { Service } from './errors.ts';
import { keepPage, sendPrepared } from './pages.ts';

export interface DocumentOptions extends About {
  /** The first steps for newcomers, in order. */
  readonly start: (about: Pick<DocumentOptions, 'addressOf'>) => readonly StartStep[];
  /** Where the source code, the guides and the changelog are; undefined where the operator has not configured it. */
  readonly sourceUrl: string | undefined;
  /** The operations to begin with, as method and path. */
  readonly firstCalls: readonly string[];
  /** Warnings shown before an operation is tried on the page, by method and path. */
  readonly warnings?: Readonly<Record<string, string>>;
  /** Public addresses of the services, without a trailing slash; undefined where unknown. */
  readonly addressOf: (service: Service) => string | undefined;
  /** Renders the page in the frame of the service. */
  readonly frame: (page: DocumentPage) => string;
}

type DocumentPage = Omit<Page, 'navigation' | 'brand' | 'footer'>;

const DOCUMENT_SECONDS = 300;
const NAMES: Readonly<Record<Service, string>> = { connect: 'Connect', grid: 'Grid' };

/** Serves `/openapi.json`, generated from the routes' schemas, and `/docs`. Call it before the routes are added. */
export function addDocuments(app: FastifyInstance, options: DocumentOptions): void {
  const routes = collectRoutes(app);
  // All routes have been added when it is first read.
  const read = () => contractOf(routes, options, options.addressOf(options.service) ?? '/');
  let document: Prepared | undefined;
  app.get(
    '/openapi.json',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'getOpenApiDocument',
        summary: 'Read this document',
        tags: ['Operation'],
        response: {
          200: Type.Object(
            { openapi: Type.String() },
            { additionalProperties: true, description: 'OpenAPI 3.1', examples: [{ openapi: '3.1.0' }] },
          ),
          304: Type.Null({ description: 'The document is still the one that If-None-Match names' }),
        },
      },
    },
    (request, reply) => {
      document ??= prepared(JSON.stringify(read()));
      return sendCacheable(request, reply, { ...document, seconds: DOCUMENT_SECONDS, isShared: true });
    },
  );
  const hidden = { config: { access: 'public' as const }, schema: { hide: true } };
  const page = keepPage();
  const asked = { version: options.version, make: () => renderPage(read(), options) };
  app.get('/docs', hidden, (request, reply) => sendPrepared(request, reply, page(asked)));
  app.get('/docs/', hidden, (_request, reply) => reply.redirect('/docs', 301));
}

const guidesAt = (sourceUrl: string | undefined): StartStep => ({
  title: 'Guides and changelog',
  text: `Guides are in the folder \`docs/guides\` of ${sourceUrl === undefined ? 'the source code' : `[the source code](${sourceUrl})`}; \`CHANGELOG.md\` lists what changed.`,
});

function renderPage(contract: ReturnType<typeof contractOf>, options: DocumentOptions): string {
  const { service, title, description, start, firstCalls, warnings = {}, addressOf, frame } = options;
  const services = (['connect', 'grid'] as const).flatMap((one): NavigationLink[] => {
    if (one === service) return [{ href: '/docs', text: NAMES[one], isHere: true }];
    const address = addressOf(one);
    return address === undefined ? [] : [{ href: `${address}/docs`, text: NAMES[one] }];
  });
  // The page shows exactly what `/openapi.json` publishes.
  const document = JSON.parse(JSON.stringify(contract)) as ApiDocument;
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
