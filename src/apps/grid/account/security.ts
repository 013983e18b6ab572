import { type Html, html } from '../../../pages/html.ts';
import { faultOf, formFault, section, textField } from './parts.ts';
import type { AccountView } from './view.ts';
import { ACCOUNT_WORDS } from './words.ts';

/** The password, and where else the account is signed in. */
export function securitySection(view: AccountView): Html {
  const { language, user, hasPassword, needsCurrentPassword, fault } = view;
  const words = ACCOUNT_WORDS[language];
  const body = html`<form class="card" method="post" action="/account/password" novalidate aria-labelledby="password">
<h3 id="password">${hasPassword ? words.password : words.passwordFirst}</h3>
${hasPassword ? null : html`<p class="soft">${words.passwordSet}</p>`}
${formFault(fault, 'password')}
<input type="text" name="email" value="${user.email}" autocomplete="username" aria-label="${words.signedInAs}" hidden readonly>
${
  needsCurrentPassword
    ? textField({
        id: 'password-current',
        name: 'current',
        label: words.current,
        type: 'password',
        autocomplete: 'current-password',
        fault: faultOf(fault, 'password', 'current'),
      })
    : null
}
${textField({
  id: 'password-new',
  name: 'new',
  label: words.next,
  hint: words.nextHint,
  type: 'password',
  autocomplete: 'new-password',
  fault: faultOf(fault, 'password', 'new'),
})}
<div class="row"><button class="button button-primary">${words.savePassword}</button></div>
</form>
<form class="card" method="post" action="/account/sessions/end" aria-labelledby="sessions">
<h3 id="sessions">${words.sessions}</h3>
<p class="soft">${words.sessionsText}</p>
<div class="row"><button class="button">${words.endSessions}</button></div>
</form>`;
  return section({ id: 'security', title: words.security, text: words.securityText, body });
}
