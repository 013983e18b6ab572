import type { Clock } from '../../../core/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../core/durations.ts';
import {
  type OperatorsRequest,
  type Requests,
  routeFilter,
  statusFilter,
} from '../../../domain/records/requests/index.ts';
import { isRequestId } from '../../../http/request-id.ts';
import { type Html, html, type Part } from '../../../pages/html.ts';
import { describedBy, faultText, mark } from '../pages/form-parts.ts';
import { accountPath } from './account.ts';
import type { Shown } from './frame.ts';
import { empty, exactTime, filter, formatCount, PAGE_ROWS, pathWith, table } from './parts.ts';
import type { Asked, OperatorScope } from './scope.ts';
import { sectionPath } from './sections.ts';

const WORDS = {
  title: 'Requests',
  find: 'Find',
  findLabel: 'Id of a request',
  findHint: 'From the header X-Request-Id of a response, such as v7Qm3kXz0a-4f.',
  malformed:
    'An id has 1 to 128 letters and digits, with . _ : and - between them. Copy it once more, without anything around it.',
  notKept:
    'No request with this id is kept. Requests that failed or change something are kept for some days; reads that succeed are not.',
  account: 'Account (id)',
  status: 'Status',
  statuses: { '': 'All', failed: 'Failed', '2xx': '2xx', '4xx': '4xx', '5xx': '5xx' } as Readonly<
    Record<string, string>
  >,
  route: 'Route',
  since: 'From',
  sinces: { '': 'All that are kept', hour: 'The last hour', day: 'The last 24 hours' } as Readonly<
    Record<string, string>
  >,
  show: 'Show',
  none: 'No request matches.',
  noneText: 'Requests that failed or change something are listed. Reads that succeed are not kept.',
  noneOnPage: 'No request on this page matches. There are older ones.',
  older: 'Older',
  newest: 'To the newest',
  wrongFilter: 'The filter is not right: an account is a whole number, a status 404 or 4xx.',

  time: 'Began',
  code: 'Error code',
  duration: 'Duration',
  calls: 'Calls to vendors',
  ms: (value: string) => `${value} ms`,
  noResponse: 'no response: the caller disconnected',
  nobody: 'none',

  back: 'To the list',
  requestTitle: (id: string) => `Request ${id}`,
  several: 'Several requests have this id: it was chosen by who sent them. The newest is first.',
  service: 'Service',
  instance: 'Instance',
  key: 'Key id',
  error: 'Error',
  device: 'Device',
  link: 'Link',
  vendor: 'Vendor',
  call: 'Call',
  outcome: 'Outcome',
  httpStatus: 'HTTP status',
  began: 'Began after',
  timeline: 'When',
  noCalls: 'It called no vendor.',
  moreCalls: (count: string) => `${count} further calls are not listed.`,
};

export interface RequestsPages {
  readonly requests: Pick<Requests, 'ofOperator'>;
  readonly clock: Clock;
}

const HOME = sectionPath('requests');
/** Requests with one id that are shown. */
const MOST_OF_ID = 20;
const SINCE: ReadonlyMap<string, number> = new Map([
  ['hour', HOUR_MS],
  ['day', DAY_MS],
]);

/** Requests that are kept, and one of them by its id. */
export function addOperatorRequests(pages: OperatorScope, { requests, clock }: RequestsPages): void {
  const { ofOperator } = requests;

  async function byId(asked: Asked, text: string, absent: number): Promise<Shown> {
    const id = text.trim();
    const refused = (fault: string, status: number) => ({
      title: WORDS.title,
      body: html`${findForm(id.slice(0, 400), fault)}<p><a href="${HOME}">${WORDS.back}</a></p>`,
      status,
    });
    if (!isRequestId(id)) return refused(WORDS.malformed, 422);
    const here = asked.query('cursor');
    const { requests: found, cursor } = await ofOperator.list({
      requestId: id,
      limit: MOST_OF_ID,
      cursor: here === '' ? undefined : here,
    });
    if (found.length === 0) return refused(WORDS.notKept, absent);
    const body = html`<p><a href="${HOME}">${WORDS.back}</a></p>
${(found.length > 1 || here !== '') && html`<p class="notice notice-note">${WORDS.several}</p>`}
${found.map((one) => html`<div class="stack">${requestBody(one)}</div>`)}
${cursor !== null && html`<p class="row"><a class="button button-small" href="${pathWith(HOME, { id, cursor })}" rel="next">${WORDS.older}</a></p>`}`;
    return { title: WORDS.requestTitle(id), body };
  }

  async function list(asked: Asked): Promise<Shown> {
    const text = (name: string) => asked.query(name).trim();
    const filters = {
      ...{ account: text('account'), status: text('status'), route: text('route') },
      ...{ since: text('since'), cursor: text('cursor') },
    };
    const { account, status, route, since, cursor } = filters;
    const isFilterWrong =
      !/^\d{0,15}$/.test(account) || (status !== '' && statusFilter(status) === undefined);
    const ms = SINCE.get(since);
    const found = isFilterWrong
      ? { requests: [], cursor: null }
      : await ofOperator.list({
          account: account === '' ? undefined : Number(account),
          status: statusFilter(status),
          ...(route === '' ? {} : routeFilter(route)),
          since: ms === undefined ? undefined : clock.now() - ms,
          cursor: cursor === '' ? undefined : cursor,
          limit: PAGE_ROWS,
        });
    return {
      title: WORDS.title,
      body: requestsList({ ...found, filters, isFilterWrong }),
      ...(isFilterWrong ? { status: 422 } : {}),
    };
  }

  pages.addPage({
    path: HOME,
    section: 'requests',
    show: (asked) => (asked.query('id') === '' ? list(asked) : byId(asked, asked.query('id'), 200)),
  });

  pages.addPage({
    path: `${HOME}/:id`,
    section: 'requests',
    show: (asked) => byId(asked, asked.param('id'), 404),
  });
}

/** What the list is filtered by, as it was written. */
type RequestFilters = Readonly<Record<'account' | 'status' | 'route' | 'since' | 'cursor', string>>;

interface FoundRequests {
  readonly requests: readonly OperatorsRequest[];
  /** Of the next page; null at the end. */
  readonly cursor: string | null;
  readonly filters: RequestFilters;
  readonly isFilterWrong: boolean;
}

/** The field for an id, with its fault. */
function findForm(value = '', fault?: string): Html {
  const described = describedBy('id', { fault, hint: WORDS.findHint });
  return html`<form class="operator-search" method="get" action="${HOME}" role="search" aria-label="${WORDS.findLabel}">
<div class="field"><label for="id">${WORDS.findLabel}</label><p class="hint" id="id-hint">${WORDS.findHint}</p>${faultText('id', fault)}
<input id="id" name="id" type="search" value="${value}" maxlength="400" autocomplete="off" spellcheck="false" autocapitalize="none" aria-describedby="${described}" ${mark({ fault })}></div>
<button class="button button-primary">${WORDS.find}</button></form>`;
}

/** A page of requests, the form that filters them, and the field for an id. */
function requestsList({ requests, cursor, filters, isFilterWrong }: FoundRequests): Html {
  const choices = (texts: Readonly<Record<string, string>>, chosen: string) =>
    Object.entries(Object.hasOwn(texts, chosen) ? texts : { ...texts, [chosen]: chosen });
  const none = cursor === null ? empty(WORDS.none, WORDS.noneText) : empty(WORDS.noneOnPage, WORDS.noneText);
  const { cursor: here, ...kept } = filters;
  return html`${findForm()}
${filter({
  path: HOME,
  submit: WORDS.show,
  fields: [
    { name: 'account', label: WORDS.account, value: filters.account },
    {
      name: 'status',
      label: WORDS.status,
      value: filters.status,
      choices: choices(WORDS.statuses, filters.status),
    },
    { name: 'route', label: WORDS.route, value: filters.route },
    {
      name: 'since',
      label: WORDS.since,
      value: filters.since,
      choices: choices(WORDS.sinces, filters.since),
    },
  ],
})}
${isFilterWrong ? html`<p class="notice notice-bad" role="alert">${WORDS.wrongFilter}</p>` : null}
${
  requests.length === 0
    ? none
    : html`<div class="requests">${table({
        label: WORDS.title,
        columns: [
          WORDS.time,
          WORDS.route,
          WORDS.status,
          WORDS.code,
          WORDS.account,
          { number: WORDS.duration },
          { number: WORDS.calls },
        ],
        rows: requests.map((one) => [
          html`<a href="${`${HOME}/${encodeURIComponent(one.request_id)}`}">${exactTime(one.at)}</a>`,
          html`<code>${one.method} ${one.route}</code>`,
          one.status ?? WORDS.noResponse,
          one.error_code && html`<code class="unbroken">${one.error_code}</code>`,
          one.user_id === null ? null : html`<a href="${accountPath(one.user_id)}">${one.user_id}</a>`,
          WORDS.ms(formatCount(one.duration_ms)),
          formatCount(one.calls.length + one.more_calls),
        ]),
      })}</div>`
}
<p class="row">${here !== '' && html`<a class="button button-small" href="${pathWith(HOME, kept)}">${WORDS.newest}</a>`} ${cursor !== null && html`<a class="button button-small" href="${pathWith(HOME, { ...kept, cursor })}" rel="next">${WORDS.older}</a>`}</p>`;
}

/** What became of a request, and when its calls to vendors ran. */
function requestBody(request: OperatorsRequest): Html {
  const { user_id, status, calls, more_calls } = request;
  const account =
    user_id === null
      ? html`<span class="soft">${WORDS.nobody}</span>`
      : html`<a href="${accountPath(user_id)}">${user_id}</a>`;
  const facts: readonly (readonly [string, Part])[] = [
    [WORDS.status, status === null ? WORDS.noResponse : html`<strong>${status}</strong>`],
    [WORDS.route, html`<code>${request.method} ${request.route}</code>`],
    [WORDS.code, request.error_code && html`<code>${request.error_code}</code>`],
    [WORDS.error, request.error],
    [WORDS.account, account],
    [WORDS.key, request.key_id && html`<code>${request.key_id}</code>`],
    [WORDS.time, exactTime(request.at)],
    [WORDS.duration, WORDS.ms(formatCount(request.duration_ms))],
    [WORDS.vendor, request.vendor],
    [WORDS.device, request.device],
    [WORDS.link, request.link && html`<code>${request.link}</code>`],
    [WORDS.service, request.service],
    [WORDS.instance, html`<code>${request.instance}</code>`],
  ];
  return html`<dl class="facts operator-request">${facts.map(([name, value]) =>
    value === null || value === '' ? null : html`<dt>${name}</dt><dd>${value}</dd>`,
  )}</dl>
<h2>${WORDS.calls}</h2>
${calls.length === 0 ? html`<p class="soft">${WORDS.noCalls}</p>` : html`<div class="requests">${waterfall(request)}</div>`}
${more_calls > 0 && html`<p class="soft">${WORDS.moreCalls(formatCount(more_calls))}</p>`}`;
}

/** Its calls, each with a bar from its begin to its end on the time of the request. */
function waterfall({ calls, duration_ms }: OperatorsRequest): Html {
  const ms = (value: number) => WORDS.ms(formatCount(value));
  const whole = Math.max(1, duration_ms, ...calls.map((call) => call.started_ms + call.duration_ms));
  const bar = (from: number, length: number, isGood: boolean) => {
    const x = Math.min(99, (from / whole) * 100);
    const width = Math.max(1, Math.min(100 - x, (length / whole) * 100));
    return html`<svg class="${isGood ? 'call-bar' : 'call-bar call-bar-bad'}" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect x="${x.toFixed(2)}" y="0" width="${width.toFixed(2)}" height="4"></rect></svg>`;
  };
  return table({
    label: WORDS.calls,
    columns: [
      WORDS.call,
      WORDS.timeline,
      WORDS.outcome,
      { number: WORDS.httpStatus },
      { number: WORDS.began },
      { number: WORDS.duration },
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
