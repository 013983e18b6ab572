import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../db/database.ts';
import { activeBlocks } from '../budgets/index.ts';
import { createLinkCounts } from '../links/index.ts';
import { stateOf, type VendorState } from './judge.ts';
import { linksByState } from './links-by-state.ts';

export { createVendorHealth, type VendorHealth } from './health.ts';
export { VENDOR_STATES } from './judge.ts';
export { createLinkedVendors, type LinkedVendor, type LinkedVendors } from './linked-vendors.ts';

/** A vendor's cloud, by its slug and its name. */
export interface NamedVendor {
  readonly slug: string;
  readonly name: string;
}

/** How the clouds of vendors are, as their last calls say. */
export type VendorStates = () => Promise<readonly (NamedVendor & { readonly state: VendorState })[]>;

interface VendorStatesOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly vendors: readonly NamedVendor[];
}

/**
 * Says of each vendor what the links of all accounts say together. It is read from the database, so that a process which makes no calls itself
 * knows it too. Rejects while the database is away.
 */
export function createVendorStates({ database, clock, vendors }: VendorStatesOptions): VendorStates {
  const countLinks = createLinkCounts({ database, clock });
  return async () => {
    const [counts, blocks] = await Promise.all([countLinks(), activeBlocks(database)]);
    return vendors.map(({ slug, name }) => {
      const isBlocked = blocks.some(({ vendor, subject }) => vendor === slug && subject === '');
      return { slug, name, state: stateOf({ ...linksByState(counts, slug), isBlocked }) };
    });
  };
}
