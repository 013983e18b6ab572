import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppError } from '../../../core/errors.ts';
import { translated } from '../../../core/language.ts';
import { pageLanguage, pageReader } from '../../../http/language.ts';
import { ownPath } from '../../../http/own-path.ts';
import { sendPage } from '../../../http/pages.ts';
import { UNKNOWN_PATH } from '../../../http/unknown-routes.ts';
import type { Assets } from '../../../pages/assets.ts';
import { html } from '../../../pages/html.ts';
import { SIGN_IN_WORDS } from '../sign-in/words.ts';
import { gridPage } from './frame.ts';

type ShowError = (error: AppError, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

const UNKNOWN_WORDS = translated({
  en: {
    title: 'Page not found',
    text: 'Check the address, or start from the front page.',
    home: 'To the front page',
    docs: 'API documentation',
  },
  sv: {
    title: 'Sidan finns inte',
    text: 'Kontrollera adressen, eller börja från startsidan.',
    home: 'Till startsidan',
    docs: 'API-dokumentation',
  },
});

/** Shows a browser what went wrong, in a page. */
export function faultPage(assets: Assets): ShowError {
  return (error, request, reply) => {
    const reader = pageReader(request);
    const words = SIGN_IN_WORDS[reader.language];
    const known: Readonly<Record<string, string>> = {
      ...words.errors,
      'origin.foreign': words.foreign,
      'signup.closed': words.closed,
      'signin.link_invalid': words.linkInvalid,
      'request.invalid': words.errors.invalid,
      'request.too_large': words.errors.invalid,
    };
    const isOurs = reply.statusCode >= 500;
    const sentence = known[error.code] ?? (isOurs ? words.retry : error.message);
    const main = html`<h1>${words.faultTitle}</h1>
<p>${sentence}</p>
<p class="row"><a class="button button-primary" href="/">${words.home}</a> <a class="button" href="/auth/login">${words.signIn}</a></p>
${isOurs ? html`<p class="small soft">${words.requestId}: <code>${request.id}</code></p>` : null}`;
    return sendPage(reply, gridPage(assets, { ...reader, title: words.faultTitle, main }), reply.statusCode);
  };
}

/** Tells somebody who mistyped an address, or opened that of a form, where to go instead. */
export function unknownPage(assets: Assets): ShowError {
  return (_error, request, reply) => {
    const language = pageLanguage(request);
    const words = UNKNOWN_WORDS[language];
    const main = html`<h1>${words.title}</h1>
<p class="lead">${words.text}</p>
<p class="row"><a class="button button-primary" href="/">${words.home}</a> <a class="button" href="/docs">${words.docs}</a></p>`;
    return sendPage(
      reply,
      gridPage(assets, { language, path: UNKNOWN_PATH, title: words.title, main }),
      reply.statusCode,
    );
  };
}

/**
 * The same for pages that somebody must be signed in for: who is not is led to the sign-in page and back again, to the page
 * that was asked for, or to `home` after a form.
 */
export function signInFirst(assets: Assets, home: string): ShowError {
  const show = faultPage(assets);
  return (error, request, reply) => {
    if (error.code !== 'signin.required') return show(error, request, reply);
    const next = (request.method === 'GET' ? ownPath(request.url) : undefined) ?? home;
    return reply.redirect(`/auth/login?info=required&next=${encodeURIComponent(next)}`, 303);
  };
}
