import type { Adapter } from '../../../adapter/adapter.ts';
import { adapterOf, capabilitiesOf, kindOf } from '../../../adapter/adapters.ts';
import type { Found } from '../../../adapter/device.ts';
import { allMissing } from '../../../adapter/tokens.ts';
import type { Clock } from '../../../core/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../core/durations.ts';
import type { Json } from '../../../core/json.ts';
import type { Queries } from '../../../db/database.ts';
import type { Interventions, NeedyDevice } from '../../vendor-calls/interventions/index.ts';
import type { DeviceRow, DeviceStore, LinksOf, NewDevice, OfLink } from './store.ts';

/** What a vendor answered about a device that its list left out. */
export type Evidence = 'refused' | 'online' | 'unclear';

/** The devices of a link as its vendor has just listed them. */
interface List {
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
  // control: a device that responds itself is not removed because a list left it out [links/discovery/discovery] => false
  if (evidence === 'online') return Number.POSITIVE_INFINITY;
  if (evidence !== 'refused') return UNCLEAR_MS;
  return isEmpty ? EMPTIED_MS : CONFIRMED_MS;
}

/**
 * Makes the devices of a link those of a list, within the caller's transaction. A device goes only when it has been missing for a while
 * and the vendor does not answer for it; one that another link of the account has stays there.
 */
async function relist(
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
  for (const device of changed) await store.update(transaction, of, device, { at: began });
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

/** Whether a list repeats the stored device. */
function isSame(row: DeviceRow, device: NewDevice): boolean {
  return (
    row.type === device.type &&
    row.name === device.name &&
    (row.site ?? null) === device.site &&
    (row.measures ?? null) === device.measures &&
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

interface ListingsOptions {
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly store: DeviceStore;
  readonly interventions: Pick<Interventions, 'listed'>;
  readonly clock: Clock;
}

/** Which devices links have, and what users permit of them, as their vendors list them. */
export function createListings({ adapters, store, interventions, clock }: ListingsOptions) {
  return {
    /** Permissions that capabilities take and users have not granted, by the links asked for. */
    async missingPermissions(of: LinksOf): Promise<ReadonlyMap<string, readonly string[]>> {
      const missing = new Map<string, Set<string>>();
      for (const device of await store.permitted(of)) {
        const kind = adapters.get(device.vendor)?.kinds[device.type];
        if (kind === undefined) continue;
        const known = missing.get(device.link) ?? new Set();
        missing.set(device.link, known.union(new Set(allMissing(kind, device))));
      }
      return new Map([...missing].map(([link, scopes]) => [link, [...scopes].toSorted()]));
    },

    /** Makes `found` the devices of a link, within the caller's transaction; call `changed` when it is done. */
    async replace(
      transaction: Queries,
      of: OfLink,
      {
        found,
        granted,
      }: { readonly found: readonly Found[]; readonly granted: readonly string[] | undefined },
    ): Promise<void> {
      const adapter = adapterOf(adapters, of.vendor);
      const devices = found.map((device) => newDevice(adapter, device, granted));
      await store.replace(transaction, of, devices, clock.now());
      await interventions.listed(transaction, of, needyOf(of, devices));
    },

    /** Brings the devices of a link up to date with a list, within the caller's transaction; call `changed` when it is done. */
    async relist(
      transaction: Queries,
      of: OfLink,
      {
        found,
        granted,
        ...list
      }: Omit<List, 'devices'> & {
        readonly found: readonly Found[];
        readonly granted: readonly string[] | undefined;
      },
    ): Promise<Relisted> {
      const adapter = adapterOf(adapters, of.vendor);
      const devices = found.map((device) => newDevice(adapter, device, granted));
      const relisted = await relist(store, transaction, { of, list: { ...list, devices } });
      const shown = new Set(await interventions.listed(transaction, of, needyOf(of, devices)));
      const changed = shown.difference(new Set(relisted.added)).union(new Set(relisted.changed));
      return { ...relisted, changed: [...changed].toSorted() };
    },
  };
}

/** A device as it is stored; `granted` is what the user permits for the whole account, where that is known. */
function newDevice(adapter: Adapter, found: Found, granted: readonly string[] | undefined): NewDevice {
  const kind = kindOf(adapter, found.type);
  const permitted = kind.needs === undefined ? undefined : (found.granted ?? granted);
  return {
    id: found.id,
    type: found.type,
    name: found.name === undefined ? null : shownName(found.name),
    capabilities: capabilitiesOf(kind, permitted === undefined ? found : { ...found, granted: permitted }),
    details: found.details ?? {},
    site: found.site ?? null,
    measures: found.measures ?? null,
    granted: permitted ?? null,
  };
}

/** The same as far as what they need of their users depends on it. */
const needyOf = ({ account, link, vendor }: OfLink, devices: readonly NewDevice[]): NeedyDevice[] =>
  devices.map(({ granted, ...device }) => ({
    ...{ account, link, vendor, ...device },
    ...(granted === null ? {} : { granted }),
  }));

const MOST_NAME_CHARACTERS = 200;

/** A name as its owner typed it at the vendor: cut to what the API promises, and always well-formed text. */
const shownName = (name: string): string => name.slice(0, MOST_NAME_CHARACTERS).toWellFormed();
