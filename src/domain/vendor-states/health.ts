import type { Adapter } from '../../adapter/adapter.ts';
import type { Clock } from '../../core/clock.ts';
import { MINUTE_MS } from '../../core/durations.ts';
import type { Database } from '../../db/database.ts';
import { activeBlocks, sharedUse } from '../budgets/index.ts';
import { deliveryBacklog } from '../deliveries/index.ts';
import { countRefused, createLinkCounts } from '../links/index.ts';
import { readBacklog } from '../polling/index.ts';
import { stateOf, type VendorState } from './judge.ts';
import { type LinksByState, linksByState } from './links-by-state.ts';

/** Reads that have been due for longer are late. */
const LATE_MS = 5 * MINUTE_MS;

/** How a vendor is, for operators: of all accounts and processes. Moments are ms since 1970 UTC. */
export interface VendorHealth {
  readonly slug: string;
  readonly name: string;
  readonly state: VendorState;
  readonly links: LinksByState;
  /** Links whose tokens are refused as soon as they are issued. */
  readonly refused: number;
  /** Until when it refuses calls of everybody here; null where it does not. */
  readonly blockedUntil: number | null;
  /** Links that it refuses calls of. */
  readonly blockedLinks: number;
  /** Limits that all links share; calls are held back where `used` is 1. */
  readonly limits: readonly { readonly limit: string; readonly used: number }[];
  /** Reads in the background that are due, and those that are late by more than five minutes. */
  readonly reads: { readonly waiting: number; readonly late: number; readonly oldestDue: number | null };
  /** Webhook deliveries that wait to be applied. */
  readonly deliveries: number;
}

interface VendorHealthOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** With the limits that the operator has set. */
  readonly vendors: readonly Pick<Adapter, 'slug' | 'name' | 'budgets'>[];
}

/** Reads how each vendor is that somebody has linked, or that blocks us. Rejects while the database is unreachable. */
export function createVendorHealth({
  database,
  clock,
  vendors,
}: VendorHealthOptions): () => Promise<readonly VendorHealth[]> {
  const countLinks = createLinkCounts({ database, clock });
  return async () => {
    const [counts, refused, blocks, backlog, deliveries] = await Promise.all([
      countLinks(),
      countRefused(database),
      activeBlocks(database),
      readBacklog(database, { lateMs: LATE_MS }),
      deliveryBacklog(database),
    ]);
    const seen = new Set([...counts, ...blocks, ...deliveries].map(({ vendor }) => vendor));
    const shown = vendors.filter(({ slug }) => seen.has(slug));
    const uses = await sharedUse(database, shown);
    return shown.map(({ slug, name }): VendorHealth => {
      const of = <T extends { readonly vendor: string }>(rows: readonly T[]) =>
        rows.filter(({ vendor }) => vendor === slug);
      const ofAll = of(blocks).filter(({ subject }) => subject === '');
      const reads = of(backlog)[0];
      const links = linksByState(counts, slug);
      return {
        ...{ slug, name, links },
        state: stateOf({ ...links, isBlocked: ofAll.length > 0 }),
        refused: of(refused)[0]?.count ?? 0,
        blockedUntil: ofAll.length === 0 ? null : Math.max(...ofAll.map(({ until }) => until)),
        blockedLinks: new Set(of(blocks).flatMap(({ subject }) => (subject === '' ? [] : [subject]))).size,
        limits: of(uses).map(({ limit, used }) => ({ limit, used })),
        reads: {
          waiting: reads?.waiting ?? 0,
          late: reads?.late ?? 0,
          oldestDue: reads?.oldest ?? null,
        },
        deliveries: of(deliveries)[0]?.count ?? 0,
      };
    });
  };
}
