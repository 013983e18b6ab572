import type { Clock } from '../../core/clock.ts';
import { shareBriefly } from '../../core/share-briefly.ts';
import type { Database } from '../../db/database.ts';
import type { LinkStatus } from '../calls/index.ts';
import { createLinkStore } from './store.ts';

/** The links of a vendor in one state, of all accounts. */
export interface LinkCount {
  readonly vendor: string;
  readonly state: LinkStatus;
  readonly count: number;
}

/** All links are gone through for it, so that it is not counted anew for everybody who asks. */
const SHARED_MS = 15_000;

/** Counts links by vendor and state, at most every 15 seconds. */
export function createLinkCounts({
  database,
  clock,
}: {
  readonly database: Database;
  readonly clock: Clock;
}): () => Promise<readonly LinkCount[]> {
  const store = createLinkStore(database);
  return shareBriefly(clock, SHARED_MS, store.countByState);
}
