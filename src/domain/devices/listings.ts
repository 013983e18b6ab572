import type { Adapter, Found } from '../../adapter/adapter.ts';
import { adapterOf } from '../../adapter/adapters.ts';
import { capabilitiesOf, kindOf } from '../../adapter/derive.ts';
import { allMissing } from '../../adapter/scopes.ts';
import type { Clock } from '../../core/clock.ts';
import type { Queries } from '../../db/database.ts';
import type { Interventions, NeedyDevice } from '../interventions/index.ts';
import { type List, type Relisted, relist } from './relist.ts';
import type { DeviceStore, NewDevice, OfLink } from './store.ts';

interface ListingsOptions {
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly store: DeviceStore;
  readonly interventions: Pick<Interventions, 'listed'>;
  readonly clock: Clock;
}

/** Which devices links have, and what users permit of them, as their vendors list them. */
export function createListings({ adapters, store, interventions, clock }: ListingsOptions) {
  return {
    /** Permissions that capabilities take and users have not granted, by the links of an account. */
    async missingPermissions(account: number): Promise<ReadonlyMap<string, readonly string[]>> {
      const missing = new Map<string, Set<string>>();
      for (const device of await store.permitted(account)) {
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
