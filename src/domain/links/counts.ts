import type { Clock } from '../../core/clock.ts';
import { shareBriefly } from '../../core/share-briefly.ts';
import type { Database } from '../../db/database.ts';
import type { LinkStatus } from '../calls/index.ts';
import { createLinkStore } from './store.ts';

/** The links of a vendor in one state. */
export interface LinkCount {
  readonly vendor: string;
  readonly state: LinkStatus;
  readonly count: number;
}

/** All links are gone through for it, so that it is not counted anew for everybody who asks. */
const SHARED_MS = 15_000;

/** Counts the links of all accounts by vendor and state, at most every 15 seconds. */
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

/** Counts the links of one account by vendor and state. */
export const countLinksOf = (database: Database, account: number): Promise<readonly LinkCount[]> =>
  createLinkStore(database).countOfAccount(account);

/** Links whose tokens a vendor refuses although it has just issued them: an incident of the vendor, not of the user. */
export const countRefused = (
  database: Database,
): Promise<readonly { readonly vendor: string; readonly count: number }[]> =>
  createLinkStore(database).countRefused();
