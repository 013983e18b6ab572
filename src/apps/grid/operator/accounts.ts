import type { ListedUser } from '../../../domain/access/accounts/index.ts';
import { type Html, html } from '../../../pages/html.ts';
import { tierName } from '../account/words.ts';
import {
  type AccountParts,
  accountPage,
  accountPath,
  faultsInAccount,
  newAccountBody,
  stateOf,
} from './account.ts';
import { ACCOUNTS_WORDS as words } from './accounts-words.ts';
import { date, empty, filter, formatCount, inSentence, PAGE_ROWS, pageOf, pager, table } from './parts.ts';
import { type Asked, noticeIn, type OperatorScope } from './scope.ts';
import { sectionPath } from './sections.ts';

const HOME = sectionPath('accounts');

/** The list of accounts, one account, and new ones. */
export function addOperatorAccounts(pages: OperatorScope, parts: AccountParts): void {
  const { users } = parts.accounts;

  pages.addPage({
    path: HOME,
    section: 'accounts',
    async show(asked) {
      const text = asked.query('q').trim();
      const tier = asked.query('tier');
      const page = pageOf(asked.query('page'));
      const found = await users.search({ text, tier, limit: PAGE_ROWS, offset: (page - 1) * PAGE_ROWS });
      const title = words.title;
      return { title, body: accountsList(asked, { ...found, text, tier, page }) };
    },
  });

  pages.addPage({
    path: `${HOME}/:id`,
    section: 'accounts',
    async show(asked) {
      const notice = noticeIn(words.done, asked.query('done'));
      return { ...(await accountPage(asked, parts)), notice };
    },
  });

  pages.addChange({
    path: `${HOME}/new`,
    section: 'accounts',
    async plan(asked) {
      const sent = asked.form.fields();
      const title = words.newAccount;
      if (!asked.isSent) return { refused: { title, body: newAccountBody(asked, {}), status: 200 } };
      const { email, name, tier, faults } = await faultsInAccount(sent, users);
      if (Object.keys(faults).length > 0)
        return { refused: { title, body: newAccountBody(asked, { faults, sent }) } };
      return {
        title,
        sentence: words.createSentence(email, inSentence(tier)),
        button: words.create,
        back: HOME,
        async carryOut(actor) {
          const { id } = await users.create({ email, name, tier }, actor);
          return { to: accountPath(id), done: 'account-created' };
        },
      };
    },
  });
}

interface FoundAccounts {
  readonly users: readonly ListedUser[];
  readonly total: number;
  readonly tiers: readonly string[];
  /** What was looked for. */
  readonly text: string;
  readonly tier: string;
  readonly page: number;
}

/** The accounts that were found, a page of them, and the form that looks for others. */
function accountsList({ canChange }: Asked, found: FoundAccounts): Html {
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
        choices: [['', words.allTiers], ...tiers.map((name) => [name, tierName(name, 'en')] as const)],
      },
    ],
  })}
<p class="soft small" role="status">${words.found(formatCount(total))}</p>
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
          words.state.title,
          { number: words.activeKeys },
          words.created,
        ],
        rows: users.map((user) => [
          html`<a href="${`${HOME}/${user.id}`}">${user.closing_since === null ? user.email : words.deletedAccount}</a>`,
          user.name,
          user.id,
          tierName(user.tier, 'en'),
          user.role === null ? null : words.operator,
          stateOf(user),
          formatCount(user.active_keys),
          date(user.created_at),
        ]),
      })
}
${canChange && html`<p><a class="button" href="${`${HOME}/new`}">${words.newAccount}</a></p>`}
${pager({ path: HOME, query: { q: text, tier }, page, hasNext: page * PAGE_ROWS < total })}`;
}
