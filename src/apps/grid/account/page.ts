import type { Assets } from '../../../pages/assets.ts';
import { html } from '../../../pages/html.ts';
import { OPERATOR_HOME } from '../operator/sections.ts';
import { gridPage } from '../pages/frame.ts';
import { brandSection } from './brand.ts';
import { keysSection } from './keys.ts';
import { date } from './parts.ts';
import { securitySection } from './security.ts';
import { usageSection } from './usage.ts';
import { callsOf } from './usage-plot.ts';
import { useSection } from './use.ts';
import type { AccountView } from './view.ts';
import { ACCOUNT_WORDS, tierName } from './words.ts';

/** The page of an account, for who is signed in to it. */
export async function accountPage(assets: Assets, view: AccountView): Promise<string> {
  const { language, user, done, fault, connectUrl } = view;
  const words = ACCOUNT_WORDS[language];
  const usage = await usageSection(view);
  const { limited_as: limitedAs } = user.policy;
  const named = tierName(user.tier, language);
  const tier = limitedAs === undefined ? named : words.limitedAs(named, tierName(limitedAs, language));
  // What there is to be done comes first where nothing has been done yet.
  const isNew = user.keys.length === 0 && view.usage.every((day) => callsOf(day) === 0);
  const main = html`
<header class="account-head">
<div class="stack-small"><h1>${words.title}</h1>
<dl class="facts"><dt>${words.signedInAs}</dt><dd>${user.name === '' ? user.email : `${user.name} · ${user.email}`}</dd><dt>${words.tier}</dt><dd>${tier}</dd><dt>${words.since}</dt><dd>${date(user.created_at, language)}</dd></dl></div>
<div class="row">${connectUrl === undefined ? null : html`<a class="button" href="${`${connectUrl}/console`}">${words.console}</a>`}${user.role === 'operator' ? html`<a class="button" href="${OPERATOR_HOME}">${words.operator}</a>` : null}<form method="post" action="/auth/logout"><button class="button">${words.signOut}</button></form></div>
</header>
${done === undefined ? null : html`<p class="notice notice-good" role="status">${words.done[done]}</p>`}
${isNew ? html`<p class="lead">${words.welcome}</p>` : null}
${isNew ? [keysSection(view), useSection(view), usage] : [usage, keysSection(view), useSection(view)]}
${brandSection(view)}
${securitySection(view)}`;
  return gridPage(assets, {
    language,
    path: '/account',
    title: fault === undefined ? words.title : `${words.fault} · ${words.title}`,
    styles: ['account', 'brand-preview'],
    scripts: ['account'],
    width: 'wide',
    here: 'account',
    main,
  });
}
