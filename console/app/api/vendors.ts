import { useMemo } from 'preact/hooks';
import { useRead } from './queries.ts';

/** The names of vendors by their slugs. */
export function useVendorNames(): ReadonlyMap<string, string> {
  const { data } = useRead('GET /vendors');
  return useMemo(() => new Map((data ?? []).map(({ slug, name }) => [slug, name])), [data]);
}
