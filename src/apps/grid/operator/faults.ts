import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppError } from '../../../core/errors.ts';
import { pageLanguage } from '../../../http/language.ts';
import { ownPath } from '../../../http/own-path.ts';
import { sendPage } from '../../../http/pages.ts';
import type { Assets } from '../../../pages/assets.ts';
import { html } from '../../../pages/html.ts';
import { gridPage } from '../pages/frame.ts';
import { OPERATOR_HOME, OPERATOR_SIGN_IN } from './sections.ts';
import { OPERATOR_WORDS } from './words.ts';

/** Leads who is not signed in as an operator to the sign-in page, and shows everybody else what went wrong: no data. */
export function operatorFault(assets: Assets) {
  return (error: AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (error.code === 'signin.required') {
      const next = (request.method === 'GET' ? ownPath(request.url) : undefined) ?? OPERATOR_HOME;
      return reply.redirect(`${OPERATOR_SIGN_IN}?info=required&next=${encodeURIComponent(next)}`, 303);
    }
    const language = pageLanguage(request);
    const words = OPERATOR_WORDS[language];
    const known: Readonly<Record<string, string>> = words.faults;
    const isOurs = reply.statusCode >= 500;
    const sentence = known[error.code] ?? (isOurs ? words.retry : error.message);
    const main = html`<h1>${words.faultTitle}</h1>
<p>${sentence}</p>
<p class="row"><a class="button button-primary" href="${OPERATOR_HOME}">${words.toHome}</a> <a class="button" href="${OPERATOR_SIGN_IN}">${words.signIn.title}</a></p>
<p class="small soft">${words.requestId}: <code>${request.id}</code></p>`;
    const path = request.method === 'GET' ? request.url : undefined;
    return sendPage(
      reply,
      gridPage(assets, { language, path, title: words.faultTitle, main }),
      reply.statusCode,
    );
  };
}
