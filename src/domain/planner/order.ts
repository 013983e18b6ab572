import type { ScaledPrices } from './decimal.ts';

/**
 * The first `count` slots by (price, index): `order[rank]` is a slot's index. Where price and index fit one number
 * together they are sorted as plain numbers, without a function that compares.
 */
export function orderOf({ values }: ScaledPrices, count: number): Int32Array {
  return (values instanceof Float64Array ? packed(values, count) : undefined) ?? compared(values, count);
}

function packed(values: Float64Array, count: number): Int32Array | undefined {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (let slot = 0; slot < count; slot += 1) {
    const value = values[slot] ?? 0;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  if ((most - least + 1) * count > Number.MAX_SAFE_INTEGER) return undefined;
  const keys = new Float64Array(count);
  for (let slot = 0; slot < count; slot += 1) keys[slot] = ((values[slot] ?? 0) - least) * count + slot;
  keys.sort();
  const order = new Int32Array(count);
  for (let rank = 0; rank < count; rank += 1) order[rank] = (keys[rank] ?? 0) % count;
  return order;
}

function compared(values: Float64Array | readonly bigint[], count: number): Int32Array {
  const order = Int32Array.from({ length: count }, (_, slot) => slot);
  return order.sort((a, b) => {
    const left = values[a] ?? 0;
    const right = values[b] ?? 0;
    return left < right ? -1 : left > right ? 1 : a - b;
  });
}
