import type { Accounts, AuditEntry } from '../../../domain/accounts/index.ts';
import { type Html, html } from '../../../pages/html.ts';
import { time } from '../account/parts.ts';
import { accountPath } from '../operator/account.ts';
import { OVERSIGHT_WORDS } from '../operator/oversight-words.ts';
import { empty, filter, pageOf, pager, partOf, pathWith, shownOf, table, wanted } from '../operator/parts.ts';
import type { Asked, OperatorScope } from '../operator/scope.ts';
import { sectionPath } from '../operator/sections.ts';

const HOME = sectionPath('audit');
const REQUESTS = sectionPath('requests');
const FILTERS = ['actor', 'action', 'target'] as const;

/** Every change, by who made it, what it was and what it was made to. */
export function addOperatorAudit(pages: OperatorScope, accounts: Pick<Accounts, 'searchAudit'>): void {
  pages.addPage({
    path: HOME,
    section: 'audit',
    async show(asked) {
      const { language, query } = asked;
      const words = OVERSIGHT_WORDS[language].audit;
      const page = pageOf(query('page'));
      const [actor, action, target] = FILTERS.map((name) => query(name).trim());
      const found = await accounts.searchAudit({
        ...{ actor: wanted(actor), action: wanted(action), target: wanted(target) },
        ...partOf(page),
      });
      const { rows, hasNext } = shownOf(found);
      const chosen = { actor: actor ?? '', action: action ?? '', target: target ?? '' };
      const body = html`<p class="soft">${words.lead}</p>
${filter({
  path: HOME,
  submit: OVERSIGHT_WORDS[language].search,
  fields: FILTERS.map((name) => ({ name, label: words[name], value: chosen[name] })),
})}
${rows.length === 0 ? empty(words.none, words.noneText) : list(asked, rows)}
${pager({ language, path: HOME, query: chosen, page, hasNext })}`;
      return { title: words.title, body };
    },
  });
}

function list({ language }: Asked, entries: readonly AuditEntry[]): Html {
  const words = OVERSIGHT_WORDS[language].audit;
  const choose = (name: (typeof FILTERS)[number], value: string) =>
    html`<a href="${pathWith(HOME, { [name]: value })}">${value}</a>`;
  return table({
    label: words.title,
    columns: [words.at, words.actor, words.action, words.target, words.detail, words.from, words.request],
    rows: entries.map((entry) => [
      time(entry.at, language),
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
