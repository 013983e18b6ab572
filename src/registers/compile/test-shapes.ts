/** A zone that fills a box of degrees. */
export function box(area: string, [west, south, east, north]: readonly [number, number, number, number]) {
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ] as const;
  return { area, polygons: [[ring]] };
}
