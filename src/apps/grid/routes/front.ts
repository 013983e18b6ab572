import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import { dayAt } from '../../../core/swedish-days.ts';
import type { Areas } from '../../../domain/market/areas/index.ts';
import type { Prices } from '../../../domain/market/prices/index.ts';
import type { Production } from '../../../domain/market/production/index.ts';
import { AREA_COOKIE, cookieIn, setCookie } from '../../../http/cookies.ts';
import { pageLanguage } from '../../../http/language.ts';
import { keepPages, sendPage, sendPrepared } from '../../../http/pages.ts';
import type { Assets } from '../../../pages/assets.ts';
import type { Answer } from '../front/answer.ts';
import {
  areaOf,
  type Choice,
  choiceOfText,
  DEFAULT_CHOICE,
  readChoice,
  textOfChoice,
} from '../front/choice.ts';
import { find } from '../front/find.ts';
import { createMap } from '../front/map.ts';
import { answerPage, answerPart, type FrontParts, frontPage } from '../front/page.ts';
import { shownPrices } from '../front/shown-prices.ts';
import { createLook, readYesterday } from '../front/situation.ts';
import { textIn } from '../input/text-in.ts';

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

const YEAR_SECONDS = 365 * 86_400;
/** Pages that are kept: those of all areas and switches in both languages, with room for municipalities. */
const MOST_PAGES = 64;

/**
 * The front page, made once for each choice, language and state of prices and production; and look-ups, which are counted like
 * those of the API, so that the page is no way around its quotas.
 */
export function addFrontRoutes(
  app: FastifyInstance,
  { areas, prices, production, assets, clock, ...site }: FrontRoutes,
): void {
  const look = createLook({ prices, production, clock });
  const parts: FrontParts = { assets, map: createMap(areas), ...site };
  const pageOf = keepPages(MOST_PAGES);
  const chosenIn = (request: FastifyRequest) => choiceOfText(areas, cookieIn(request, AREA_COOKIE));

  const send = (request: FastifyRequest, reply: FastifyReply, choice: Choice | undefined) => {
    const language = pageLanguage(request);
    const known = look();
    const version = `${known.version} ${dayAt(clock.now())} ${site.connectUrl()}`;
    const own = { choice: choice ?? DEFAULT_CHOICE, isChosen: choice !== undefined };
    const make = async () => {
      const yesterday = known.current === null ? await readYesterday(prices, known.now) : [];
      const shown = shownPrices(areas, own.choice);
      return frontPage(parts, { ...known, language, yesterday }, { ...own, shown });
    };
    const key = `${language} ${choice === undefined ? '' : textOfChoice(choice)}`;
    return sendPrepared(request, reply, pageOf(key)({ version, make }));
  };

  app.get<{ Querystring: Record<string, unknown> }>(
    '/',
    { config: { access: 'public' }, schema: { hide: true } },
    (request, reply) => {
      if (request.query.q !== undefined)
        return reply.redirect(`/lookup?q=${encodeURIComponent(textIn(request.query, 'q'))}`, 302);
      const chosen = chosenIn(request);
      // To the address of the area, so that what stands in the browser can be shared.
      if (chosen !== undefined)
        return reply
          .header('cache-control', 'no-store')
          .header('vary', 'cookie')
          .redirect(`/${textOfChoice(chosen)}`, 302);
      return send(request, reply, undefined);
    },
  );

  app.get<{ Params: { area: string }; Querystring: Record<string, unknown> }>(
    '/:area(^[sS][eE][1-4]$)',
    { config: { access: 'public' }, schema: { hide: true } },
    (request, reply) => {
      const area = areaOf(request.params.area);
      if (area === undefined) throw new AppError('route.not_found', 'there is no such price area');
      const choice = readChoice(areas, area, request.query);
      if (area !== request.params.area) return reply.redirect(`/${textOfChoice(choice)}`, 301);
      return send(request, reply, choice);
    },
  );

  // A link and not a form, like that of the language: nobody is harmed if another site triggers it.
  app.get<{ Params: { area: string }; Querystring: Record<string, unknown> }>(
    '/area/:area(^(?:SE[1-4]|forget)$)',
    { exposeHeadRoute: false, config: { access: 'public' }, schema: { hide: true } },
    (request, reply) => {
      const area = areaOf(request.params.area);
      const value = area === undefined ? '' : textOfChoice(readChoice(areas, area, request.query));
      const secure = site.publicUrl().startsWith('https:');
      setCookie(reply, { name: AREA_COOKIE, value, maxAge: area === undefined ? 0 : YEAR_SECONDS, secure });
      return reply.header('cache-control', 'no-store').redirect(`/${value}`, 303);
    },
  );

  const sendAnswer = (request: FastifyRequest, reply: FastifyReply, answer: Answer): FastifyReply => {
    const language = pageLanguage(request);
    const situation = { ...look(), language, yesterday: [] };
    const asked = {
      text: textIn(request.query, 'q').slice(0, MOST_SHOWN).toWellFormed(),
      answer,
      choice: chosenIn(request) ?? null,
    };
    const markup =
      textIn(request.query, 'part') === 'answer'
        ? answerPart(parts, situation, asked)
        : answerPage(parts, situation, asked);
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
      sendAnswer(request, reply, { is: 'found', found: await find(areas, textIn(request.query, 'q')) }),
  );
}

/** What is shown again of a question that is far too long. */
const MOST_SHOWN = 200;
