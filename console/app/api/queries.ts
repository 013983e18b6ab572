import { QueryClient, QueryObserver, type QueryObserverResult } from '@tanstack/query-core';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Answered, type Asked, call, type Operation, Refused } from './call.ts';
import type { Operations } from './types.ts';

const RETRIES = 2;

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Events say what has changed.
      refetchOnWindowFocus: false,
      // What was refused is refused again; what may pass is asked for again.
      retry: (count, error) => count < RETRIES && !(error instanceof Refused && error.status < 500),
    },
  },
});
queries.mount();

export type Result<T> = QueryObserverResult<T, Error>;

interface Query<T> {
  readonly key: readonly unknown[];
  readonly load: (signal: AbortSignal) => Promise<T>;
  readonly refetchMs?: number;
  /** How long what was loaded counts as current. */
  readonly staleMs?: number;
}

/** What a query has, loaded when it is first asked for and shared by all that ask. */
export function useQuery<T>({ key, load, refetchMs, staleMs }: Query<T>): Result<T> {
  const name = JSON.stringify(key);
  const observer = useMemo(
    () =>
      new QueryObserver<T, Error>(queries, {
        queryKey: key,
        queryFn: ({ signal }) => load(signal),
        ...(refetchMs === undefined ? {} : { refetchInterval: refetchMs }),
        ...(staleMs === undefined ? {} : { staleTime: staleMs }),
      }),
    [name],
  );
  const [, redraw] = useState<unknown>(undefined);
  useEffect(() => {
    redraw({});
    return observer.subscribe(() => redraw({}));
  }, [observer]);
  return observer.getCurrentResult();
}

/**
 * The response of an operation that reads. Events name the operation to have it asked again.
 * @param refetchMs where no event does so: how often it is asked again while the page is seen
 */
export function useRead<K extends Operation>(
  operation: K,
  asked: Omit<Asked<K>, 'signal'> = {},
  refetchMs?: number,
): Result<Operations[K]['response']> {
  return useQuery({
    key: [operation, asked],
    load: async (signal) => (await call(operation, { ...asked, signal } as Asked<K>)).body,
    ...(refetchMs === undefined ? {} : { refetchMs }),
  });
}

interface ReadAll<T> {
  readonly signal?: AbortSignal;
  readonly onPage?: (all: readonly T[]) => void;
}

/** All pages of a list, in one; `onPage` has what is loaded until then. */
export async function readAll<K extends 'GET /devices' | 'GET /interventions' | 'GET /links'>(
  operation: K,
  query: Operations[K]['query'],
  { signal, onPage }: ReadAll<Operations[K]['response'][number]> = {},
): Promise<Operations[K]['response'][number][]> {
  const all: Operations[K]['response'][number][] = [];
  let cursor: string | undefined;
  do {
    const page: Answered<K> = await call(operation, {
      query: { ...query, cursor },
      ...(signal === undefined ? {} : { signal }),
    } as Asked<K>);
    all.push(...page.body);
    onPage?.(all);
    cursor = page.next;
  } while (cursor !== undefined);
  return all;
}

/** All links of the account, shared by all that ask. Events name the operation to have them asked again. */
export const useLinks = (): Result<Operations['GET /links']['response']> =>
  useQuery({ key: ['GET /links'], load: (signal) => readAll('GET /links', {}, { signal }) });

/** Has what an operation returned loaded again where it is shown. */
export function invalidate(operation: Operation): void {
  void queries.invalidateQueries({ queryKey: [operation] });
}
