import type { Accounts, AuditEntry } from '../../../domain/access/accounts/index.ts';
import { type Html, html } from '../../../pages/html.ts';
import { accountPath } from './account.ts';
import { empty, filter, pageOf, pager, partOf, pathWith, shownOf, table, time, wanted } from './parts.ts';
import type { OperatorScope } from './scope.ts';
import { sectionPath } from './sections.ts';

const WORDS = {
  title: 'Audit trail',
  lead: 'Every change, the newest first. Choose an actor, an action or a target to see its changes.',
  at: 'Time',
  actor: 'Actor',
  action: 'Action',
  target: 'Target',
  detail: 'Details',
  from: 'IP address',
  request: 'Request',
  none: 'No changes.',
  noneText: 'No change matches. Actors, actions and targets are compared whole, as in user/7.',
};

const HOME = sectionPath('audit');
const REQUESTS = sectionPath('requests');
const FILTERS = ['actor', 'action', 'target'] as const;

/** Every change, by who made it, what it was and what it was made to. */
export function addOperatorAudit(pages: OperatorScope, accounts: Pick<Accounts, 'audit'>): void {
  pages.addPage({
    path: HOME,
    section: 'audit',
    async show(asked) {
      const { query } = asked;
      const page = pageOf(query('page'));
      const [actor, action, target] = FILTERS.map((name) => query(name).trim());
      const found = await accounts.audit({
        ...{ actor: wanted(actor), action: wanted(action), target: wanted(target) },
        ...partOf(page),
      });
      const { rows, hasNext } = shownOf(found);
      const chosen = { actor: actor ?? '', action: action ?? '', target: target ?? '' };
      const body = html`<p class="soft">${WORDS.lead}</p>
${filter({
  path: HOME,
  submit: 'Show',
  fields: FILTERS.map((name) => ({ name, label: WORDS[name], value: chosen[name] })),
})}
${rows.length === 0 ? empty(WORDS.none, WORDS.noneText) : list(rows)}
${pager({ path: HOME, query: chosen, page, hasNext })}`;
      return { title: WORDS.title, body };
    },
  });
}

function list(entries: readonly AuditEntry[]): Html {
  const choose = (name: (typeof FILTERS)[number], value: string) =>
    html`<a href="${pathWith(HOME, { [name]: value })}">${value}</a>`;
  return table({
    label: WORDS.title,
    columns: [WORDS.at, WORDS.actor, WORDS.action, WORDS.target, WORDS.detail, WORDS.from, WORDS.request],
    rows: entries.map((entry) => [
      time(entry.at),
      choose('actor', entry.actor),
      choose('action', entry.action),
      html`${choose('target', entry.target)}${accountLink(entry.target)}`,
      html`<code class="small">${Object.keys(entry.detail).length === 0 ? '' : JSON.stringify(entry.detail)}</code>`,
      html`<code class="small">${entry.ip}</code>`,
      requestLink(entry.request_id),
    ]),
  });
}

/** Leads to the request that made a change; commands of the command line have none. */
function requestLink(id: string): Html | null {
  return id === ''
    ? null
    : html`<a href="${`${REQUESTS}/${encodeURIComponent(id)}`}"><code class="small">${id}</code></a>`;
}

/** Leads to the account that a change was made to. */
function accountLink(target: string): Html | null {
  const id = /^user\/(\d{1,15})$/.exec(target)?.[1];
  return id === undefined ? null : html` <a href="${accountPath(Number(id))}" aria-label="${target}">→</a>`;
}
