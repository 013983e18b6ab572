import { hash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { SimulatedAnswer, SimulatedRequest } from '../../../adapter/simulator.ts';
import { AppError } from '../../../core/errors.ts';
import { pageLanguage } from '../../../http/language.ts';
import { bodyAndHeaders, SIMULATED_HEADER } from '../../../proof/simulation/serve.ts';
import { SIGN_IN_STYLE } from '../../../proof/simulation/sign-in-page.ts';

/** The sign-in page of a simulated vendor. */
export interface SimulatedPage {
  readonly vendor: string;
  readonly path: string;
  /** The only address that it may lead back to. */
  readonly redirectUri: () => string;
  answer(request: SimulatedRequest): Promise<SimulatedAnswer>;
}

const HEADERS = {
  'cache-control': 'no-store',
  // No rule for forms: what they are answered with leads on to the app that began the sign-in.
  'content-security-policy': `default-src 'none'; style-src 'sha256-${hash('sha256', SIGN_IN_STYLE, 'base64')}'; base-uri 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Sign-in pages of simulated vendors, where the browser reaches Connect. Other vendors have none, and no path here. */
export async function addSimulatedPages(
  app: FastifyInstance,
  pages: readonly SimulatedPage[],
): Promise<void> {
  if (pages.length === 0) return;
  await app.register((scope, _options, done) => {
    // What a sign-in form sends; nowhere else is it taken.
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'buffer' },
      (_request, body, parsed) => parsed(null, body),
    );
    for (const page of pages)
      scope.route({
        method: ['GET', 'POST'],
        url: page.path,
        config: { access: 'public' },
        schema: { hide: true },
        exposeHeadRoute: false,
        async handler(request, reply) {
          const { searchParams } = new URL(request.url, 'http://localhost');
          // A page that led anywhere would lend our address to anybody who wants to be trusted.
          if (searchParams.get('redirect_uri') !== page.redirectUri())
            throw new AppError('request.invalid', `redirect_uri must be ${page.redirectUri()}`);
          const answer = await page.answer({
            method: request.method,
            path: page.path,
            query: searchParams,
            headers: {
              'content-type': request.headers['content-type'] ?? '',
              // As chosen on the page before.
              'accept-language': pageLanguage(request),
            },
            body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
          });
          if (answer.broken !== undefined)
            throw new AppError('vendor.unreachable', 'the simulated sign-in page does not respond');
          const { body, headers } = bodyAndHeaders(answer);
          return reply
            .code(answer.status)
            .headers({ ...headers, ...HEADERS, [SIMULATED_HEADER]: page.vendor })
            .send(Buffer.from(body));
        },
      });
    done();
  });
}
