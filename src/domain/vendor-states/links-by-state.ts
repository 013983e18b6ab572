import type { LinkCount } from '../links/index.ts';

/** Links with a vendor, by their state. */
export interface LinksByState {
  readonly active: number;
  readonly unreachable: number;
  readonly needsRelink: number;
}

/** The counts of one vendor among those of all. */
export function linksByState(counts: readonly LinkCount[], slug: string): LinksByState {
  const of = (wanted: LinkCount['state']) =>
    counts.find(({ vendor, state }) => vendor === slug && state === wanted)?.count ?? 0;
  return { active: of('active'), unreachable: of('unreachable'), needsRelink: of('needs_relink') };
}
