import { keyHeaders } from './keys.ts';

/** A call as the form of an operation has it now. */
export interface Call {
  readonly method: string;
  /** From the root, with the query. */
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
  const { method = 'GET', path = '/', access = '', kind } = form.dataset;
  const filled = fieldsOf(form).filter(({ value }) => value !== '');
  const inPlace = (place: string) => filled.filter((field) => field.dataset.in === place);
  const values = new Map(inPlace('path').map(({ name, value }) => [name, encodeURIComponent(value)]));
  const steps = path.replaceAll(/\{([^}]+)\}/g, (all, name: string) => values.get(name) ?? all);
  const query = inPlace('query')
    .map(({ name, value }) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
  const body = inPlace('body')[0];
  return {
    method,
    target: query === '' ? steps : `${steps}?${query}`,
    headers: [
      ...keyHeaders(access).sent,
      ...inPlace('header').map(({ name, value }): [string, string] => [name, value]),
      ...(body === undefined ? [] : [['content-type', body.dataset.type ?? ''] satisfies [string, string]]),
    ],
    body: body?.value,
    withSession: access === 'session',
    isStream: kind === 'stream',
  };
}

/** The same call as a command for a shell. What is secret is a variable there. */
export function commandOf(form: HTMLFormElement): string {
  const { method, target, headers, body } = readCall(form);
  const secret = new Set(['x-api-key', 'x-admin-token']);
  const plain = headers.filter(([name]) => !secret.has(name));
  return [
    `curl ${form.dataset.kind === 'stream' ? '-N ' : ''}${method === 'GET' ? '' : `-X ${method} `}${quoted(`${location.origin}${target}`)}`,
    ...keyHeaders(form.dataset.access ?? '').shown.map((line) => `-H "${line}"`),
    ...plain.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(body)}`]),
  ].join(' \\\n  ');
}

/** Text as one word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Text that nobody else has; `randomUUID` is there on secure pages alone. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `try-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
