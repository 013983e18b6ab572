import type { ListedUser } from '../../../domain/accounts/index.ts';
import { type Html, html } from '../../../pages/html.ts';
import { date, formatCount } from '../account/parts.ts';
import { tierName } from '../account/words.ts';
import { ACCOUNTS_WORDS } from './accounts-words.ts';
import { empty, filter, PAGE_ROWS, pager, table } from './parts.ts';
import type { Asked } from './scope.ts';
import { sectionPath } from './sections.ts';

interface FoundAccounts {
  readonly users: readonly ListedUser[];
  readonly total: number;
  readonly tiers: readonly string[];
  /** What was looked for. */
  readonly text: string;
  readonly tier: string;
  readonly page: number;
}

const HOME = sectionPath('accounts');

/** The accounts that were found, a page of them, and the form that looks for others. */
export function accountsList({ language, canChange }: Asked, found: FoundAccounts): Html {
  const words = ACCOUNTS_WORDS[language];
  const { users, total, tiers, text, tier, page } = found;
  return html`${filter({
    path: HOME,
    submit: words.search,
    fields: [
      { name: 'q', label: words.searchLabel, value: text },
      {
        name: 'tier',
        label: words.tier,
        value: tier,
        choices: [['', words.allTiers], ...tiers.map((name) => [name, tierName(name, language)] as const)],
      },
    ],
  })}
<p class="soft small" role="status">${words.found(formatCount(total, language))}</p>
${
  users.length === 0
    ? empty(words.none, words.noneText)
    : table({
        label: words.title,
        columns: [
          words.email,
          words.name,
          { number: words.id },
          words.tier,
          words.role,
          { number: words.activeKeys },
          words.created,
        ],
        rows: users.map((user) => [
          html`<a href="${`${HOME}/${user.id}`}">${user.email}</a>`,
          user.name,
          user.id,
          tierName(user.tier, language),
          user.role === null ? null : words.operator,
          formatCount(user.active_keys, language),
          date(user.created_at, language),
        ]),
      })
}
${canChange && html`<p><a class="button" href="${`${HOME}/new`}">${words.newAccount}</a></p>`}
${pager({ language, path: HOME, query: { q: text, tier }, page, hasNext: page * PAGE_ROWS < total })}`;
}
