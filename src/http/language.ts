import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LANGUAGES, type Language, languageOf } from '../core/language.ts';
import { cookieIn, setCookie } from './cookies.ts';
import { ownPath } from './own-path.ts';

const COOKIE = 'elnav_language';
const YEAR_SECONDS = 365 * 86_400;

/** The language of a page: the one chosen on an earlier page, else the one that the browser prefers. */
export function pageLanguage(request: FastifyRequest): Language {
  const chosen = cookieIn(request, COOKIE);
  return LANGUAGES.find((one) => one === chosen) ?? languageOf(request.headers['accept-language']);
}

/** The reader of a page. */
export interface PageReader {
  readonly language: Language;
  /** The path at which the page can be requested again in the other language. */
  readonly path: string;
}

export const pageReader = (request: FastifyRequest): PageReader => ({
  language: pageLanguage(request),
  path: request.url,
});

interface LanguageQuery {
  readonly Params: { readonly language: Language };
  readonly Querystring: { readonly next?: unknown };
}

/**
 * Stores the chosen language in a cookie, and redirects back to the page; the links in page headers lead here. It is a link and not
 * a form, since nobody is harmed if another site triggers it, and it works whatever the page's policy on forms.
 */
export function addLanguageRoute(app: FastifyInstance, publicUrl: () => string | undefined): void {
  app.get<LanguageQuery>(
    `/language/:language(^(?:${LANGUAGES.join('|')})$)`,
    { exposeHeadRoute: false, config: { access: 'public' }, schema: { hide: true } },
    (request, reply) => {
      const { next } = request.query;
      setCookie(reply, {
        name: COOKIE,
        value: request.params.language,
        maxAge: YEAR_SECONDS,
        secure: publicUrl()?.startsWith('https:') === true,
      });
      return (
        reply
          .header('cache-control', 'no-store')
          // control: choosing a language redirects to no other site [http/language] => .redirect(typeof next === 'string' ? next :
          // '/', 303)
          .redirect(ownPath(typeof next === 'string' ? next : undefined) ?? '/', 303)
      );
    },
  );
}
