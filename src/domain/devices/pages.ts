import type { DeviceType } from '../../adapter/device.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import type { Lookup } from './lookup.ts';
import type { DeviceMemory, Page } from './memory.ts';
import type { Sightings } from './sightings.ts';
import type { DeviceStore, PageFilter } from './store.ts';

export interface ListQuery {
  readonly vendor?: string | undefined;
  readonly deviceType?: DeviceType | undefined;
  readonly userRef?: string | undefined;
  readonly cursor?: string | undefined;
  /** 1–1,000. */
  readonly limit: number;
}

interface PagesOptions {
  readonly store: Pick<DeviceStore, 'page'>;
  readonly memory: DeviceMemory;
  readonly lookup: Pick<Lookup, 'isTrusted'>;
  readonly sightings: Pick<Sightings, 'pending' | 'flush'>;
}

/** Pages of accounts' devices, from memory or else from the database. */
export function createPages({ store, memory, lookup, sightings }: PagesOptions) {
  return {
    /** A page of the account's devices as JSON text, in the order of (vendor, id). Never asks a vendor. */
    async list(account: number, query: ListQuery): Promise<Page> {
      const key = JSON.stringify(query);
      const kept = lookup.isTrusted() ? memory.page(account, key) : undefined;
      if (kept !== undefined) return kept;
      if (sightings.pending(account)) await sightings.flush();
      const changes = memory.changesOf(account);
      const filter: PageFilter = {
        account,
        // One more than asked for tells whether there is a next page.
        limit: query.limit + 1,
        ...(query.vendor === undefined ? {} : { vendor: query.vendor }),
        ...(query.deviceType === undefined ? {} : { deviceType: query.deviceType }),
        ...(query.userRef === undefined ? {} : { userRef: query.userRef }),
        ...(query.cursor === undefined ? {} : { after: decodeCursor(query.cursor) }),
      };
      const devices = await store.page(filter);
      const shown = devices.slice(0, query.limit);
      const last = shown.at(-1);
      const page: Page = {
        body: Buffer.from(`[${shown.map((device) => device.json).join(',')}]`),
        next: devices.length > query.limit && last !== undefined ? encodeCursor(last) : null,
      };
      if (lookup.isTrusted()) memory.keepPage(account, key, { page, changes });
      return page;
    },
  };
}
