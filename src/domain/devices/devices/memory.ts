import { BoundedMap } from '../../../core/bounded-map.ts';
import type { ReadPlan } from './next-read.ts';
import type { DeviceRow, Snapshot } from './store.ts';

/** Names a device of a link: one that is linked again after its link was deleted is another. */
export const deviceKey = ({
  account,
  link,
  vendor,
  id,
}: Pick<DeviceRow, 'account' | 'link' | 'vendor' | 'id'>): string => `${account}/${link}/${vendor}/${id}`;

const MOST_IDS = 20_000;
const PAGE_BYTES = 64 * 1024 * 1024;

/** A device in memory; what it was last like changes in place. */
export interface CachedDevice {
  readonly row: Omit<DeviceRow, 'snapshot' | 'open'>;
  snapshot: Snapshot | null;
  /** Its open interventions, as JSON text. */
  open: string | null;
  /** When it is read next, as it was when it was read from the database; null where nobody asks for it. */
  readonly plan: ReadPlan | null;
  /** When it was read from the database, or learnt here: what others have changed since may be missing. */
  asOf: number;
  /** The answer of `GET /devices/{id}` for `snapshot` and `open`, made when first asked for. */
  answer: string | null;
}

/** A device as it was read from the database, apart from what is in memory of it. */
export const cachedOf = ({ snapshot, open, ...row }: DeviceRow, asOf: number): CachedDevice => ({
  ...{ row, snapshot, open, asOf },
  plan: null,
  answer: null,
});

export interface Page {
  readonly body: Buffer;
  /** Cursor of the page after it. */
  readonly next: string | null;
}

/**
 * Devices and pages that were asked for lately. Everything in here can be dropped at any time; code that changes a device
 * drops it here, and the other processes drop it when they read the event of it.
 */
export class DeviceMemory {
  readonly #byId = new BoundedMap<string, CachedDevice[]>(MOST_IDS);
  readonly #pages = new Map<number, Map<string, Page>>();
  /** Counts changes of an account, so that a page read before a change is not kept after it. */
  readonly #changes = new Map<number, number>();
  /** How often everything was dropped, which is a change of every account. */
  #droppedAll = 0;
  #pageBytes = 0;

  cached(account: number, id: string): CachedDevice[] | undefined {
    return this.#byId.get(`${account}/${id}`);
  }

  keep(account: number, id: string, devices: CachedDevice[]): void {
    this.#byId.set(`${account}/${id}`, devices);
  }

  page(account: number, query: string): Page | undefined {
    return this.#pages.get(account)?.get(query);
  }

  changesOf(account: number): number {
    return (this.#changes.get(account) ?? 0) + this.#droppedAll;
  }

  /** Keeps a page unless the account has changed since `changes` was read. */
  keepPage(account: number, query: string, kept: { page: Page; changes: number }): void {
    if (this.changesOf(account) !== kept.changes) return;
    const pages = this.#pages.get(account) ?? new Map<string, Page>();
    if (pages.has(query)) return;
    const bytes = bytesOf(query, kept.page);
    if (this.#pageBytes + bytes > PAGE_BYTES) {
      this.#dropAllPages();
      pages.clear();
    }
    pages.set(query, kept.page);
    this.#pages.set(account, pages);
    this.#pageBytes += bytes;
  }

  dropPages(account: number): void {
    this.#changes.set(account, (this.#changes.get(account) ?? 0) + 1);
    const pages = this.#pages.get(account);
    if (pages === undefined) return;
    for (const [query, page] of pages) this.#pageBytes -= bytesOf(query, page);
    this.#pages.delete(account);
  }

  /** Forgets what is known of a device, to load it again: it has not changed for all that is known. */
  forget(account: number, id: string): void {
    this.#byId.delete(`${account}/${id}`);
  }

  drop(account: number, id: string): void {
    this.#byId.delete(`${account}/${id}`);
    this.dropPages(account);
  }

  dropAll(): void {
    this.#byId.clear();
    this.#droppedAll += 1;
    this.#dropAllPages();
  }

  #dropAllPages(): void {
    this.#pages.clear();
    this.#pageBytes = 0;
  }
}

/** Empty pages take room as well: a caller can ask for any number of them. */
function bytesOf(query: string, page: Page): number {
  return page.body.length + 2 * query.length + 500;
}
