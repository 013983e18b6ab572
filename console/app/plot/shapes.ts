import { type Point, valueAt } from './points.ts';

type Place = (value: number) => number;

/** Where values are drawn. */
export interface Scales {
  readonly x: Place;
  readonly y: Place;
}

const px = (value: number) => value.toFixed(1);

/** What is drawn of a field: a line of steps, which breaks where nothing is known, and the area under it. */
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
