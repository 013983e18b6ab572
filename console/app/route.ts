import { useMemo } from 'preact/hooks';
import { createStore, useStore } from './store.ts';

/** Where the console is. */
export const BASE = '/console';

const LISTS = [
  'devices',
  'planner',
  'events',
  'links',
  'subscriptions',
  'gateways',
  'keys',
  'usage',
  'brand',
] as const;
export type ListPage = (typeof LISTS)[number];

export type Route =
  | { readonly page: 'overview' | ListPage | 'unknown' }
  | { readonly page: 'device'; readonly vendor: string; readonly id: string };

const place = createStore(location.pathname + location.search);
addEventListener('popstate', () => place.set(location.pathname + location.search));

/** Address of a page of the console. */
export function hrefOf(route: Route, search: Readonly<Record<string, string>> = {}): string {
  const text = new URLSearchParams(Object.entries(search).filter(([, value]) => value !== '')).toString();
  const query = text === '' ? '' : `?${text}`;
  switch (route.page) {
    case 'overview':
    case 'unknown':
      return `${BASE}${query}`;
    case 'device':
      return `${BASE}/devices/${encodeURIComponent(route.vendor)}/${encodeURIComponent(route.id)}${query}`;
    default:
      return `${BASE}/${route.page}${query}`;
  }
}

function routeOf(pathname: string): Route {
  const [page = '', vendor, id, ...more] = pathname.slice(BASE.length).split('/').slice(1);
  if (more.length > 0) return { page: 'unknown' };
  try {
    if (page === 'devices' && vendor !== undefined && id !== undefined)
      return { page: 'device', vendor: decodeURIComponent(vendor), id: decodeURIComponent(id) };
  } catch {
    return { page: 'unknown' };
  }
  if (page === '' && vendor === undefined) return { page: 'overview' };
  const list = LISTS.find((one) => one === page);
  if (list !== undefined && vendor === undefined) return { page: list };
  return { page: 'unknown' };
}

/** Path and query of the address. */
export const useAddress = (): string => useStore(place);

export function useRoute(): Route {
  const [pathname = ''] = useStore(place).split('?');
  return useMemo(() => routeOf(pathname), [pathname]);
}

/** The query of the address; setting a value replaces the address, so that one step back leads to the page before. */
export function useSearch(): readonly [URLSearchParams, (values: Readonly<Record<string, string>>) => void] {
  const [, search = ''] = useStore(place).split('?');
  const values = useMemo(() => new URLSearchParams(search), [search]);
  return [
    values,
    (changes) => {
      const next = new URLSearchParams(location.search);
      for (const [name, value] of Object.entries(changes)) {
        if (value === '') next.delete(name);
        else next.set(name, value);
      }
      const text = next.toString();
      history.replaceState(history.state, '', text === '' ? location.pathname : `?${text}`);
      place.set(location.pathname + location.search);
    },
  ];
}

export function navigate(href: string): void {
  history.pushState(null, '', href);
  place.set(location.pathname + location.search);
}
