/** What is known of a period, by field. */
export interface Point {
  /** RFC 3339 */
  readonly start: string;
  readonly end: string;
  readonly [field: string]: unknown;
}

/** The value of a field at a point; undefined where none is known. */
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
