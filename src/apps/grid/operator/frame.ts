import type { FastifyReply, FastifyRequest } from 'fastify';
import { rfc3339 } from '../../../core/clock.ts';
import type { AppError } from '../../../core/errors.ts';
import type { Operator } from '../../../http/access.ts';
import { ownPath } from '../../../http/own-path.ts';
import { sendPage } from '../../../http/pages.ts';
import type { Assets } from '../../../pages/assets.ts';
import { type Html, html, type Part } from '../../../pages/html.ts';
import { gridPage } from '../pages/frame.ts';
import { time } from './parts.ts';
import { OPERATOR_HOME, OPERATOR_SIGN_IN, type SectionName, sectionPath } from './sections.ts';
import { OPERATOR_WORDS as words } from './words.ts';

/** What a page of the operator consists of. */
export interface Shown {
  readonly title: string;
  readonly body: Html;
  /** What was done just before, above the page. */
  readonly notice?: string | undefined;
  /** 200 by default; 422 for a form that is sent back. */
  readonly status?: number;
  readonly scripts?: readonly string[];
  /** Style sheets besides those of all pages of the operator. */
  readonly styles?: readonly string[];
}

interface OperatorFrame extends Shown {
  /** Address of the page, with its query. */
  readonly path: string;
  readonly operator: Operator;
  /** ms since 1970; null while the session only reads. */
  readonly changesUntil: number | null;
  /** Sections that exist, and the one that the page is in; undefined on the overview. */
  readonly sections: readonly SectionName[];
  readonly here: SectionName | undefined;
}

/** A page of the operator: who is signed in, whether changes are on, and the sections above what it shows. */
export function operatorPage(assets: Assets, page: OperatorFrame): string {
  const { title, body, notice, scripts = [], styles = [] } = page;
  const main = html`<header class="operator-head stack-small">
${sessionBar(page)}
<nav class="operator-sections" aria-label="${words.navigation}"><ul>
<li>${link(OPERATOR_HOME, words.home, page.here === undefined)}</li>
${page.sections.map((name) => html`<li>${link(sectionPath(name), words.sections[name], page.here === name)}</li>`)}
</ul></nav></header>
<div class="stack operator-body"><h1>${title}</h1>
${notice === undefined ? null : html`<p class="notice notice-good" role="status">${notice}</p>`}
${body}</div>`;
  return gridPage(assets, {
    language: 'en',
    title: `${title} · ${words.title}`,
    styles: ['account', 'operator', ...styles],
    scripts,
    width: 'wide',
    main,
  });
}

const link = (href: string, text: string, isHere: boolean): Html =>
  isHere ? html`<a href="${href}" aria-current="page">${text}</a>` : html`<a href="${href}">${text}</a>`;

function sessionBar({ path, operator, changesUntil }: OperatorFrame): Html {
  const { account, endsAt } = operator;
  const who = account === null ? words.byToken : words.byAccount(account.email);
  const ends: Part =
    endsAt === null ? null : html` <span class="soft small">${words.until} ${time(rfc3339(endsAt))}</span>`;
  return html`<div class="operator-session">
<p>${who}${ends}</p>
${changesSwitch({ path, changesUntil })}
<form method="post" action="${account === null ? '/operator/sign-out' : '/auth/logout'}"><button class="button button-small">${words.signOut}</button></form>
</div>`;
}

interface Switch {
  /** Where to come back to. */
  readonly path: string;
  readonly changesUntil: number | null;
}

/** Turns changes on, or shows until when they are on and turns them off. */
export function changesSwitch({ path, changesUntil }: Switch): Html {
  const form = (turn: 'on' | 'off', text: string) =>
    html`<form method="post" action="/operator/changes"><input type="hidden" name="turn" value="${turn}"><input type="hidden" name="next" value="${path}"><button class="button button-small">${text}</button></form>`;
  return changesUntil === null
    ? html`<div class="row"><p class="soft">${words.readingOnly}</p>${form('on', words.turnOn)}</div>`
    : html`<div class="row"><p><strong>${words.changesOn} ${time(rfc3339(changesUntil))}</strong></p>${form('off', words.turnOff)}</div>`;
}

/** Leads who is not signed in as an operator to the sign-in page, and shows everybody else what went wrong: no data. */
export function operatorFault(assets: Assets) {
  return (error: AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (error.code === 'signin.required') {
      const next = (request.method === 'GET' ? ownPath(request.url) : undefined) ?? OPERATOR_HOME;
      return reply.redirect(`${OPERATOR_SIGN_IN}?info=required&next=${encodeURIComponent(next)}`, 303);
    }
    const known: Readonly<Record<string, string>> = words.faults;
    const isOurs = reply.statusCode >= 500;
    const sentence = known[error.code] ?? (isOurs ? words.retry : error.message);
    const main = html`<h1>${words.faultTitle}</h1>
<p>${sentence}</p>
<p class="row"><a class="button button-primary" href="${OPERATOR_HOME}">${words.toHome}</a> <a class="button" href="${OPERATOR_SIGN_IN}">${words.signIn.title}</a></p>
<p class="small soft">${words.requestId}: <code>${request.id}</code></p>`;
    return sendPage(
      reply,
      gridPage(assets, { language: 'en', title: words.faultTitle, main }),
      reply.statusCode,
    );
  };
}
