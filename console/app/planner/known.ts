import { useMemo } from 'preact/hooks';
import { call } from '../api/call.ts';
import { type Result, useLinks, useQuery } from '../api/queries.ts';
import { type Device, deviceIn, type PriceArea, type Reading } from '../api/shapes.ts';
import { areaIn } from '../links/area.tsx';
import { devices, measuredAt } from '../live/index.ts';
import { useSelected } from '../store.ts';
import { type Known, knownOf } from './car.ts';
import type { Choices } from './choices.ts';
import { pricesRequest } from './request.ts';
import { type Slot, slotsOf } from './slots.ts';

/** A slot passes, and tomorrow's prices come, without an event. */
const REFETCH_MS = 60_000;

interface Answered {
  readonly source: string;
  readonly list: readonly { readonly start?: string; readonly price: string }[];
}

export interface Prices {
  /** From the slot that is now on; undefined while they are not known. */
  readonly slots: readonly Slot[] | undefined;
  /** Where they come from. */
  readonly source: string;
  readonly result: Result<Answered>;
}

/** The prices of an area, as the planner takes them. */
export function usePrices(area: PriceArea): Prices {
  const result = useQuery<Answered>({
    key: ['POST /optimize/plan', 'prices', area],
    load: async (signal) => {
      const { body } = await call('POST /optimize/plan', { body: pricesRequest(area), signal });
      const list = body.slots.map(({ start = '', price }) => ({ start, price }));
      return { source: body.price_source ?? '', list };
    },
    refetchMs: REFETCH_MS,
  });
  const { data } = result;
  const slots = useMemo(() => (data === undefined ? undefined : slotsOf(data.list)), [data]);
  return { slots, source: data?.source ?? '', result };
}

/** The source of prices that are not real. */
export const SAMPLE = 'sample';

const CARS: readonly Device['device_type'][] = ['vehicle', 'charger'];
export const isCar = ({ device_type }: Pick<Device, 'device_type'>): boolean => CARS.includes(device_type);

/** Longer lists cannot be looked through: a car that is not in it has a link to the planner on its own page. */
export const MOST_CARS = 200;

/** The first vehicles and chargers of the account, one more than are listed. */
export function useCars(): readonly Pick<Device, 'vendor' | 'id' | 'name' | 'device_type'>[] {
  // Their states change all the time, which does not matter here.
  const text = useSelected(devices, ({ list }) =>
    JSON.stringify(
      list
        .filter(isCar)
        .slice(0, MOST_CARS + 1)
        .map(({ vendor, id, name, device_type }) => ({ vendor, id, name, device_type })),
    ),
  );
  return useMemo(() => JSON.parse(text), [text]);
}

export interface ChosenCar {
  readonly device: Device | undefined;
  readonly known: Known | undefined;
  /** When its level was measured. */
  readonly measuredAt: string | undefined;
  readonly reading: Result<Reading | null>;
}

/** A vehicle or charger of the account, and what it says of itself. */
export function useChosenCar({ vendor, device: id }: Choices): ChosenCar {
  const isChosen = vendor !== undefined && id !== undefined;
  // Another store for another device: what is selected of it is selected again.
  const store = useMemo(() => ({ ...devices }), [vendor, id]);
  const listed = useSelected(store, () => (isChosen ? devices.find(vendor, id) : undefined));
  const reading = useQuery<Reading | null>({
    key: isChosen ? ['GET /devices/{id}', { path: [id], query: { vendor } }] : ['no device'],
    load: async (signal) =>
      isChosen ? (await call('GET /devices/{id}', { path: [id], query: { vendor }, signal })).body : null,
  });
  const data = reading.data ?? undefined;
  const device: Device | undefined = listed ?? deviceIn(data);
  if (!isChosen || device === undefined)
    return { device: undefined, known: undefined, measuredAt: undefined, reading };
  // What came by the stream is newer than what was read.
  const measured = measuredAt(device, data?.observed_at);
  const isHeard = measured !== undefined && devices.observedAt(vendor, id) === measured;
  const state = isHeard ? listed?.state : (data?.state ?? listed?.state);
  const known = knownOf({ capabilities: device.capabilities, state, limits: data?.limits });
  return { device, known, measuredAt: measured, reading };
}

export type AreaSource = 'chosen' | 'links' | 'front page' | 'usual';

/** The price area, and where it comes from: chosen here, that of the links, chosen on the front page of Grid, or none of these. */
export function useArea({ area, vendor }: Choices): { readonly area: PriceArea; readonly from: AreaSource } {
  const { data } = useLinks();
  const chosen = areaIn(area ?? '');
  if (chosen !== null) return { area: chosen, from: 'chosen' };
  const ofLinks = areaOfLinks(data ?? [], vendor);
  if (ofLinks !== null) return { area: ofLinks, from: 'links' };
  const elsewhere = areaIn(document.getElementById('console')?.dataset.area ?? '');
  return elsewhere === null ? { area: 'SE3', from: 'usual' } : { area: elsewhere, from: 'front page' };
}

interface InArea {
  readonly vendor: string;
  readonly price_area: PriceArea | null;
}

/** The area that all links share that have one, of a vendor where one is chosen; null where they differ. */
function areaOfLinks(links: readonly InArea[], vendor: string | undefined): PriceArea | null {
  const areas = new Set(
    links
      .filter((link) => vendor === undefined || link.vendor === vendor)
      .flatMap(({ price_area: area }) => (area === null ? [] : [area])),
  );
  const [only = null] = areas;
  return areas.size === 1 ? only : null;
}
