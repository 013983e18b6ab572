import { useMemo } from 'preact/hooks';
import { call } from '../api/call.ts';
import { type Result, useQuery } from '../api/queries.ts';
import type { PriceArea } from '../api/shapes.ts';
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
