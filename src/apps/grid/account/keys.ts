import { type Key, MOST_ACTIVE_KEYS, SCOPES } from '../../../domain/accounts/index.ts';
import { flag, type Html, html } from '../../../pages/html.ts';
import { faultText, mark } from '../pages/form-parts.ts';
import { date, faultOf, formatCount, formFault, section, textField, time } from './parts.ts';
import type { AccountView } from './view.ts';
import { ACCOUNT_WORDS, type AccountWords } from './words.ts';

/** The keys of the account, the youngest first, and the form of a new one. */
export function keysSection(view: AccountView): Html {
  const { language, user } = view;
  const words = ACCOUNT_WORDS[language];
  const youngestFirst = user.keys.toReversed();
  const active = youngestFirst.filter(({ revoked_at }) => revoked_at === null);
  const revoked = youngestFirst.filter(({ revoked_at }) => revoked_at !== null);
  const count = (value: number) => formatCount(value, language);
  const nothing = html`<div class="empty"><p><strong>${words.noKeys}</strong></p><p class="soft">${words.noKeysText}</p></div>`;
  const body = html`
${active.length === 0 ? nothing : html`<p class="soft small">${words.activeKeys(count(active.length), count(MOST_ACTIVE_KEYS))}</p>`}
${
  active.length < MOST_ACTIVE_KEYS
    ? newKeyForm(view, words)
    : html`<p class="notice">${words.tooMany(count(MOST_ACTIVE_KEYS))}</p>`
}
${active.length === 0 ? null : table(active, view)}
${
  revoked.length === 0
    ? null
    : html`<details><summary>${words.revokedKeys(count(revoked.length))}</summary>${table(revoked, view)}</details>`
}`;
  return section({ id: 'keys', title: words.keys, text: words.keysText, body });
}

/** A table that becomes cards on narrow screens; with its roles said, for it is then no table to look at. */
function table(keys: readonly Key[], { language }: AccountView): Html {
  const words = ACCOUNT_WORDS[language];
  const areRevoked = keys[0]?.revoked_at !== null;
  const last = areRevoked ? words.revokedAt : words.revoke;
  const head = [words.label, words.scopes, words.created, words.lastUsed];
  return html`<table class="keys" role="table" aria-label="${words.keys}">
<thead role="rowgroup"><tr role="row">${head.map((text) => html`<th role="columnheader" scope="col">${text}</th>`)}<th role="columnheader" scope="col">${areRevoked ? last : html`<span class="hidden-visually">${last}</span>`}</th></tr></thead>
<tbody role="rowgroup">${keys.map(
    (key) => html`<tr role="row">
<th role="rowheader" scope="row"><span class="key-label">${key.label === '' ? html`<em class="soft">${words.unlabelled}</em>` : key.label}</span> <code class="soft">${key.id}</code></th>
<td role="cell" data-label="${words.scopes}"><span class="scopes">${key.scopes.split(' ').map((scope) => html`<code>${scope}</code> `)}</span></td>
<td role="cell" data-label="${words.created}">${date(key.created_at, language)}</td>
<td role="cell" data-label="${words.lastUsed}">${key.last_used_at === null ? html`<span class="soft">${words.never}</span>` : time(key.last_used_at, language)}</td>
${
  key.revoked_at === null
    ? html`<td role="cell" class="key-action">${revokeForm(key, words)}</td>`
    : html`<td role="cell" data-label="${words.revokedAt}">${time(key.revoked_at, language)}</td>`
}
</tr>`,
  )}</tbody>
</table>`;
}

/** Asks once more, with scripts and without. */
function revokeForm({ id, label }: Key, words: AccountWords): Html {
  return html`<details class="revoke"><summary class="small">${words.revoke}<span class="hidden-visually"> ${label} ${id}</span></summary>
<form class="stack-small" method="post" action="${`/account/keys/${id}/revoke`}"><p class="small">${words.revokeText}</p><button class="button button-danger button-small">${words.revokeNow}<span class="hidden-visually"> ${label} ${id}</span></button></form>
</details>`;
}

function newKeyForm({ formToken, fault, written, user }: AccountView, words: AccountWords): Html {
  const chosen = written?.key?.scopes ?? SCOPES;
  const scopesFault = faultOf(fault, 'key', 'scopes');
  // Behind a click where there are keys already, so that the list stays what one sees.
  const isOpen = fault?.form === 'key' || user.keys.every(({ revoked_at }) => revoked_at !== null);
  const form = html`<form class="card" method="post" action="/account/keys" novalidate aria-labelledby="new-key">
${isOpen ? html`<h3 id="new-key">${words.newKey}</h3>` : null}
${formFault(fault, 'key')}
<input type="hidden" name="form" value="${formToken}">
${textField({
  id: 'key-label',
  name: 'label',
  label: words.label,
  hint: words.labelHint,
  fault: faultOf(fault, 'key', 'label'),
  value: written?.key?.label ?? '',
  longest: 60,
})}
<fieldset aria-describedby="${scopesFault === undefined ? 'key-scopes-hint' : 'key-scopes-fault key-scopes-hint'}"><legend>${words.scopes}</legend>
<p class="hint" id="key-scopes-hint">${words.scopesHint}</p>
${faultText('key-scopes', scopesFault)}
${SCOPES.map(
  (scope, index) =>
    html`<label class="check"><input type="checkbox" name="scopes" value="${scope}" ${flag('checked', chosen.includes(scope))} ${index === 0 && mark({ fault: scopesFault })}><span>${words.scopeWords[scope]} <code class="soft small">${scope}</code></span></label>`,
)}</fieldset>
<div class="row"><button class="button button-primary">${words.makeKey}</button></div>
</form>`;
  return isOpen
    ? form
    : html`<details class="new-key"><summary class="button" id="new-key">${words.newKey}</summary>${form}</details>`;
}
