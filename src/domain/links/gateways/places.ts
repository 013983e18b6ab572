import { isIP } from 'node:net';
import type { Adapter } from '../../../adapter/adapter.ts';
import type { DevicePlace, Discovers, Surroundings } from '../../../adapter/discovers.ts';
import type { JsonObject } from '../../../core/json.ts';

/** A vendor whose devices can be found. */
export type Finder = Adapter & { readonly discovers: Discovers };

export const isFinder = (adapter: Adapter): adapter is Finder =>
  adapter.isLocal === true && adapter.discovers !== undefined;

/** Where something answers, and whose device it may be: first those that it announces itself as. */
export interface AskedPlace extends DevicePlace {
  readonly finders: readonly Finder[];
}

/** Places that are asked; a home has some dozens. */
const MOST_PLACES = 300;

export const keyOf = ({ host, port }: DevicePlace): string => `${host} ${port}`;

/** What a gateway is asked to look for. */
export const wantedBy = (finders: readonly Finder[]) => ({
  services: [...new Set(finders.flatMap(({ discovers }) => discovers.services ?? []))],
  ports: [...new Set(finders.flatMap(({ discovers }) => discovers.ports))],
});

/** The places that a gateway has found, in the order of their addresses, without those in `known`. */
export function placesIn(
  { instances, open }: Pick<Surroundings, 'instances' | 'open'>,
  finders: readonly Finder[],
  known: ReadonlySet<string>,
): { readonly places: readonly AskedPlace[]; readonly areAll: boolean } {
  const places = new Map<string, AskedPlace>();
  const add = (place: DevicePlace, more: readonly Finder[]): void => {
    const key = keyOf(place);
    if (known.has(key) || more.length === 0) return;
    const before = places.get(key)?.finders ?? [];
    places.set(key, { ...place, finders: [...new Set([...before, ...more])] });
  };
  for (const { service, addresses, port } of instances) {
    const host = addresses.find((address) => isIP(address) === 4) ?? addresses[0] ?? '';
    const announced = finders.filter(({ discovers }) => discovers.services?.includes(service));
    add({ host, port }, announced);
    // What it announces may be another of its ports than the one that the adapter speaks to.
    for (const finder of announced)
      for (const usual of finder.discovers.ports) add({ host, port: usual }, [finder]);
  }
  for (const { address, port } of open)
    add(
      { host: address, port },
      finders.filter(({ discovers }) => discovers.ports.includes(port)),
    );
  const all = [...places.values()]
    .filter(({ host }) => isIP(host) !== 0)
    .toSorted(
      (one, other) => one.host.localeCompare(other.host, 'en', { numeric: true }) || one.port - other.port,
    );
  return { places: all.slice(0, MOST_PLACES), areAll: all.length <= MOST_PLACES };
}

/** Where the device of a link is; undefined where its credentials do not tell. */
export function placeOfLink(
  { chosenAddress, ports = [] }: Pick<Adapter, 'chosenAddress' | 'ports'>,
  credentials: JsonObject,
): DevicePlace | undefined {
  if (chosenAddress !== undefined) {
    const { protocol, hostname, port } = new URL(chosenAddress(credentials));
    const usual = protocol === 'https:' ? 443 : 80;
    return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? usual : Number(port) };
  }
  const { host, port = ports[0] } = credentials;
  return typeof host === 'string' && typeof port === 'number' ? { host, port } : undefined;
}
