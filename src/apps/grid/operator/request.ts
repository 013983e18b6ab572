import type { Language } from '../../../core/language.ts';
import type { OperatorsRequest } from '../../../domain/requests/index.ts';
import { type Html, html, type Part } from '../../../pages/html.ts';
import { exactTime, formatCount } from '../account/parts.ts';
import { accountPath } from './account.ts';
import { table } from './parts.ts';
import { REQUESTS_WORDS } from './requests-words.ts';

/** What became of a request, and when its calls to vendors ran. */
export function requestBody(request: OperatorsRequest, language: Language): Html {
  const words = REQUESTS_WORDS[language];
  const { user_id, status, calls, more_calls } = request;
  const account =
    user_id === null
      ? html`<span class="soft">${words.nobody}</span>`
      : html`<a href="${accountPath(user_id)}">${user_id}</a>`;
  const facts: readonly (readonly [string, Part])[] = [
    [words.status, status === null ? words.noResponse : html`<strong>${status}</strong>`],
    [words.route, html`<code>${request.method} ${request.route}</code>`],
    [words.code, request.error_code && html`<code>${request.error_code}</code>`],
    [words.error, request.error],
    [words.account, account],
    [words.key, request.key_id && html`<code>${request.key_id}</code>`],
    [words.time, exactTime(request.at, language)],
    [words.duration, words.ms(formatCount(request.duration_ms, language))],
    [words.vendor, request.vendor],
    [words.device, request.device],
    [words.link, request.link && html`<code>${request.link}</code>`],
    [words.service, request.service],
    [words.instance, html`<code>${request.instance}</code>`],
  ];
  return html`<dl class="facts operator-request">${facts.map(([name, value]) =>
    value === null || value === '' ? null : html`<dt>${name}</dt><dd>${value}</dd>`,
  )}</dl>
<h2>${words.calls}</h2>
${calls.length === 0 ? html`<p class="soft">${words.noCalls}</p>` : html`<div class="requests">${waterfall(request, language)}</div>`}
${more_calls > 0 && html`<p class="soft">${words.moreCalls(formatCount(more_calls, language))}</p>`}`;
}

/** Its calls, each with a bar from its begin to its end on the time of the request. */
function waterfall({ calls, duration_ms }: OperatorsRequest, language: Language): Html {
  const words = REQUESTS_WORDS[language];
  const ms = (value: number) => words.ms(formatCount(value, language));
  const whole = Math.max(1, duration_ms, ...calls.map((call) => call.started_ms + call.duration_ms));
  const bar = (from: number, length: number, isGood: boolean) => {
    const x = Math.min(99, (from / whole) * 100);
    const width = Math.max(1, Math.min(100 - x, (length / whole) * 100));
    return html`<svg class="${isGood ? 'call-bar' : 'call-bar call-bar-bad'}" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect x="${x.toFixed(2)}" y="0" width="${width.toFixed(2)}" height="4"></rect></svg>`;
  };
  return table({
    label: words.calls,
    columns: [
      words.call,
      words.timeline,
      words.outcome,
      { number: words.httpStatus },
      { number: words.began },
      { number: words.duration },
    ],
    rows: calls.map((call) => [
      `${call.vendor} ${call.call}`,
      bar(call.started_ms, call.duration_ms, call.outcome === 'ok'),
      html`<code>${call.outcome}</code>`,
      call.status ?? '–',
      ms(call.started_ms),
      ms(call.duration_ms),
    ]),
  });
}
