import { type Brand, type DayOfUsage, SCOPES, type User } from '../../../domain/accounts/index.ts';
import type { LinkedVendor } from '../../../domain/vendor-states/index.ts';
import { type Html, html } from '../../../pages/html.ts';
import { date, formatCount, section, textField, time } from '../account/parts.ts';
import { usageSection } from '../account/usage.ts';
import { ACCOUNT_WORDS, tierName } from '../account/words.ts';
import { type Faults, faultsIn } from '../pages/form-parts.ts';
import { vendorsSection } from './account-vendors.ts';
import { ACCOUNTS_WORDS } from './accounts-words.ts';
import { check, checks, numberField } from './form-parts.ts';
import { empty, pathWith, table } from './parts.ts';
import type { Asked } from './scope.ts';
import { sectionPath } from './sections.ts';
import { OPERATOR_WORDS } from './words.ts';

/** What the page of one account shows. */
export interface AccountShown {
  readonly user: User;
  readonly brand: Brand | null;
  readonly usage: readonly DayOfUsage[];
  readonly vendors: readonly LinkedVendor[];
  /** What was wrong with a form that is sent back, beside which fields, and what was written into it. */
  readonly faults?: Faults;
  readonly sent?: Readonly<Record<string, string>>;
  readonly sentScopes?: readonly string[];
}

export const accountPath = (id: number): string => `${sectionPath('accounts')}/${id}`;

/** Limits that an operator sets. */
export const LIMIT_FIELDS = ['per_minute', 'per_hour', 'per_day', 'burst'] as const;

/** The sections of the page of one account. */
export async function accountBody(asked: Asked, shown: AccountShown): Promise<Html> {
  const { language } = asked;
  const words = ACCOUNTS_WORDS[language];
  const usage = await usageSection(
    { language, user: shown.user, usage: shown.usage },
    { ...ACCOUNT_WORDS[language], ...words.usage },
  );
  return html`<p><a href="${sectionPath('accounts')}">${words.back}</a></p>
${profileSection(asked, shown)}
${vendorsSection(asked, { account: shown.user.id, vendors: shown.vendors })}
${keysSection(asked, shown)}
${usage}
${policySection(asked, shown)}
${roleSection(asked, shown)}
${brandSection(asked, shown)}`;
}

function profileSection({ language, canChange }: Asked, { user }: AccountShown): Html {
  const words = ACCOUNTS_WORDS[language];
  const body = html`<dl class="facts">
<dt>${words.email}</dt><dd>${user.email}</dd>
<dt>${words.name}</dt><dd>${user.name === '' ? html`<em class="soft">${words.unnamed}</em>` : user.name}</dd>
<dt>${words.id}</dt><dd>${user.id}</dd>
<dt>${words.tier}</dt><dd>${tierName(user.tier, language)}</dd>
<dt>${words.created}</dt><dd>${date(user.created_at, language)}</dd></dl>
<p class="row"><a href="${pathWith(sectionPath('usage'), { account: String(user.id) })}">${words.usageOf}</a> <a href="${pathWith(sectionPath('requests'), { account: String(user.id) })}">${words.requestsOf}</a> <a href="${pathWith(sectionPath('audit'), { target: `user/${user.id}` })}">${words.changesOf}</a></p>
${canChange && html`<div class="stack-small"><p><a class="button" href="${`${accountPath(user.id)}/sign-in-link`}">${words.signInLink}</a></p><p class="hint">${words.signInLinkText}</p></div>`}`;
  return section({ id: 'profile', title: words.profile, text: words.profileText, body });
}

function keysSection(asked: Asked, shown: AccountShown): Html {
  const { language, canChange } = asked;
  const { user } = shown;
  const words = ACCOUNTS_WORDS[language];
  const newestFirst = user.keys.toReversed();
  const list = table({
    label: words.keys,
    columns: [words.label, words.id, words.scopes, words.created, words.lastUsed, words.state],
    rows: newestFirst.map((key) => [
      key.label === '' ? html`<em class="soft">${words.unlabelled}</em>` : key.label,
      html`<code class="unbroken">${key.id}</code>`,
      html`<span class="scopes">${key.scopes.split(' ').map((scope) => html`<code>${scope}</code> `)}</span>`,
      date(key.created_at, language),
      key.last_used_at === null
        ? html`<span class="soft">${words.never}</span>`
        : time(key.last_used_at, language),
      key.revoked_at === null
        ? html`<span class="row">${words.active} ${canChange && html`<a class="button button-small button-danger" href="${`${sectionPath('accounts')}/keys/${key.id}/revoke`}">${words.revoke}<span class="hidden-visually"> ${key.label} ${key.id}</span></a>`}</span>`
        : html`${words.revoked} ${time(key.revoked_at, language)}`,
    ]),
  });
  const body = html`${newestFirst.length === 0 ? empty(words.noKeys, words.noKeysText) : list}
${canChange && newKeyForm(asked, shown)}`;
  return section({ id: 'keys', title: words.keys, text: words.keysText, body });
}

function newKeyForm({ language }: Asked, { user, faults = {}, sent = {}, sentScopes }: AccountShown): Html {
  const words = ACCOUNTS_WORDS[language];
  const chosen = sentScopes ?? SCOPES;
  const names = ACCOUNT_WORDS[language].scopeWords;
  const wrong = faultsIn(faults, ['label', 'scopes']);
  const boxes = SCOPES.map((scope) => ({
    value: scope,
    label: `${names[scope]} (${scope})`,
    isChecked: chosen.includes(scope),
  }));
  return html`<form class="card" method="post" action="${`${accountPath(user.id)}/keys`}" novalidate aria-labelledby="new-key">
<h3 id="new-key">${words.newKey}</h3>
${textField({ id: 'key-label', name: 'label', label: words.label, hint: words.labelHint, ...wrong('label'), value: sent.label ?? '', longest: 60 })}
${checks({ id: 'key-scopes', name: 'scopes', label: words.scopes, boxes, ...wrong('scopes') })}
<div class="row"><button class="button">${words.createKey}</button></div></form>`;
}

function policySection({ language, canChange }: Asked, { user, faults = {}, sent }: AccountShown): Html {
  const words = ACCOUNTS_WORDS[language];
  const { policy } = user;
  const wrong = faultsIn(faults, LIMIT_FIELDS);
  // What was sent may be the form of a key.
  const throttle = sent?.auto_throttle_enabled ?? (policy.auto_throttle_enabled ? 'on' : 'off');
  const body = canChange
    ? html`<form class="card" method="post" action="${`${accountPath(user.id)}/policy`}" novalidate aria-labelledby="policy">
${LIMIT_FIELDS.map((name) => numberField({ id: `policy-${name}`, name, label: words.policyFields[name], value: sent?.[name] ?? String(policy[name]), ...wrong(name) }))}
${check({ name: 'auto_throttle_enabled', value: 'on', label: words.autoThrottle, isChecked: throttle === 'on' })}
<div class="row"><button class="button">${words.setPolicy}</button></div></form>`
    : html`<p>${limitsText(language, policy)}</p>`;
  return section({ id: 'policy', title: words.policy, text: words.policyText, body });
}

/** The limits of an account, in words. */
export function limitsText(
  language: Asked['language'],
  policy: Omit<User['policy'], 'throttled_until' | 'limited_as'>,
): string {
  const words = ACCOUNTS_WORDS[language];
  const count = (value: number) => formatCount(value, language);
  const { per_minute, per_hour, per_day, burst } = policy;
  const limits = words.limitsOf(count(per_minute), count(per_hour), count(per_day), count(burst));
  return `${limits}, ${policy.auto_throttle_enabled ? words.throttleOn : words.throttleOff}`;
}

function roleSection({ language, operator, canChange }: Asked, { user }: AccountShown): Html {
  const words = ACCOUNTS_WORDS[language];
  const to = (change: 'give' | 'take') => `${accountPath(user.id)}/role/${change}`;
  const mayGive = operator.account === null;
  const give = mayGive
    ? canChange && html`<p><a class="button" href="${to('give')}">${words.giveRole}</a></p>`
    : html`<p class="soft">${words.onlyToken}</p>`;
  const take =
    canChange && html`<p><a class="button button-danger" href="${to('take')}">${words.takeRole}</a></p>`;
  const body = html`<p>${user.role === null ? words.hasNoRole : words.hasRole}</p>${user.role === null ? give : take}`;
  return section({ id: 'role', title: words.roleTitle, text: words.roleText, body });
}

function brandSection({ language }: Asked, { brand }: AccountShown): Html {
  const words = ACCOUNTS_WORDS[language];
  const body =
    brand === null
      ? html`<p class="soft">${words.noBrand}</p>`
      : html`<dl class="facts"><dt>${words.brandName}</dt><dd>${brand.name}</dd><dt>${words.brandColor}</dt><dd>${brand.color ?? '–'}</dd></dl>`;
  return section({ id: 'brand', title: words.brand, text: words.brandText, body });
}

interface NewAccount {
  readonly faults?: Faults;
  readonly sent?: Readonly<Record<string, string>>;
}

/** The form of a new account. */
export function newAccountBody({ language, canChange }: Asked, { faults = {}, sent = {} }: NewAccount): Html {
  const words = ACCOUNTS_WORDS[language];
  const wrong = faultsIn(faults, ['email', 'name', 'tier']);
  const back = html`<p><a href="${sectionPath('accounts')}">${words.back}</a></p>`;
  if (!canChange)
    return html`${back}<p class="notice notice-note">${OPERATOR_WORDS[language].readingOnly}</p>`;
  return html`${back}
<p class="soft">${words.newAccountText}</p>
<form class="card" method="post" action="${`${sectionPath('accounts')}/new`}" novalidate>
${textField({ id: 'new-email', name: 'email', label: words.email, ...wrong('email'), value: sent.email ?? '', longest: 254 })}
${textField({ id: 'new-name', name: 'name', label: words.name, ...wrong('name'), value: sent.name ?? '', longest: 200, optional: words.optional })}
${textField({ id: 'new-tier', name: 'tier', label: words.tier, hint: words.tierHint, ...wrong('tier'), value: sent.tier ?? 'free', longest: 64 })}
<div class="row"><button class="button button-primary">${words.create}</button></div></form>`;
}
