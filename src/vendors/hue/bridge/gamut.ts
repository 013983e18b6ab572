import type { Xy } from './colour.ts';

/** What a lamp can show: all mixtures of its three lights. */
export interface Gamut {
  readonly red: Xy;
  readonly green: Xy;
  readonly blue: Xy;
}

/** The three that Hue's own lamps have, by `gamut_type`; lamps of others have theirs. */
export const GAMUTS: Readonly<Record<string, Gamut>> = {
  A: { red: { x: 0.704, y: 0.296 }, green: { x: 0.2151, y: 0.7106 }, blue: { x: 0.138, y: 0.08 } },
  B: { red: { x: 0.675, y: 0.322 }, green: { x: 0.409, y: 0.518 }, blue: { x: 0.167, y: 0.04 } },
  C: { red: { x: 0.6915, y: 0.3083 }, green: { x: 0.17, y: 0.7 }, blue: { x: 0.1532, y: 0.0475 } },
};

/** The point itself where the lamp can show it, else the nearest that it can. */
export function inGamut({ red, green, blue }: Gamut, point: Xy): Xy {
  const sides = [
    [red, green],
    [green, blue],
    [blue, red],
  ] as const;
  const turns = sides.map(([from, to]) => turn(from, to, point));
  const isInside = turns.every((one) => one >= 0) || turns.every((one) => one <= 0);
  if (isInside) return point;
  const nearest = sides.map(([from, to]) => nearestOn(from, to, point));
  return nearest.reduce((best, one) => (distance(one, point) < distance(best, point) ? one : best));
}

/** On which side of a line a point is. */
const turn = (from: Xy, to: Xy, point: Xy): number =>
  (to.x - from.x) * (point.y - from.y) - (to.y - from.y) * (point.x - from.x);

const distance = (one: Xy, other: Xy): number => Math.hypot(one.x - other.x, one.y - other.y);

function nearestOn(from: Xy, to: Xy, point: Xy): Xy {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const along = ((point.x - from.x) * dx + (point.y - from.y) * dy) / (dx ** 2 + dy ** 2 || 1);
  const share = Math.min(1, Math.max(0, along));
  return { x: from.x + share * dx, y: from.y + share * dy };
}
