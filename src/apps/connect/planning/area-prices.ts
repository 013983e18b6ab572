import { rfc3339 } from '../../../core/clock.ts';
import { MINUTE_MS } from '../../../core/durations.ts';
import { AppError } from '../../../core/errors.ts';
import type { Prices, SpotPrice } from '../../../domain/market/prices/index.ts';
import { PRICE_AREAS, type PriceArea } from '../../../sources/contract/market.ts';

/** A request that names an area instead of sending prices. */
export interface AreaRequest {
  readonly area: PriceArea;
  readonly rest: Readonly<Record<string, unknown>>;
}

/** Reads a request that names an area; undefined when it names none. */
export function areaRequestOf(request: unknown): AreaRequest | undefined {
  if (typeof request !== 'object' || request === null || Array.isArray(request)) return undefined;
  if (!Object.hasOwn(request, 'area')) {
    if (Object.hasOwn(request, 'prices')) return undefined;
    throw new AppError(
      'request.invalid',
      `send prices, a list of slots, or area, one of ${PRICE_AREAS.join(', ')}`,
    );
  }
  const { area, prices, ...rest } = request as Readonly<Record<string, unknown>>;
  if (prices !== undefined) throw new AppError('request.invalid', 'send either prices or area, not both');
  const known = PRICE_AREAS.find((one) => one === (typeof area === 'string' ? area.toUpperCase() : area));
  if (known === undefined)
    throw new AppError('request.invalid', `area must be one of ${PRICE_AREAS.join(', ')}`);
  return { area: known, rest };
}

/** The request with the area's spot prices, in kronor per kWh without VAT and tax, from the current slot on. */
export function withSpotPrices(
  { area, rest }: AreaRequest,
  prices: Pick<Prices, 'spot'>,
): { readonly request: object; readonly head: string } {
  const slots = prices.spot([area]);
  return {
    request: { ...rest, prices: slots.map(priceOf) },
    head: `{"area":"${area}","currency":"SEK","price_source":${JSON.stringify(sourcesOf(slots))},`,
  };
}

function priceOf({ start, end, price }: SpotPrice) {
  return { start: rfc3339(start), duration_min: (end - start) / MINUTE_MS, price };
}

function sourcesOf(slots: readonly SpotPrice[]): string {
  return [...new Set(slots.map(({ source }) => source))].join(', ');
}
