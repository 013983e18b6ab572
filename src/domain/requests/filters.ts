import type { RequestFilter } from './store.ts';

export const STATUS_FILTER = 'failed, a class such as 5xx, or a status such as 502';

/** `failed`, `4xx` or `404`; undefined where it is none of these. */
export function statusFilter(text: string): RequestFilter['status'] {
  if (text === 'failed') return { from: 400, to: 599, isFailed: true };
  const [, first, rest] = /^([1-5])(xx|\d\d)$/.exec(text) ?? [];
  if (first === undefined) return undefined;
  const isClass = rest === 'xx';
  return {
    from: Number(isClass ? `${first}00` : text),
    to: Number(isClass ? `${first}99` : text),
    isFailed: false,
  };
}

/** `GET /devices/{id}`, `/devices/:id`: a route as the documents or as we write it, with its method or without. */
export function routeFilter(text: string): Pick<RequestFilter, 'method' | 'route'> {
  const [, method, route = text] = /^\s*([A-Za-z]+)\s+(\/.*)$/.exec(text) ?? [];
  return {
    ...(method === undefined ? {} : { method: method.toUpperCase() }),
    route: route.trim().replaceAll(/\{(\w+)\}/g, ':$1'),
  };
}
