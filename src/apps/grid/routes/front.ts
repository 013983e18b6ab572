import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../core/clock.ts';
import type { Language, Words } from '../../../core/language.ts';
import type { Areas } from '../../../domain/areas/index.ts';
import type { Prices } from '../../../domain/prices/index.ts';
import type { Production } from '../../../domain/production/index.ts';
import { pageLanguage } from '../../../http/language.ts';
import { keepPage, sendPage, sendPrepared } from '../../../http/pages.ts';
import type { Assets } from '../../../pages/assets.ts';
import type { Answer } from '../front/answer.ts';
import { find } from '../front/find.ts';
import { createMap } from '../front/map.ts';
import { answerPage, answerPart, type FrontParts, frontPage } from '../front/page.ts';
import { createLook, type Known, readYesterday } from '../front/situation.ts';

interface FrontRoutes {
  readonly areas: Areas;
  readonly prices: Prices;
  readonly production: Production;
  readonly assets: Assets;
  readonly clock: Clock;
  /** Where callers reach the service, and Connect, where that is known here. */
  readonly publicUrl: () => string;
  readonly connectUrl: () => string | undefined;
  readonly isSignUpOpen: boolean;
}

/**
 * The front page, made once for each language and state of prices and production; and look-ups, which are counted like
 * those of the API, so that the page is no way around its quotas.
 */
export function addFrontRoutes(
  app: FastifyInstance,
  { areas, prices, production, assets, clock, ...site }: FrontRoutes,
): void {
  const look = createLook({ prices, production, clock });
  const parts: FrontParts = { assets, map: createMap(areas), ...site };
  const pages = { sv: keepPage(), en: keepPage() } satisfies Words<unknown>;

  const make = async (known: Known, language: Language): Promise<string> => {
    const yesterday = known.current === null ? await readYesterday(prices, known.now) : [];
    return frontPage(parts, { ...known, language, yesterday });
  };

  app.get<{ Querystring: Record<string, unknown> }>(
    '/',
    { config: { access: 'public' }, schema: { hide: true } },
    (request, reply) => {
      const { q } = request.query;
      if (q !== undefined) return reply.redirect(`/lookup?q=${encodeURIComponent(textOf(q))}`, 302);
      const language = pageLanguage(request);
      const known = look();
      const version = `${known.version} ${site.connectUrl()}`;
      const page = pages[language]({ version, make: () => make(known, language) });
      return sendPrepared(request, reply, page);
    },
  );

  const sendAnswer = (request: FastifyRequest, reply: FastifyReply, answer: Answer): FastifyReply => {
    const { q, part } = request.query as Record<string, unknown>;
    const language = pageLanguage(request);
    const situation = { ...look(), language, yesterday: [] };
    const text = textOf(q).slice(0, MOST_SHOWN);
    const markup =
      part === 'answer'
        ? answerPart(parts, situation, answer)
        : answerPage(parts, situation, { text, answer });
    return sendPage(reply, markup, reply.statusCode);
  };

  app.get<{ Querystring: Record<string, unknown> }>(
    '/lookup',
    {
      config: {
        access: 'anonymous',
        showError: (error, request, reply) =>
          sendAnswer(request, reply, { is: error.code === 'limit.exceeded' ? 'limited' : 'failed' }),
      },
      schema: { hide: true },
    },
    async (request, reply) =>
      sendAnswer(request, reply, { is: 'found', found: await find(areas, textOf(request.query.q)) }),
  );
}

/** What is shown again of a question that is far too long. */
const MOST_SHOWN = 200;

/** The last value of a parameter; '' where there is none. */
function textOf(value: unknown): string {
  const last: unknown = Array.isArray(value) ? value.at(-1) : value;
  return typeof last === 'string' ? last.toWellFormed().replaceAll('\0', '') : '';
}
