import { canonicalEmail, faultInEmail } from '../../../domain/accounts/index.ts';
import { accountPath, newAccountBody } from '../operator/account.ts';
import { type AccountParts, accountPage } from '../operator/account-record.ts';
import { accountsList } from '../operator/accounts-list.ts';
import { ACCOUNTS_WORDS } from '../operator/accounts-words.ts';
import { inSentence } from '../operator/foreign-text.ts';
import { PAGE_ROWS, pageOf } from '../operator/parts.ts';
import { noticeIn, type OperatorScope } from '../operator/scope.ts';
import { sectionPath } from '../operator/sections.ts';

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
      const title = ACCOUNTS_WORDS[asked.language].title;
      return { title, body: accountsList(asked, { ...found, text, tier, page }) };
    },
  });

  pages.addPage({
    path: `${HOME}/:id`,
    section: 'accounts',
    async show(asked) {
      const notice = noticeIn(ACCOUNTS_WORDS[asked.language].done, asked.query('done'));
      return { ...(await accountPage(asked, parts)), notice };
    },
  });

  pages.addChange({
    path: `${HOME}/new`,
    section: 'accounts',
    async plan(asked) {
      const words = ACCOUNTS_WORDS[asked.language];
      const sent = asked.form.fields();
      const title = words.newAccount;
      if (!asked.isSent) return { refused: { title, body: newAccountBody(asked, {}), status: 200 } };
      const email = canonicalEmail(sent.email ?? '');
      const name = (sent.name ?? '').trim();
      const tier = (sent.tier ?? '').trim();
      const isEmail = faultInEmail(email) === null;
      const isTaken = isEmail && (await users.find(email)) !== undefined;
      const faults = {
        ...(isEmail ? {} : { email: words.emailFault }),
        ...(isTaken ? { email: words.emailTaken } : {}),
        ...([...name].length <= 200 ? {} : { name: words.nameFault }),
        ...(tier !== '' && [...tier].length <= 64 ? {} : { tier: words.tierFault }),
      };
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
