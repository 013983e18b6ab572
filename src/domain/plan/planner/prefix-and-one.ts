import type { Piece } from './domains.ts';
import { domainAt, type Market } from './market.ts';

interface Target {
  readonly need: number;
  readonly room: number;
}

/** The cheapest slots and one more: prefixes this much shorter than the relaxation's are tried. */
const SHORTER = 3;

/**
 * A plan for requests that are too large for anything exact, in O(n): the first k slots and one later one are on, at least at
 * their minimum, and the rest is handed out by rank. Of those that hit the need the first is taken, which has the cheapest extra
 * slot; else the one that passes the need by least. Undefined when none fits into the room.
 */
export function prefixAndOne(market: Market<unknown>, { need, room }: Target): Float64Array | undefined {
  const { count } = market;
  let best: { sizes: Float64Array; total: number } | undefined;
  let [least, most, end] = [0, 0, 0];
  const lows: number[] = [];
  const highs: number[] = [];
  for (; end < count && most < need; end += 1) {
    lows.push(least);
    highs.push(most);
    least += domainAt(market, end).min;
    most += domainAt(market, end).max;
  }
  for (let prefix = Math.max(0, end - 1); prefix >= 0 && prefix >= end - SHORTER; prefix -= 1) {
    const [low, high] = [lows[prefix] ?? 0, highs[prefix] ?? 0];
    for (let extra = prefix; extra < count; extra += 1) {
      const { min, max } = domainAt(market, extra);
      const reached = Math.max(need, low + min);
      if (high + max < need || reached > room || reached >= (best?.total ?? Number.POSITIVE_INFINITY))
        continue;
      const sizes = handedOut(market, { prefix, extra, total: reached });
      const total = sizes.reduce((sum, size) => sum + size, 0);
      if (total < need || (total > room && total > need)) continue;
      if (best === undefined || total < best.total) best = { sizes, total };
      if (total === need) return sizes;
    }
  }
  return best?.sizes;
}

interface Choice {
  readonly prefix: number;
  readonly extra: number;
  readonly total: number;
}

function handedOut(market: Market<unknown>, { prefix, extra, total }: Choice): Float64Array {
  const sizes = new Float64Array(market.count);
  const on = [...Array.from({ length: prefix }, (_, rank) => rank), extra];
  let rest = total;
  for (const rank of on) {
    sizes[rank] = domainAt(market, rank).min;
    rest -= sizes[rank] ?? 0;
  }
  for (const rank of on) {
    if (rest <= 0) break;
    const { pieces, min } = domainAt(market, rank);
    const size = atLeast(pieces, min + rest);
    sizes[rank] = size;
    rest -= size - min;
  }
  return sizes;
}

/** The least permitted size of at least `wanted`; the largest if all are smaller. */
function atLeast(pieces: readonly Piece[], wanted: number): number {
  let [above, largest] = [Number.POSITIVE_INFINITY, 0];
  for (const { first, step, count } of pieces) {
    const place = Math.max(0, Math.ceil((wanted - first) / step));
    if (place < count) above = Math.min(above, first + place * step);
    largest = Math.max(largest, first + (count - 1) * step);
  }
  return Number.isFinite(above) ? above : largest;
}
