import type { DeviceType } from '../../../adapter/device.ts';
import { AppError } from '../../../core/errors.ts';
import type { Lookup } from './lookup.ts';
import type { DeviceMemory, Page } from './memory.ts';
import type { SnapshotWriter } from './snapshot-writer.ts';
import type { DeviceStore, PageFilter } from './store.ts';

/** The last device of a page: the next one starts after it. */
interface Position {
  readonly vendor: string;
  readonly id: string;
}

/** A cursor says where to go on, never whose devices: a forged one finds nothing of another account. */
function encodeCursor({ vendor, id }: Position): string {
  return Buffer.from(JSON.stringify([vendor, id])).toString('base64url');
}

function decodeCursor(cursor: string): Position {
  try {
    const [vendor, id, ...rest] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[];
    if (
      typeof vendor === 'string' &&
      typeof id === 'string' &&
      rest.length === 0 &&
      !`${vendor}${id}`.includes('\0')
    ) {
      return { vendor, id };
    }
  } catch {
    // Refused below, as every other cursor that this service did not make.
  }
  throw new AppError(
    'request.invalid',
    'cursor must come from this service: follow the Link header of the previous page',
  );
}

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
  readonly writer: Pick<SnapshotWriter, 'pending' | 'flush'>;
}

/** Pages of accounts' devices, from memory or else from the database. */
export function createPages({ store, memory, lookup, writer }: PagesOptions) {
  return {
    /** A page of the account's devices as JSON text, in the order of (vendor, id). Never asks a vendor. */
    async list(account: number, query: ListQuery): Promise<Page> {
      const key = JSON.stringify(query);
      const kept = lookup.isTrusted() ? memory.page(account, key) : undefined;
      if (kept !== undefined) return kept;
      if (writer.pending(account)) await writer.flush();
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
