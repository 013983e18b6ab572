import { AppError } from '../../../core/errors.ts';
import {
  type Accounts,
  type Brand,
  canonicalEmail,
  type DayOfUsage,
  faultInEmail,
  type NewKey,
  SCOPES,
  type User,
} from '../../../domain/access/accounts/index.ts';
import type { LinkedVendor, LinkedVendors } from '../../../domain/links/vendor-states/index.ts';
import { type Html, html } from '../../../pages/html.ts';
import { tierName } from '../account/words.ts';
import { type Faults, faultsIn, section, textField } from '../pages/form-parts.ts';
import { usageSection } from './account-usage.ts';
import { ACCOUNTS_WORDS as words } from './accounts-words.ts';
import type { Shown } from './frame.ts';
import { vendorRow } from './health-tables.ts';
import {
  check,
  checks,
  date,
  empty,
  formatCount,
  numberField,
  numbers,
  pathWith,
  table,
  time,
} from './parts.ts';
import type { Asked } from './scope.ts';
import { sectionPath } from './sections.ts';
import { OPERATOR_WORDS } from './words.ts';

/** What the page of one account shows. */
interface AccountShown {
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
export const LIMIT_FIELDS = ['per_minute', 'per_hour', 'per_day', 'burst', 'most_links'] as const;

/** The sections of the page of one account. */
function accountBody(asked: Asked, shown: AccountShown): Html {
  const { user } = shown;
  if (user.closing_since !== null)
    return html`<p><a href="${sectionPath('accounts')}">${words.back}</a></p>
<div class="notice notice-note"><p><strong>${words.state.isClosing} ${time(user.closing_since)}.</strong></p><p>${words.state.closingText}</p></div>
<p><a href="${pathWith(sectionPath('audit'), { target: `user/${user.id}` })}">${words.changesOf}</a></p>`;
  return html`<p><a href="${sectionPath('accounts')}">${words.back}</a></p>
${profileSection(asked, shown)}
${vendorsSection({ account: shown.user.id, vendors: shown.vendors })}
${keysSection(asked, shown)}
${usageSection(shown)}
${policySection(asked, shown)}
${roleSection(asked, shown)}
${brandSection(shown)}
${stateSection(asked, shown)}`;
}

function profileSection(asked: Asked, shown: AccountShown): Html {
  const { canChange } = asked;
  const { user } = shown;
  const body = html`<dl class="facts">
<dt>${words.email}</dt><dd>${user.email}</dd>
<dt>${words.name}</dt><dd>${user.name === '' ? html`<em class="soft">${words.unnamed}</em>` : user.name}</dd>
<dt>${words.id}</dt><dd>${user.id}</dd>
<dt>${words.tier}</dt><dd>${tierName(user.tier, 'en')}</dd>
<dt>${words.state.title}</dt><dd>${stateOf(user)}</dd>
<dt>${words.created}</dt><dd>${date(user.created_at)}</dd></dl>
<p class="row"><a href="${pathWith(sectionPath('usage'), { account: String(user.id) })}">${words.usageOf}</a> <a href="${pathWith(sectionPath('requests'), { account: String(user.id) })}">${words.requestsOf}</a> <a href="${pathWith(sectionPath('audit'), { target: `user/${user.id}` })}">${words.changesOf}</a></p>
${canChange && html`<div class="stack-small"><p><a class="button" href="${`${accountPath(user.id)}/sign-in-link`}">${words.signInLink}</a></p><p class="hint">${words.signInLinkText}</p></div>`}
${canChange && changeForm(shown)}`;
  return section({ id: 'profile', title: words.profile, text: words.profileText, body });
}

/** The form that changes the address, the name and the tier. */
function changeForm({ user, faults = {}, sent = {} }: AccountShown): Html {
  const wrong = faultsIn(faults, ['email', 'name', 'tier']);
  const value = (name: 'email' | 'name' | 'tier') => sent[name] ?? user[name];
  return html`<form class="card" method="post" action="${`${accountPath(user.id)}/change`}" novalidate aria-labelledby="change">
<h3 id="change">${words.edit}</h3>
${textField({ id: 'change-email', name: 'email', label: words.email, ...wrong('email'), value: value('email'), longest: 254 })}
${textField({ id: 'change-name', name: 'name', label: words.name, ...wrong('name'), value: value('name'), longest: 200, optional: words.optional })}
${textField({ id: 'change-tier', name: 'tier', label: words.tier, hint: words.tierHint, ...wrong('tier'), value: value('tier'), longest: 64 })}
<div class="row"><button class="button">${words.save}</button></div></form>`;
}

/** Whether an account is in use, in a word. */
export function stateOf({
  suspended_at,
  closing_since,
}: Pick<User, 'suspended_at' | 'closing_since'>): string {
  if (closing_since !== null) return words.state.closing;
  return suspended_at === null ? words.state.active : words.state.suspended;
}

/** Suspends and resumes the account, and deletes it once its address has been typed. */
function stateSection({ canChange }: Asked, { user, faults = {}, sent = {} }: AccountShown): Html {
  const { suspended_at: suspendedAt } = user;
  const texts = words.state;
  const wrong = faultsIn(faults, ['confirm']);
  const to = (change: 'suspend' | 'resume' | 'delete') => `${accountPath(user.id)}/${change}`;
  const pause =
    suspendedAt === null
      ? html`<p><a class="button button-danger" href="${to('suspend')}">${texts.suspend}</a></p>`
      : html`<p><a class="button" href="${to('resume')}">${texts.resume}</a></p>`;
  const remove =
    user.role === null
      ? html`<form class="card" method="post" action="${to('delete')}" novalidate aria-labelledby="delete">
<h3 id="delete">${texts.delete}</h3><p class="soft">${texts.deleteText}</p>
${textField({ id: 'delete-confirm', name: 'confirm', label: texts.confirm, hint: texts.confirmHint(user.email), ...wrong('confirm'), value: sent.confirm ?? '', longest: 254 })}
<div class="row"><button class="button button-danger">${texts.delete}</button></div></form>`
      : html`<p class="soft">${texts.takeRoleFirst}</p>`;
  const body = html`<p>${suspendedAt === null ? texts.isActive : html`${texts.isSuspended} ${time(suspendedAt)}.`}</p>
${canChange && html`${pause}${remove}`}`;
  return section({ id: 'state', title: texts.title, text: texts.text, body });
}

function keysSection(asked: Asked, shown: AccountShown): Html {
  const { canChange } = asked;
  const { user } = shown;
  const newestFirst = user.keys.toReversed();
  const list = table({
    label: words.keys,
    columns: [words.label, words.id, words.scopes, words.created, words.lastUsed, words.keyState],
    rows: newestFirst.map((key) => [
      key.label === '' ? html`<em class="soft">${words.unlabelled}</em>` : key.label,
      html`<code class="unbroken">${key.id}</code>`,
      html`<span class="scopes">${key.scopes.split(' ').map((scope) => html`<code>${scope}</code> `)}</span>`,
      date(key.created_at),
      key.last_used_at === null ? html`<span class="soft">${words.never}</span>` : time(key.last_used_at),
      key.revoked_at === null
        ? html`<span class="row">${words.active} ${canChange && html`<a class="button button-small button-danger" href="${`${sectionPath('accounts')}/keys/${key.id}/revoke`}">${words.revoke}<span class="hidden-visually"> ${key.label} ${key.id}</span></a>`}</span>`
        : html`${words.revoked} ${time(key.revoked_at)}`,
    ]),
  });
  const body = html`${newestFirst.length === 0 ? empty(words.noKeys, words.noKeysText) : list}
${canChange && newKeyForm(shown)}`;
  return section({ id: 'keys', title: words.keys, text: words.keysText, body });
}

function newKeyForm({ user, faults = {}, sent = {}, sentScopes }: AccountShown): Html {
  const chosen = sentScopes ?? SCOPES;
  const wrong = faultsIn(faults, ['label', 'scopes']);
  const boxes = SCOPES.map((scope) => ({
    value: scope,
    label: `${words.scopeNames[scope]} (${scope})`,
    isChecked: chosen.includes(scope),
  }));
  return html`<form class="card" method="post" action="${`${accountPath(user.id)}/keys`}" novalidate aria-labelledby="new-key">
<h3 id="new-key">${words.newKey}</h3>
${textField({ id: 'key-label', name: 'label', label: words.label, hint: words.labelHint, ...wrong('label'), value: sent.label ?? '', longest: 60 })}
${checks({ id: 'key-scopes', name: 'scopes', label: words.scopes, boxes, ...wrong('scopes') })}
<div class="row"><button class="button">${words.createKey}</button></div></form>`;
}

function policySection({ canChange }: Asked, { user, faults = {}, sent }: AccountShown): Html {
  const { policy } = user;
  const wrong = faultsIn(faults, LIMIT_FIELDS);
  // What was sent may be the form of a key.
  const throttle = sent?.auto_throttle_enabled ?? (policy.auto_throttle_enabled ? 'on' : 'off');
  const body = canChange
    ? html`<form class="card" method="post" action="${`${accountPath(user.id)}/policy`}" novalidate aria-labelledby="policy">
${LIMIT_FIELDS.map((name) => numberField({ id: `policy-${name}`, name, label: words.policyFields[name], value: sent?.[name] ?? String(policy[name]), ...wrong(name) }))}
${check({ name: 'auto_throttle_enabled', value: 'on', label: words.autoThrottle, isChecked: throttle === 'on' })}
<div class="row"><button class="button">${words.setPolicy}</button></div></form>`
    : html`<p>${limitsText(policy)}</p>`;
  return section({ id: 'policy', title: words.policy, text: words.policyText, body });
}

/** The limits of an account, in words. */
export function limitsText(policy: Omit<User['policy'], 'throttled_until' | 'limited_as'>): string {
  const { per_minute, per_hour, per_day, burst, most_links } = policy;
  const limits = words.limitsOf(
    formatCount(per_minute),
    formatCount(per_hour),
    formatCount(per_day),
    formatCount(burst),
  );
  return `${limits}, ${policy.auto_throttle_enabled ? words.throttleOn : words.throttleOff}; ${words.linksOf(formatCount(most_links))}`;
}

function roleSection({ operator, canChange }: Asked, { user }: AccountShown): Html {
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

function brandSection({ brand }: AccountShown): Html {
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

/** What a form says of an account, and what is wrong with it. The address of the account `own` is not taken. */
export async function faultsInAccount(
  sent: Readonly<Record<string, string>>,
  users: Pick<Accounts['users'], 'find'>,
  own?: number,
) {
  const email = canonicalEmail(sent.email ?? '');
  const name = (sent.name ?? '').trim();
  const tier = (sent.tier ?? '').trim();
  const isEmail = faultInEmail(email) === null;
  const taken = isEmail ? await users.find(email) : undefined;
  const faults: Faults = {
    ...(isEmail ? {} : { email: words.emailFault }),
    ...(taken === undefined || taken.id === own ? {} : { email: words.emailTaken }),
    ...([...name].length <= 200 ? {} : { name: words.nameFault }),
    ...(tier !== '' && [...tier].length <= 64 ? {} : { tier: words.tierFault }),
  };
  return { email, name, tier, faults };
}

/** The form of a new account. */
export function newAccountBody({ canChange }: Asked, { faults = {}, sent = {} }: NewAccount): Html {
  const wrong = faultsIn(faults, ['email', 'name', 'tier']);
  const back = html`<p><a href="${sectionPath('accounts')}">${words.back}</a></p>`;
  if (!canChange) return html`${back}<p class="notice notice-note">${OPERATOR_WORDS.readingOnly}</p>`;
  return html`${back}
<p class="soft">${words.newAccountText}</p>
<form class="card" method="post" action="${`${sectionPath('accounts')}/new`}" novalidate>
${textField({ id: 'new-email', name: 'email', label: words.email, ...wrong('email'), value: sent.email ?? '', longest: 254 })}
${textField({ id: 'new-name', name: 'name', label: words.name, ...wrong('name'), value: sent.name ?? '', longest: 200, optional: words.optional })}
${textField({ id: 'new-tier', name: 'tier', label: words.tier, hint: words.tierHint, ...wrong('tier'), value: sent.tier ?? 'free', longest: 64 })}
<div class="row"><button class="button button-primary">${words.create}</button></div></form>`;
}

interface AccountVendors {
  readonly account: number;
  readonly vendors: readonly LinkedVendor[];
}

/** What an account has linked, by vendor: counts alone, since names and devices are its users' own. */
function vendorsSection({ account, vendors }: AccountVendors): Html {
  const texts = words.vendors;
  const health = (slug: string) => `${sectionPath('health')}#${vendorRow(slug)}`;
  const body =
    vendors.length === 0
      ? empty(texts.none, texts.noneText)
      : html`${table({
          label: texts.title,
          columns: [
            texts.vendor,
            ...numbers(texts.active, texts.unreachable, texts.needsRelink, texts.devices),
            texts.allAccounts,
          ],
          rows: vendors.map(({ slug, name, links, devices }) => [
            name,
            formatCount(links.active),
            formatCount(links.unreachable),
            formatCount(links.needsRelink),
            formatCount(devices),
            html`<a href="${health(slug)}">${texts.health}<span class="hidden-visually"> ${name}</span></a>`,
          ]),
        })}
<p><a href="${pathWith(sectionPath('requests'), { account: String(account) })}">${texts.requests}</a></p>`;
  return section({ id: 'vendors', title: texts.title, text: texts.text, body });
}

/** The id of an account in the path of a page; throws `user.not_found` if it is not an id. */
export function accountIdOf(asked: Asked): number {
  const text = asked.param('id');
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new AppError('user.not_found', 'the id of a user is a whole number');
}

/** What the page of one account is read from. */
export interface AccountParts {
  readonly accounts: Pick<Accounts, 'users' | 'brands' | 'usageByDay'>;
  readonly linkedVendors: LinkedVendors;
}

type Sent = Pick<AccountShown, 'faults' | 'sent' | 'sentScopes'>;

/** The page of the account in the path, with a form that is sent back; throws `user.not_found`. */
export async function accountPage(
  asked: Asked,
  { accounts: { users, brands, usageByDay }, linkedVendors }: AccountParts,
  sentBack: Sent = {},
): Promise<Pick<Shown, 'title' | 'body'>> {
  const id = accountIdOf(asked);
  const [user, brand, usage, vendors] = await Promise.all([
    users.one(id),
    brands.of(id),
    usageByDay(id),
    linkedVendors(id),
  ]);
  return {
    title: user.closing_since === null ? user.email : `Account ${user.id}`,
    body: accountBody(asked, { user, brand, usage, vendors, ...sentBack }),
  };
}

interface KeyCard {
  readonly key: NewKey;
  /** Where to go on. */
  readonly back: string;
}

/** A new key, which is shown this once. */
export const keyCard = ({ key, back }: KeyCard): Html => html`<div class="card">
<div class="field"><strong id="key-name">Key</strong>
<code class="secret" id="key" tabindex="0" role="group" aria-labelledby="key-name">${key.api_key}</code></div>
<div class="row"><button class="button button-primary" type="button" data-copy="key" data-copied="Copied" hidden>Copy</button><span class="soft" role="status" data-copy-status></span></div>
<div class="notice notice-note"><p><strong>You will not see this key again.</strong></p><p>Copy it now. Only what is needed to recognise it is kept.</p></div>
<dl class="facts"><dt>Label</dt><dd>${key.label}</dd><dt>Permissions</dt><dd>${key.scopes.split(' ').map((scope) => html`<code>${scope}</code> `)}</dd></dl>
<div class="row"><a class="button" href="${back}">I have saved it</a></div>
</div>`;
