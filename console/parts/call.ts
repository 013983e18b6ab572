import type { Sample } from './samples.ts';

/** The entered credentials, kept only in memory: browser storage is written to disk. */
const kept = { key: '', admin: '' };

/** Headers with the credentials of an operation; `shown` has variables instead of secrets, for samples. */
function keyHeaders(access: string): {
  readonly sent: [string, string][];
  readonly shown: [string, string][];
} {
  if (access === 'admin token') {
    return {
      sent: kept.admin === '' ? [] : [['x-admin-token', kept.admin]],
      shown: [['X-Admin-Token', 'ADMIN_TOKEN']],
    };
  }
  // The browser sends the cookie.
  if (access === 'session') return { sent: [], shown: [['Cookie', 'COOKIE']] };
  if (access !== 'key' && access !== 'key optional') return { sent: [], shown: [] };
  const sent: [string, string][] = kept.key === '' ? [] : [['x-api-key', kept.key]];
  return { sent, shown: access === 'key' || kept.key !== '' ? [['X-Api-Key', 'KEY']] : [] };
}

/** The sentence above an operation's form about the credentials sent. */
export function keySentence(access: string): { readonly text: string; readonly canEnter: boolean } {
  const has = access === 'admin token' ? kept.admin !== '' : kept.key !== '';
  switch (access) {
    case 'admin token':
      return { text: has ? 'Sent with your admin token.' : 'Needs the admin token.', canEnter: true };
    case 'key':
      return { text: has ? 'Sent with your key.' : 'Needs your API key.', canEnter: true };
    case 'key optional':
      return { text: has ? 'Sent with your key.' : 'Sent without a key.', canEnter: true };
    case 'session':
      return { text: 'Sent with the session of this browser.', canEnter: false };
    default:
      return { text: 'Sent without a key.', canEnter: false };
  }
}

/** Opens the key dialog on demand; calls `changed` when the credentials change. */
export function listenForKeys(changed: () => void): void {
  const dialog = document.querySelector<HTMLDialogElement>('#keys');
  const form = dialog?.querySelector('form');
  if (dialog === null || form === null || form === undefined) return;
  document.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('.open-keys') !== null) dialog.showModal();
  });
  dialog.addEventListener('close', () => {
    const fields = new FormData(form);
    if (dialog.returnValue === 'keep') {
      kept.key = String(fields.get('key') ?? '').trim();
      kept.admin = String(fields.get('admin') ?? '').trim();
    }
    if (dialog.returnValue === 'forget') {
      kept.key = '';
      kept.admin = '';
    }
    // Clear input that was not confirmed.
    form.reset();
    for (const input of form.querySelectorAll('input')) {
      input.value = input.name === 'admin' ? kept.admin : kept.key;
    }
    dialog.returnValue = '';
    const text = kept.key === '' && kept.admin === '' ? 'Your key' : 'Your key: entered';
    for (const open of document.querySelectorAll('.contents-tools .open-keys')) open.textContent = text;
    changed();
  });
  // The escape key closes it without a button.
  dialog.addEventListener('cancel', () => {
    dialog.returnValue = '';
  });
}

/** A call with the current values of an operation's form. */
interface Call {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: readonly [string, string][];
  readonly body: string | undefined;
  readonly withSession: boolean;
  readonly isStream: boolean;
}

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

export const fieldsOf = (form: HTMLFormElement): Field[] => [...form.querySelectorAll<Field>('[data-in]')];

/** Reads a form. Parameters that are empty are not sent. */
export function readCall(form: HTMLFormElement): Call {
  const { method = 'GET', access = '', kind } = form.dataset;
  const body = filledIn(form, 'body')[0];
  return {
    method,
    target: targetOf(form),
    headers: [...keyHeaders(access).sent, ...ownHeaders(form)],
    body: body?.value,
    withSession: access === 'session',
    isStream: kind === 'stream',
  };
}

/** The same call as a sample to copy: secrets are variables, and missing required values are placeholders. */
export function readSample(form: HTMLFormElement): Sample {
  const { method = 'GET', access = '', kind } = form.dataset;
  const body = filledIn(form, 'body')[0];
  // Before the form is opened no header is chosen.
  const isOpen = form.closest('details')?.open === true;
  const headers = ownHeaders(form).filter(([name]) => isOpen || name === 'content-type');
  return {
    method,
    url: `${location.origin}${targetOf(form, { isSample: true })}`,
    headers,
    secrets: keyHeaders(access).shown,
    body: body === undefined ? undefined : { text: body.value, isJson: body.dataset.type === JSON_TYPE },
    kind: kind === 'stream' || kind === 'json' ? kind : 'text',
  };
}

const JSON_TYPE = 'application/json';

const filledIn = (form: HTMLFormElement, place: string): Field[] =>
  fieldsOf(form).filter((field) => field.dataset.in === place && field.value !== '');

function ownHeaders(form: HTMLFormElement): [string, string][] {
  const body = filledIn(form, 'body')[0];
  return [
    ...filledIn(form, 'header').map(({ name, value }): [string, string] => [name, value]),
    ...(body === undefined ? [] : [['content-type', body.dataset.type ?? ''] satisfies [string, string]]),
  ];
}

/** The path and query; in a sample, an empty required parameter is `{name}`. */
function targetOf(form: HTMLFormElement, { isSample = false } = {}): string {
  const { path = '/' } = form.dataset;
  const values = new Map(filledIn(form, 'path').map(({ name, value }) => [name, encodeURIComponent(value)]));
  const steps = path.replaceAll(/\{([^}]+)\}/g, (all, name: string) => values.get(name) ?? all);
  const query = fieldsOf(form)
    .filter(
      (field) => field.dataset.in === 'query' && (field.value !== '' || (isSample && isRequired(field))),
    )
    .map(
      ({ name, value }) =>
        `${encodeURIComponent(name)}=${value === '' ? `{${name}}` : encodeURIComponent(value)}`,
    )
    .join('&');
  return query === '' ? steps : `${steps}?${query}`;
}

const isRequired = (field: Field): boolean =>
  field.closest('label')?.querySelector('.mark-required') !== null;

/** A random key; `randomUUID` is available only on secure pages. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `try-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
