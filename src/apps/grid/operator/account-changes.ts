import { AppError } from '../../../core/errors.ts';
import {
  type Accounts,
  canonicalEmail,
  faultInKeyLabel,
  SCOPES,
} from '../../../domain/access/accounts/index.ts';
import type { People } from '../../../domain/access/people/index.ts';
import { html } from '../../../pages/html.ts';
import { PolicyParameters } from '../administration/schemas.ts';
import { signInLinks } from '../administration/sign-in-link.ts';
import { readParameters } from '../input/parameters.ts';
import {
  type AccountParts,
  accountIdOf,
  accountPage,
  accountPath,
  faultsInAccount,
  keyCard,
  LIMIT_FIELDS,
  limitsText,
} from './account.ts';
import { ACCOUNTS_WORDS as words } from './accounts-words.ts';
import { inSentence, timeText } from './parts.ts';
import type { OperatorScope } from './scope.ts';
import { sectionPath } from './sections.ts';

interface AccountChanges extends Pick<AccountParts, 'linkedVendors'> {
  readonly accounts: Pick<Accounts, 'users' | 'keys' | 'brands' | 'usageByDay' | 'noteChange'>;
  readonly people: Pick<People, 'linkFor'>;
  readonly publicUrl: () => string;
}

const HOME = sectionPath('accounts');
const ACCOUNT = `${HOME}/:id`;

/** Changes of one account: its role, its keys, its limits, and links that sign in to it. */
export function addOperatorAccountChanges(pages: OperatorScope, deps: AccountChanges): void {
  addRoleChanges(pages, deps);
  addKeyChanges(pages, deps);
  addPolicyChange(pages, deps);
  addSignInLink(pages, deps);
  addProfileChange(pages, deps);
  addStateChanges(pages, deps);
}

function addProfileChange(pages: OperatorScope, deps: AccountChanges): void {
  const { users } = deps.accounts;
  pages.addChange({
    path: `${ACCOUNT}/change`,
    section: 'accounts',
    async plan(asked) {
      if (!asked.isSent) return { refused: { ...(await accountPage(asked, deps)), status: 200 } };
      const sent = asked.form.fields();
      const user = await users.one(accountIdOf(asked));
      const { faults, ...wanted } = await faultsInAccount(sent, users, user.id);
      const changed = (['email', 'name', 'tier'] as const).filter((name) => wanted[name] !== user[name]);
      const wrong = changed.length === 0 ? { email: words.unchanged } : faults;
      if (Object.keys(wrong).length > 0)
        return { refused: await accountPage(asked, deps, { faults: wrong, sent }) };
      const back = accountPath(user.id);
      const sentences = changed.map((name) => words.changes[name](inSentence(wanted[name])));
      return {
        title: words.edit,
        sentence: words.changeSentence(user.email, user.id, sentences.join(' ')),
        button: words.save,
        back,
        async carryOut(actor) {
          const change = Object.fromEntries(changed.map((name) => [name, wanted[name]]));
          await users.change(user.id, change, actor);
          return { to: back, done: 'account-changed' };
        },
      };
    },
  });
}

function addStateChanges(pages: OperatorScope, deps: AccountChanges): void {
  const { users } = deps.accounts;
  const texts = words.state;
  for (const [path, suspended, sentence, button, done] of [
    ['suspend', true, texts.suspendSentence, texts.suspend, 'suspended'],
    ['resume', false, texts.resumeSentence, texts.resume, 'resumed'],
  ] as const)
    pages.addChange({
      path: `${ACCOUNT}/${path}`,
      section: 'accounts',
      async plan(asked) {
        const { id, email } = await users.profile(accountIdOf(asked));
        const back = `${accountPath(id)}#state`;
        return {
          title: button,
          sentence: sentence(email, id),
          button,
          isDangerous: suspended,
          back,
          async carryOut(actor) {
            await users.change(id, { suspended }, actor);
            return { to: back, done };
          },
        };
      },
    });

  pages.addChange({
    path: `${ACCOUNT}/delete`,
    section: 'accounts',
    async plan(asked) {
      if (!asked.isSent) return { refused: { ...(await accountPage(asked, deps)), status: 200 } };
      const { id, email } = await users.profile(accountIdOf(asked));
      const confirm = asked.form.text('confirm');
      if (canonicalEmail(confirm) !== email)
        return {
          refused: await accountPage(asked, deps, {
            faults: { confirm: texts.confirmFault(email) },
            sent: { confirm },
          }),
        };
      return {
        title: texts.delete,
        sentence: texts.deleteSentence(email, id),
        button: texts.delete,
        isDangerous: true,
        back: `${accountPath(id)}#state`,
        async carryOut(actor) {
          await users.close(id, confirm, actor);
          return { to: accountPath(id), done: 'deleting' };
        },
      };
    },
  });
}

function addRoleChanges(pages: OperatorScope, { accounts: { users } }: AccountChanges): void {
  pages.addChange({
    path: `${ACCOUNT}/role/give`,
    section: 'accounts',
    async plan(asked) {
      const { id, email } = await users.one(accountIdOf(asked));
      // control: an account with the role of operator gives it to nobody [grid/operator/operator]
      if (asked.operator.account !== null)
        throw new AppError('operator.token_required', 'only a session of the admin token may give the role');
      const back = `${accountPath(id)}#role`;
      return {
        title: words.giveRoleTitle,
        sentence: words.giveRoleSentence(email, id),
        button: words.giveRole,
        back,
        async carryOut(actor) {
          await users.setRole(id, 'operator', actor);
          return { to: back, done: 'role-given' };
        },
      };
    },
  });

  pages.addChange({
    path: `${ACCOUNT}/role/take`,
    section: 'accounts',
    async plan(asked) {
      const { id, email } = await users.one(accountIdOf(asked));
      const isOwn = asked.operator.account?.id === id;
      const back = `${accountPath(id)}#role`;
      return {
        title: words.takeRoleTitle,
        sentence: isOwn ? words.takeOwnRoleSentence(email) : words.takeRoleSentence(email, id),
        button: words.takeRole,
        isDangerous: true,
        back,
        async carryOut(actor) {
          await users.setRole(id, null, actor);
          return { to: back, done: 'role-taken' };
        },
      };
    },
  });
}

function addKeyChanges(pages: OperatorScope, deps: AccountChanges): void {
  const { keys, users } = deps.accounts;

  pages.addChange({
    path: `${ACCOUNT}/keys`,
    section: 'accounts',
    async plan(asked) {
      const { form } = asked;
      if (!asked.isSent) return { refused: { ...(await accountPage(asked, deps)), status: 200 } };
      const label = form.text('label').normalize('NFC').trim();
      const sentScopes = form.all('scopes');
      const scopes = SCOPES.filter((scope) => sentScopes.includes(scope));
      const faults = {
        ...(faultInKeyLabel(label) === null ? {} : { label: words.labelFault }),
        ...(scopes.length > 0 ? {} : { scopes: words.scopesFault }),
      };
      if (Object.keys(faults).length > 0)
        return { refused: await accountPage(asked, deps, { faults, sent: { label }, sentScopes }) };
      const { id, email } = await users.one(accountIdOf(asked));
      const back = `${accountPath(id)}#keys`;
      return {
        title: words.newKeyTitle,
        sentence: words.newKeySentence(inSentence(label), email, scopes.join(', ')),
        button: words.createKey,
        back,
        async carryOut(actor) {
          const key = await keys.create(id, { label, scopes }, actor);
          const body = keyCard({ key, back });
          return { page: { title: words.newKeyMade, body, scripts: ['copy-key'] } };
        },
      };
    },
  });

  pages.addChange({
    path: `${HOME}/keys/:key_id/revoke`,
    section: 'accounts',
    async plan(asked) {
      const { id, label, user_id, revoked_at } = await keys.one(asked.param('key_id'));
      const back = `${accountPath(user_id)}#keys`;
      const named = label === '' ? words.unlabelled : inSentence(label);
      return {
        title: words.revokeTitle,
        sentence: revoked_at === null ? words.revokeSentence(named, id) : words.revokedAlready(named, id),
        button: words.revokeNow,
        isDangerous: true,
        back,
        async carryOut(actor) {
          await keys.revoke(id, actor);
          return { to: back, done: 'key-revoked' };
        },
      };
    },
  });
}

function addPolicyChange(pages: OperatorScope, deps: AccountChanges): void {
  const { users } = deps.accounts;
  pages.addChange({
    path: `${ACCOUNT}/policy`,
    section: 'accounts',
    async plan(asked) {
      const { form } = asked;
      if (!asked.isSent) return { refused: { ...(await accountPage(asked, deps)), status: 200 } };
      const numbers = Object.fromEntries(LIMIT_FIELDS.map((name) => [name, form.text(name)]));
      const auto_throttle_enabled = form.has('auto_throttle_enabled') ? 'on' : 'off';
      const sent = { ...numbers, auto_throttle_enabled };
      const { values, faults } = readParameters(PolicyParameters, { place: 'body', sent });
      if (faults.length > 0) {
        const named = Object.fromEntries(faults.map(({ loc }) => [String(loc.at(-1)), words.numberFault]));
        return { refused: await accountPage(asked, deps, { faults: named, sent }) };
      }
      const { id, email, policy } = await users.one(accountIdOf(asked));
      const { most_links, ...rates } = values;
      // What is not changed goes on following the tier.
      const links = most_links === policy.most_links ? {} : { most_links };
      const back = `${accountPath(id)}#policy`;
      return {
        title: words.policy,
        sentence: words.policySentence(email, limitsText(values)),
        button: words.setPolicy,
        back,
        async carryOut(actor) {
          await users.setPolicy(id, { ...rates, ...links }, actor);
          return { to: back, done: 'policy-set' };
        },
      };
    },
  });
}

function addSignInLink(pages: OperatorScope, { accounts, people, publicUrl }: AccountChanges): void {
  const signInLink = signInLinks({ accounts, people, publicUrl });
  pages.addChange({
    path: `${ACCOUNT}/sign-in-link`,
    section: 'accounts',
    async plan(asked) {
      const { operator } = asked;
      const { id, email, role } = await accounts.users.one(accountIdOf(asked));
      // Who loses the role must not keep it in the name of another operator.
      if (role === 'operator' && operator.account !== null && operator.account.id !== id)
        throw new AppError(
          'operator.token_required',
          'only a session of the admin token may create a link that signs in as another operator',
        );
      const back = accountPath(id);
      return {
        title: words.signInLink,
        sentence: words.signInLinkSentence(email, id),
        button: words.signInLink,
        back,
        async carryOut(actor) {
          const { url, expires_at } = await signInLink(id, '', actor);
          const text = words.signInLinkOnce(timeText(expires_at));
          const body = html`<div class="card"><code class="secret" tabindex="0" role="group" aria-label="${words.signInLinkMade}">${url}</code>
<p class="notice notice-note">${text}</p><p><a class="button" href="${back}">${words.back}</a></p></div>`;
          return { page: { title: words.signInLinkMade, body } };
        },
      };
    },
  });
}
