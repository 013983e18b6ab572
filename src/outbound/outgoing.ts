import type { HttpRequest } from '../adapter/http.ts';
import { ACCEPT_ENCODING, type Outgoing } from './exchange.ts';

interface Base {
  readonly name: string;
  readonly baseUrl: string;
  readonly userAgent: string;
  readonly mostBytes: number;
  readonly timeoutMs: number;
}

/** A request made whole. Throws a plain error for one that only a mistake in our code can make. */
export function outgoingOf(request: HttpRequest, base: Base): Outgoing {
  const { method = 'GET', path, json, form } = request;
  if (!path.startsWith('/') || /[?#\\]/.test(path))
    throw new Error(`a path for ${base.name} does not start with a slash, or has a query`);
  // An id that is two dots, encoded or not, would lead out of the path that it was put into.
  if (/\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path))
    throw new Error(`a path for ${base.name} has a segment of dots`);
  if (json !== undefined && form !== undefined) throw new Error(`a call to ${base.name} has two bodies`);
  const url = new URL(base.baseUrl.replace(/\/$/, '') + path);
  for (const [name, value] of Object.entries(request.query ?? {}))
    for (const one of value === undefined || typeof value === 'string' ? [value] : value)
      if (one !== undefined) url.searchParams.append(name, one);
  return {
    name: base.name,
    url,
    method,
    headers: {
      'user-agent': base.userAgent,
      accept: 'application/json, application/xml;q=0.9, */*;q=0.5',
      'accept-encoding': ACCEPT_ENCODING,
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      ...lowered(request.headers),
    },
    body: bodyOf(request),
    mayRepeat: request.repeatable ?? method === 'GET',
    expect: request.expect ?? [],
    mostBytes: request.mostBytes ?? base.mostBytes,
    timeoutMs: request.timeoutMs ?? base.timeoutMs,
    subject: request.subject,
    isAside: request.isAside ?? false,
  };
}

function lowered(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function bodyOf({ json, form }: HttpRequest): string | null {
  if (json !== undefined) return JSON.stringify(json);
  return form === undefined ? null : new URLSearchParams(form).toString();
}
