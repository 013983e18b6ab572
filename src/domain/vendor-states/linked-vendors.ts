import type { Database } from '../../db/database.ts';
import { countDevicesOf } from '../devices/index.ts';
import { countLinksOf } from '../links/index.ts';
import type { NamedVendor } from './index.ts';
import { type LinksByState, linksByState } from './links-by-state.ts';

/** What an account has linked of one vendor: counts alone. */
export interface LinkedVendor extends NamedVendor {
  readonly links: LinksByState;
  readonly devices: number;
}

/** The vendors that an account has linked, by name. */
export type LinkedVendors = (account: number) => Promise<readonly LinkedVendor[]>;

interface LinkedVendorsOptions {
  readonly database: Database;
  readonly vendors: readonly NamedVendor[];
}

/** Counts from the database: a process that serves Grid alone knows it too. */
export function createLinkedVendors({ database, vendors }: LinkedVendorsOptions): LinkedVendors {
  const names = new Map(vendors.map(({ slug, name }) => [slug, name]));
  return async (account) => {
    const [links, devices] = await Promise.all([
      countLinksOf(database, account),
      countDevicesOf(database, account),
    ]);
    const linked = [...new Set(links.map(({ vendor }) => vendor))];
    return linked
      .map((slug) => ({
        slug,
        name: names.get(slug) ?? slug,
        links: linksByState(links, slug),
        devices: devices.get(slug) ?? 0,
      }))
      .toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
  };
}
