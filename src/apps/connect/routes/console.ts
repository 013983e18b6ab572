import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Random } from '../../../core/ids.ts';
import type { Accounts } from '../../../domain/access/accounts/index.ts';
import { type ConsoleSessions, sha256Of } from '../../../domain/access/people/index.ts';
import { refuseForeign } from '../../../http/caller.ts';
import { AREA_COOKIE, cookieIn } from '../../../http/cookies.ts';
import type { Service } from '../../../http/errors.ts';
import { pageLanguage } from '../../../http/language.ts';
import { ownPath } from '../../../http/own-path.ts';
import { sendPage } from '../../../http/pages.ts';
import type { Assets } from '../../../pages/assets.ts';
import {
  consoleBrowserIn,
  consoleSessionIn,
  giveConsoleSession,
  markConsoleBrowser,
  takeConsoleSession,
} from '../console/cookies.ts';
import { consolePage, noGridPage, notEnteredPage } from '../pages/console.ts';

const HOME = '/console';
const ENTER = '/console/enter';
const HIDDEN = { config: { access: 'public' }, schema: { hide: true } } as const;

export interface ConsoleRoutes {
  readonly assets: Assets;
  readonly accounts: Pick<Accounts, 'users'>;
  readonly consoleSessions: Pick<ConsoleSessions, 'enterConsole' | 'findConsole' | 'signOutOfConsole'>;
  readonly publicUrl: () => string;
  /** Undefined where it is not configured. */
  readonly configuredUrl: string | undefined;
  readonly addressOf: (service: Service) => string | undefined;
  readonly random: Random;
}

/** The console: one page for all of it, and how a browser that is signed in to Grid gets a session of it. */
export function addConsoleRoutes(app: FastifyInstance, options: ConsoleRoutes): void {
  const { assets, accounts, consoleSessions, publicUrl, configuredUrl, addressOf, random } = options;
  const isSecure = () => publicUrl().startsWith('https:');
  const readerOf = (request: FastifyRequest) => ({
    assets,
    language: pageLanguage(request),
    gridUrl: addressOf('grid'),
  });

  const show = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const session = await consoleSessions.findConsole(consoleSessionIn(request, isSecure()));
    const profile = session && (await accounts.users.find(session.account));
    const path = ownPath(request.url) ?? HOME;
    if (profile !== undefined)
      return sendPage(reply, consolePage({ ...readerOf(request), path, profile, area: areaIn(request) }));
    const gridUrl = addressOf('grid');
    if (gridUrl === undefined) return sendPage(reply, noGridPage(readerOf(request)), 503);
    const browser = markConsoleBrowser(request, reply, { isSecure: isSecure(), random });
    // The address has a hash of the cookie: who reads it cannot use a code that is made for it.
    const query = new URLSearchParams({ browser: sha256Of(browser), to: path });
    return reply.header('cache-control', 'no-store').redirect(`${gridUrl}/auth/console?${query}`, 303);
  };
  app.get(HOME, HIDDEN, show);
  app.get(`${HOME}/*`, HIDDEN, show);

  // Whoever only looks must not use the code up.
  app.get(ENTER, { ...HIDDEN, exposeHeadRoute: false }, async (request, reply) => {
    const { code, to } = request.query as Readonly<Record<string, unknown>>;
    const browser = consoleBrowserIn(request, isSecure());
    const token = await consoleSessions.enterConsole(typeof code === 'string' ? code : undefined, browser);
    if (token === undefined) return sendPage(reply, notEnteredPage(readerOf(request)), 400);
    giveConsoleSession(reply, token, isSecure());
    return reply.header('cache-control', 'no-store').redirect(pathIn(to), 303);
  });

  app.post('/console/sign-out', HIDDEN, async (request, reply) => {
    refuseForeign(request, configuredUrl);
    await consoleSessions.signOutOfConsole(consoleSessionIn(request, isSecure()));
    takeConsoleSession(reply, isSecure());
    // So that the button "back" shows nothing of the account.
    reply.headers({ 'clear-site-data': '"cache"', 'cache-control': 'no-store' });
    const gridUrl = addressOf('grid');
    return { next: gridUrl === undefined ? '/' : `${gridUrl}/auth/login?info=signed_out` };
  });
}

/** The price area that somebody chose on the front page of Grid, where its cookie reaches Connect; empty otherwise. */
const areaIn = (request: FastifyRequest): string =>
  /^SE[1-4](?=\?|$)/.exec(cookieIn(request, AREA_COOKIE) ?? '')?.[0] ?? '';

/** A path of the console; its front for all others. */
function pathIn(to: unknown): string {
  const path = typeof to === 'string' ? ownPath(to) : undefined;
  return path !== undefined && /^\/console(?:[/?]|$)/.test(path) && !path.startsWith(ENTER) ? path : HOME;
}
