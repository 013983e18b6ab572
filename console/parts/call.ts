import { keyHeaders } from './keys.ts';
import type { Sample } from './samples.ts';

/** A call with the current values of an operation's form. */
export interface Call {
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
