import type { Clock } from '../../../core/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../core/durations.ts';
import { type Requests, routeFilter, statusFilter } from '../../../domain/requests/index.ts';
import { isRequestId } from '../../../http/request-id.ts';
import { html } from '../../../pages/html.ts';
import type { Shown } from '../operator/frame.ts';
import { PAGE_ROWS } from '../operator/parts.ts';
import { requestBody } from '../operator/request.ts';
import { findForm, requestsList } from '../operator/requests-list.ts';
import { REQUESTS_WORDS } from '../operator/requests-words.ts';
import type { Asked, OperatorScope } from '../operator/scope.ts';
import { sectionPath } from '../operator/sections.ts';

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
    const words = REQUESTS_WORDS[asked.language];
    const id = text.trim();
    const refused = (fault: string, status: number) => ({
      title: words.title,
      body: html`${findForm(asked, id.slice(0, 400), fault)}<p><a href="${HOME}">${words.back}</a></p>`,
      status,
    });
    if (!isRequestId(id)) return refused(words.malformed, 422);
    const { requests: found } = await ofOperator.list({ requestId: id, limit: MOST_OF_ID });
    if (found.length === 0) return refused(words.notKept, absent);
    const body = html`<p><a href="${HOME}">${words.back}</a></p>
${found.length > 1 && html`<p class="notice notice-note">${words.several}</p>`}
${found.map((one) => html`<div class="stack">${requestBody(one, asked.language)}</div>`)}`;
    return { title: words.requestTitle(id), body };
  }

  async function list(asked: Asked): Promise<Shown> {
    const words = REQUESTS_WORDS[asked.language];
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
      title: words.title,
      body: requestsList(asked, { ...found, filters, isFilterWrong }),
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
