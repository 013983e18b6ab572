/* The shapes of all plots, as values: pages of both services and the console draw them, each in its own markup. */

/** The values of a period, by field. */
export interface Point {
  /** RFC 3339 */
  readonly start: string;
  readonly end: string;
  readonly [field: string]: unknown;
}

/** The value of a field at a point; undefined where there is none. */
export function valueAt(point: Point | undefined, field: string): number | undefined {
  const value = point?.[field];
  return typeof value === 'number' ? value : undefined;
}

/** The point that a moment is in; points are in order. */
export function pointAt<P extends Point>(points: readonly P[], at: number): P | undefined {
  let low = 0;
  let high = points.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const point = points[middle];
    if (point === undefined) return undefined;
    if (Date.parse(point.start) > at) high = middle - 1;
    else if (Date.parse(point.end) < at) low = middle + 1;
    else return point;
  }
  return undefined;
}

type Place = (value: number) => number;

/** Where values are drawn. */
interface Scales {
  readonly x: Place;
  readonly y: Place;
}

const px = (value: number) => value.toFixed(1);

/** The shapes of a field: a line of steps, which breaks at gaps, and the area under it. */
export function stepsOf(
  points: readonly Point[],
  field: string,
  { x, y }: Scales,
): { readonly line: string; readonly area: string } {
  let line = '';
  let area = '';
  let open: { readonly startX: string; path: string; endX: string } | undefined;
  let end = Number.NaN;
  const zero = px(y(0));
  const close = () => {
    if (open === undefined) return;
    line += `M${open.startX},${open.path}`;
    area += `M${open.startX},${zero}V${open.path}V${zero}Z`;
    open = undefined;
  };
  for (const point of points) {
    const value = valueAt(point, field);
    const start = Date.parse(point.start);
    if (value === undefined || start !== end) close();
    if (value === undefined) continue;
    end = Date.parse(point.end);
    // A single moment is drawn as a dot by the round ends of lines.
    const endX = px(Math.max(x(end), x(start) + 0.5));
    if (open === undefined) open = { startX: px(x(start)), path: `${px(y(value))}H${endX}`, endX };
    else open.path += `V${px(y(value))}H${endX}`;
  }
  close();
  return { line, area };
}

/** A bar for each point that has a value other than nothing. */
export function barsOf(points: readonly Point[], field: string, { x, y }: Scales): string {
  let path = '';
  const zero = px(y(0));
  for (const point of points) {
    const value = valueAt(point, field);
    if (value === undefined || value === 0) continue;
    const left = x(Date.parse(point.start));
    const right = x(Date.parse(point.end));
    const gap = right - left > 4 ? 1 : 0;
    path += `M${px(left)},${zero}V${px(y(value))}H${px(Math.max(right - gap, left + 0.5))}V${zero}Z`;
  }
  return path;
}

/** The least and the most of some fields; undefined where no value is known. */
export function extentOf(
  points: readonly Point[],
  fields: readonly string[],
): readonly [number, number] | undefined {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const point of points)
    for (const field of fields) {
      const value = valueAt(point, field);
      if (value === undefined) continue;
      if (value < least) least = value;
      if (value > most) most = value;
    }
  return least > most ? undefined : [least, most];
}

/** Round values from `least` to `most` or just beyond, about `count` of them, 1, 2 or 5 times a power of ten apart. */
export function ticksOf(least: number, most: number, count: number): readonly number[] {
  const rough = (most - least) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((digit) => digit * power >= rough) ?? 10) * power;
  const [first, last] = [Math.ceil(least / step), Math.ceil(most / step)];
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
}

/** Values on top of each other, each from where the one before it ends; values below zero stand on the other side of it. */
export function stackOf(
  values: readonly number[],
): readonly { readonly from: number; readonly to: number }[] {
  let [above, below] = [0, 0];
  return values.map((value) => {
    const from = value < 0 ? below : above;
    if (value < 0) below += value;
    else above += value;
    return { from, to: from + value };
  });
}

/** A share of the width of a drawing, for places that take any width. */
export const percent = (share: number): string => `${Math.round(share * 100_000) / 1_000}%`;

const VALUE_TICKS = 4;
/** The part of its room that a bar takes. */
const BAR = 0.75;
/** More labels do not fit on a phone. */
const MOST_LABELS = 4;
/** A limit that is further above the highest bar would press the bars flat. */
const IN_SIGHT = 4;

interface Box {
  /** px */
  readonly top: number;
  readonly bottom: number;
  /** A limit of the sum of a bar. */
  readonly limit?: number | undefined;
}

/**
 * Bars of stacked values beside each other: x in percent, y in px. Every few bars, the last one among them, have a label. The limit
 * is undefined where it is too far above the bars.
 */
export function stackedBars(bars: readonly (readonly number[])[], { top, bottom, limit }: Box) {
  const highest = Math.max(...bars.map((values) => values.reduce((sum, value) => sum + value, 0)));
  const isInSight = limit !== undefined && highest * IN_SIGHT >= limit;
  const ticks = ticksOf(0, Math.max(VALUE_TICKS, highest, isInSight ? limit : 0), VALUE_TICKS);
  const most = ticks.at(-1) ?? 1;
  const y = (value: number): number => bottom - (value / most) * (bottom - top);
  const room = 1 / bars.length;
  const every = Math.ceil(bars.length / MOST_LABELS);
  return {
    limit: isInSight ? y(limit) : undefined,
    ticks: ticks.filter(Number.isInteger).map((value) => ({ value, y: y(value) })),
    width: percent(BAR * room),
    bars: bars.map((values, index) => {
      const isLast = index === bars.length - 1;
      return {
        x: percent((index + (1 - BAR) / 2) * room),
        parts: stackOf(values).map(({ from, to }) => ({ y: y(to), height: y(from) - y(to) })),
        label:
          (bars.length - 1 - index) % every === 0
            ? {
                x: percent((index + (isLast ? 1 : 0.5)) * room),
                anchor: isLast ? ('end' as const) : ('middle' as const),
              }
            : undefined,
      };
    }),
  };
}
