import { type Language, translated } from '../../../core/language.ts';
import type { User } from '../../../domain/access/accounts/index.ts';
import type { Assets } from '../../../pages/assets.ts';
import { type Html, html } from '../../../pages/html.ts';
import { OPERATOR_HOME } from '../operator/sections.ts';
import { section, textField } from '../pages/form-parts.ts';
import { gridPage } from '../pages/frame.ts';
import { ACCOUNT_WORDS, type Done, tierName } from './words.ts';

/** The path of the page, to which people are led who must sign in first. */
export const ACCOUNT_HOME = '/account';

/** A fault in the form of the password, beside which of its fields. */
export interface PasswordFault {
  readonly field: 'current' | 'new';
  readonly text: string;
}

/** Everything that the account page shows. */
export interface AccountView {
  readonly language: Language;
  readonly user: User;
  readonly hasPassword: boolean;
  readonly needsCurrentPassword: boolean;
  /** The address of Connect; undefined where it is not known here. */
  readonly connectUrl: string | undefined;
  readonly done?: Done | undefined;
  readonly fault?: PasswordFault | undefined;
}

const LOCALES = translated({ en: 'en-GB', sv: 'sv-SE' });

/** The page of an account, for who is signed in to it. */
export function accountPage(assets: Assets, view: AccountView): string {
  const { language, user, done, fault } = view;
  const words = ACCOUNT_WORDS[language];
  const { limited_as: limitedAs } = user.policy;
  const named = tierName(user.tier, language);
  const tier = limitedAs === undefined ? named : words.limitedAs(named, tierName(limitedAs, language));
  const since = new Intl.DateTimeFormat(LOCALES[language], {
    dateStyle: 'medium',
    timeZone: 'Europe/Stockholm',
  }).format(Date.parse(user.created_at));
  const main = html`
<header class="account-head">
<div class="stack-small"><h1>${words.title}</h1>
<dl class="facts"><dt>${words.signedInAs}</dt><dd>${user.name === '' ? user.email : `${user.name} · ${user.email}`}</dd><dt>${words.tier}</dt><dd>${tier}</dd><dt>${words.since}</dt><dd><time datetime="${user.created_at}">${since}</time></dd></dl></div>
<div class="row">${user.role === 'operator' ? html`<a class="button" href="${OPERATOR_HOME}">${words.operator}</a>` : null}<form method="post" action="/auth/logout"><button class="button">${words.signOut}</button></form></div>
</header>
${done === undefined ? null : html`<p class="notice notice-good" role="status">${words.done[done]}</p>`}
${consoleSection(view)}
${securitySection(view)}`;
  return gridPage(assets, {
    language,
    path: ACCOUNT_HOME,
    title: fault === undefined ? words.title : `${words.fault} · ${words.title}`,
    styles: ['account'],
    width: 'wide',
    here: 'account',
    main,
  });
}

/** The way to the console, and for who has no key yet to the first one. */
function consoleSection({ language, user, connectUrl }: AccountView): Html {
  const words = ACCOUNT_WORDS[language];
  const isNew = user.keys.length === 0;
  const page = (name: keyof typeof words.consolePages) => {
    const { title, text } = words.consolePages[name];
    return html`<li><a href="${`${connectUrl}/console/${name}`}">${title}</a> <span class="soft">${text}</span></li>`;
  };
  const body =
    connectUrl === undefined
      ? html`<p class="notice notice-note">${words.noConsole}</p>`
      : html`${isNew ? html`<p class="lead">${words.welcome}</p>` : null}
<div class="row">${isNew ? html`<a class="button button-primary" href="${`${connectUrl}/console/keys`}">${words.firstKey}</a>` : null}<a class="${isNew ? 'button' : 'button button-primary'}" href="${`${connectUrl}/console`}">${words.openConsole}</a></div>
<ul class="console-pages">${page('keys')}${page('usage')}${page('brand')}</ul>`;
  return section({ id: 'console', title: words.console, text: words.consoleText, body });
}

/** The password, and where else the account is signed in. */
function securitySection({ language, user, hasPassword, needsCurrentPassword, fault }: AccountView): Html {
  const words = ACCOUNT_WORDS[language];
  const faultOf = (field: PasswordFault['field']) => (fault?.field === field ? fault.text : undefined);
  const current = textField({
    id: 'password-current',
    name: 'current',
    label: words.current,
    type: 'password',
    autocomplete: 'current-password',
    fault: faultOf('current'),
  });
  const next = textField({
    id: 'password-new',
    name: 'new',
    label: words.next,
    hint: words.nextHint,
    type: 'password',
    autocomplete: 'new-password',
    fault: faultOf('new'),
  });
  const body = html`<form class="card" method="post" action="/account/password" novalidate aria-labelledby="password">
<h3 id="password">${hasPassword ? words.password : words.passwordFirst}</h3>
${hasPassword ? null : html`<p class="soft">${words.passwordSet}</p>`}
<input type="text" name="email" value="${user.email}" autocomplete="username" aria-label="${words.signedInAs}" hidden readonly>
${needsCurrentPassword ? current : null}
${next}
<div class="row"><button class="button button-primary">${words.savePassword}</button></div>
</form>
<form class="card" method="post" action="/account/sessions/end" aria-labelledby="sessions">
<h3 id="sessions">${words.sessions}</h3>
<p class="soft">${words.sessionsText}</p>
<div class="row"><button class="button">${words.endSessions}</button></div>
</form>`;
  return section({ id: 'security', title: words.security, text: words.securityText, body });
}
