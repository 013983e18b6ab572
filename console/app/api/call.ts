import { noteServerTime } from '../clock.ts';
import { sessionEnded } from '../session.ts';
import type { Operations } from './types.ts';

/** The account that this page shows; its session may have become that of another one. */
const ACCOUNT = document.getElementById('console')?.dataset.account ?? '';

export type Operation = keyof Operations;

/** The service refused a call. Its sentence is for people. */
export class Refused extends Error {
  readonly status: number;
  /** The code of the error, such as `device.not_found`. */
  readonly code: string;
  readonly retryAfterSeconds: number | undefined;
  /** Leads the operator, and `GET /requests/{request_id}`, to what happened. */
  readonly requestId: string;

  constructor(response: Response, sentence: string) {
    super(sentence);
    this.status = response.status;
    this.code = response.headers.get('elnav-error') ?? '';
    this.requestId = response.headers.get('x-request-id') ?? '';
    const seconds = Number(response.headers.get('retry-after'));
    this.retryAfterSeconds = seconds > 0 ? seconds : undefined;
  }
}

/** No response came: whether the request arrived is not known. */
export class Unanswered extends Error {}

export interface Asked<K extends Operation> {
  /** The values of the path's parameters, in order. */
  readonly path?: readonly string[];
  readonly query?: { readonly [F in keyof Operations[K]['query']]: Operations[K]['query'][F] };
  readonly body?: Operations[K]['body'];
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

export interface Answered<K extends Operation> {
  readonly body: Operations[K]['response'];
  /** Cursor of the next page, from the Link header. */
  readonly next: string | undefined;
}

/** Calls an operation with the session of the browser. Throws `Refused` or `Unanswered`. */
export async function call<K extends Operation>(operation: K, asked: Asked<K> = {}): Promise<Answered<K>> {
  const response = await send(operation, asked);
  const text = await response.text().catch(() => {
    throw new Unanswered();
  });
  return { body: text === '' ? null : JSON.parse(text), next: nextOf(response) };
}

/** The response of an operation as it comes, such as a stream. */
export async function send<K extends Operation>(
  operation: K,
  { path = [], query = {} as never, body, idempotencyKey, signal }: Asked<K>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const [method = 'GET', pattern = '/'] = operation.split(' ');
  const response = await fetch(`${filled(pattern, path)}${searchOf(query)}`, {
    method,
    headers: {
      // The language of the page, which the reader may have chosen against that of the browser.
      'accept-language': document.documentElement.lang,
      'elnav-account': ACCOUNT,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      ...headers,
    },
    credentials: 'same-origin',
    cache: 'no-store',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  }).catch((error: unknown) => {
    throw signal?.aborted === true ? error : new Unanswered();
  });
  noteServerTime(response.headers.get('date'));
  if (response.ok) return response;
  const refused = new Refused(response, await sentenceOf(response));
  if (response.status === 401) sessionEnded();
  throw refused;
}

/** Signs out of the console; the result is where to go from there. It is no operation of the API. */
export async function endSession(): Promise<string> {
  const response = await fetch('/console/sign-out', { method: 'POST', credentials: 'same-origin' }).catch(
    () => {
      throw new Unanswered();
    },
  );
  if (!response.ok) throw new Refused(response, await sentenceOf(response));
  const { next } = (await response.json()) as { next: string };
  return next;
}

const filled = (pattern: string, values: readonly string[]): string => {
  let index = 0;
  return pattern.replaceAll(/\{[^}]+\}/g, () => encodeURIComponent(values[index++] ?? ''));
};

export function searchOf(query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

async function sentenceOf(response: Response): Promise<string> {
  try {
    const { error } = (await response.json()) as { error?: unknown };
    if (typeof error === 'string') return error;
  } catch {
    // A proxy may answer with a page of its own.
  }
  return `${response.status} ${response.statusText}`.trim();
}

const nextOf = (response: Response): string | undefined => {
  const target = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
  return target === undefined
    ? undefined
    : (new URL(target, location.href).searchParams.get('cursor') ?? undefined);
};

/** A random key; `randomUUID` is available only on secure pages. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `console-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
