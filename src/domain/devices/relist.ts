import { DAY_MS, HOUR_MS } from '../../core/durations.ts';
import type { Json } from '../../core/json.ts';
import type { Queries } from '../../db/database.ts';
import type { DeviceRow, DeviceStore, NewDevice, OfLink } from './store.ts';

/** What a vendor answered about a device that its list left out. */
export type Evidence = 'refused' | 'online' | 'unclear';

/** The devices of a link as its vendor has just listed them. */
export interface List {
  readonly devices: readonly NewDevice[];
  /** When the vendor was asked, by the moments of the database. */
  readonly began: number;
  /** Of devices that were missing before, and are now. */
  readonly evidence: ReadonlyMap<string, Evidence>;
}

/** What a list has changed; ids. */
export interface Relisted {
  readonly added: readonly string[];
  /** Another name, type, place or other capabilities. */
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Not listed, and not believed to be gone yet. */
  readonly missing: readonly string[];
}

/** A device that is missing for less is not asked about. */
export const CONFIRMED_MS = HOUR_MS;
/** An account of which nothing at all is listed has an incident rather than a user who took everything away. */
const EMPTIED_MS = DAY_MS;
const UNCLEAR_MS = 3 * DAY_MS;

/** How long a device is missing in lists before it is gone. */
function waitFor(evidence: Evidence | undefined, isEmpty: boolean): number {
  if (evidence === 'online') return Number.POSITIVE_INFINITY;
  if (evidence !== 'refused') return UNCLEAR_MS;
  return isEmpty ? EMPTIED_MS : CONFIRMED_MS;
}

/**
 * Makes the devices of a link those of a list, within the caller's transaction. A device goes only when it has been missing for a while
 * and the vendor does not answer for it; one that another link of the account has stays there.
 */
export async function relist(
  store: Pick<DeviceStore, 'held' | 'add' | 'update' | 'setMissing' | 'removeUnlisted'>,
  transaction: Queries,
  { of, list }: { readonly of: OfLink; readonly list: List },
): Promise<Relisted> {
  const { began, evidence } = list;
  const listed = new Map(list.devices.map((device) => [device.id, device]));
  const known = new Map((await store.held(transaction, of)).map((row) => [row.id, row]));
  const absent = [...known.values()].filter(({ id }) => !listed.has(id));
  const waits = (id: string) => waitFor(evidence.get(id), listed.size === 0);
  const removed = absent.filter(
    ({ id, missingSince }) => missingSince !== null && began - missingSince >= waits(id),
  );
  const missing = absent.filter((row) => !removed.includes(row));
  const changed = [...known.values()].flatMap((row) => {
    const device = listed.get(row.id);
    return device === undefined || isSame(row, device) ? [] : [device];
  });
  for (const device of changed) await store.update(transaction, of, device);
  const isNew = list.devices.filter(({ id }) => !known.has(id));
  const added = (await store.add(transaction, of, { devices: isNew, at: began })).toSorted();
  const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id).toSorted();
  await store.removeUnlisted(transaction, of, { ids: idsOf(removed), at: began });
  // A device that the vendor answers for begins to be missing again: what it said then says nothing of later.
  const begins = missing.filter(
    ({ id, missingSince }) => missingSince === null || evidence.get(id) === 'online',
  );
  await store.setMissing(transaction, of, { ids: idsOf(begins), since: began });
  const back = [...known.values()].filter(({ id, missingSince }) => missingSince !== null && listed.has(id));
  await store.setMissing(transaction, of, { ids: idsOf(back), since: null });
  return { added, changed: idsOf(changed), removed: idsOf(removed), missing: idsOf(missing) };
}

/** Whether a list says what is known already. */
function isSame(row: DeviceRow, device: NewDevice): boolean {
  return (
    row.type === device.type &&
    row.name === device.name &&
    (row.site ?? null) === device.site &&
    textOf([...(row.granted ?? [])]) === textOf([...(device.granted ?? [])]) &&
    textOf([...row.capabilities]) === textOf([...device.capabilities]) &&
    textOf(row.details) === textOf(device.details)
  );
}

/** JSON text in which the order of members says nothing. */
const textOf = (value: Json): string =>
  JSON.stringify(value, (_name, member: Json) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
