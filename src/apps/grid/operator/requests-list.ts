import type { OperatorsRequest } from '../../../domain/requests/index.ts';
import { type Html, html } from '../../../pages/html.ts';
import { exactTime, formatCount } from '../account/parts.ts';
import { describedBy, faultText, mark } from '../pages/form-parts.ts';
import { accountPath } from './account.ts';
import { empty, filter, pathWith, table } from './parts.ts';
import { REQUESTS_WORDS } from './requests-words.ts';
import type { Asked } from './scope.ts';
import { sectionPath } from './sections.ts';

const HOME = sectionPath('requests');

/** What the list is filtered by, as it was written. */
export type RequestFilters = Readonly<Record<'account' | 'status' | 'route' | 'since' | 'cursor', string>>;

interface FoundRequests {
  readonly requests: readonly OperatorsRequest[];
  /** Of the next page; null at the end. */
  readonly cursor: string | null;
  readonly filters: RequestFilters;
  readonly isFilterWrong: boolean;
}

/** The field for an id, with what was wrong with it. */
export function findForm({ language }: Pick<Asked, 'language'>, value = '', fault?: string): Html {
  const words = REQUESTS_WORDS[language];
  const described = describedBy('id', { fault, hint: words.findHint });
  return html`<form class="operator-search" method="get" action="${HOME}" role="search" aria-label="${words.findLabel}">
<div class="field"><label for="id">${words.findLabel}</label><p class="hint" id="id-hint">${words.findHint}</p>${faultText('id', fault)}
<input id="id" name="id" type="search" value="${value}" maxlength="400" autocomplete="off" spellcheck="false" autocapitalize="none" aria-describedby="${described}" ${mark({ fault })}></div>
<button class="button button-primary">${words.find}</button></form>`;
}

/** A page of requests, the form that filters them, and the field for an id. */
export function requestsList(
  asked: Asked,
  { requests, cursor, filters, isFilterWrong }: FoundRequests,
): Html {
  const { language } = asked;
  const words = REQUESTS_WORDS[language];
  const choices = (texts: Readonly<Record<string, string>>, chosen: string) =>
    Object.entries(Object.hasOwn(texts, chosen) ? texts : { ...texts, [chosen]: chosen });
  const none = cursor === null ? empty(words.none, words.noneText) : empty(words.noneOnPage, words.noneText);
  const { cursor: here, ...kept } = filters;
  return html`${findForm(asked)}
${filter({
  path: HOME,
  submit: words.show,
  fields: [
    { name: 'account', label: words.account, value: filters.account },
    {
      name: 'status',
      label: words.status,
      value: filters.status,
      choices: choices(words.statuses, filters.status),
    },
    { name: 'route', label: words.route, value: filters.route },
    {
      name: 'since',
      label: words.since,
      value: filters.since,
      choices: choices(words.sinces, filters.since),
    },
  ],
})}
${isFilterWrong ? html`<p class="notice notice-bad" role="alert">${words.wrongFilter}</p>` : null}
${
  requests.length === 0
    ? none
    : html`<div class="requests">${table({
        label: words.title,
        columns: [
          words.time,
          words.route,
          words.status,
          words.code,
          words.account,
          { number: words.duration },
          { number: words.calls },
        ],
        rows: requests.map((one) => [
          html`<a href="${`${HOME}/${encodeURIComponent(one.request_id)}`}">${exactTime(one.at, language)}</a>`,
          html`<code>${one.method} ${one.route}</code>`,
          one.status ?? words.noResponse,
          one.error_code && html`<code class="unbroken">${one.error_code}</code>`,
          one.user_id === null ? null : html`<a href="${accountPath(one.user_id)}">${one.user_id}</a>`,
          words.ms(formatCount(one.duration_ms, language)),
          formatCount(one.calls.length + one.more_calls, language),
        ]),
      })}</div>`
}
<p class="row">${here !== '' && html`<a class="button button-small" href="${pathWith(HOME, kept)}">${words.newest}</a>`} ${cursor !== null && html`<a class="button button-small" href="${pathWith(HOME, { ...kept, cursor })}" rel="next">${words.older}</a>`}</p>`;
}
