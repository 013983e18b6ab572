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

/*
 * Colours as the API of elnav has them (sRGB, IEC 61966-2-1) and as lamps have them: a point of the CIE 1931 diagram, or a white on the
 * curve of black bodies. Brightness is not part of either.
 */

/** A point of the CIE 1931 diagram. */
export interface Xy {
  readonly x: number;
  readonly y: number;
}

/** Red, green and blue, each 0–255. */
export type Rgb = readonly [number, number, number];

const MOST = 255;

const linear = (part: number): number => {
  const share = part / MOST;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
};

const encoded = (share: number): number =>
  share <= 0.0031308 ? share * 12.92 : 1.055 * share ** (1 / 2.4) - 0.055;

/** The point of a colour; null for black, which has none. */
export function xyOf([red, green, blue]: Rgb): Xy | null {
  const [r, g, b] = [linear(red), linear(green), linear(blue)];
  const X = 0.4124564 * r + 0.3575761 * g + 0.1804375 * b;
  const Y = 0.2126729 * r + 0.7151522 * g + 0.072175 * b;
  const Z = 0.0193339 * r + 0.119192 * g + 0.9503041 * b;
  const sum = X + Y + Z;
  return sum === 0 ? null : { x: X / sum, y: Y / sum };
}

/** The brightest colour of a point; what sRGB cannot show is the nearest that it can. */
export function rgbOf({ x, y }: Xy): Rgb {
  const height = Math.max(y, 0.0001);
  const [X, Z] = [x / height, (1 - x - height) / height];
  const parts = [
    3.2404542 * X - 1.5371385 - 0.4985314 * Z,
    -0.969266 * X + 1.8760108 + 0.041556 * Z,
    0.0556434 * X - 0.2040259 + 1.0572252 * Z,
  ].map((part) => Math.max(0, part));
  const most = Math.max(...parts);
  const [red = 0, green = 0, blue = 0] = parts.map((part) => Math.round(encoded(part / most) * MOST));
  return [red, green, blue];
}

/** Mirek and kelvin are each a million divided by the other. */
export const kelvinOf = (mirek: number): number => 1_000_000 / mirek;

/** How far from the curve of black bodies a colour is still a white, in the CIE 1960 diagram. */
const WHITE_WITHIN = 0.02;

/** The colour temperature of a white, mirek; null for a colour that is none. */
export function mirekOf(xy: Xy): number | null {
  // McCamy 1992. Far from the curve its result means nothing, so the point is compared with the curve.
  const n = (xy.x - 0.332) / (0.1858 - xy.y);
  const kelvin = 449 * n ** 3 + 3525 * n ** 2 + 6823.3 * n + 5520.33;
  if (!(kelvin >= 1_000 && kelvin <= 25_000)) return null;
  const [one, other] = [uvOf(xy), uvOf(blackBody(kelvin))];
  return Math.hypot(one.u - other.u, one.v - other.v) > WHITE_WITHIN ? null : 1_000_000 / kelvin;
}

/** The point of a black body of a temperature, 1667–25000 K: Kim et al., US patent 7024034. */
export function blackBody(kelvin: number): Xy {
  const t = 1_000 / Math.max(kelvin, 1_667);
  const x =
    kelvin <= 4_000
      ? -0.2661239 * t ** 3 - 0.234358 * t ** 2 + 0.8776956 * t + 0.17991
      : -3.0258469 * t ** 3 + 2.1070379 * t ** 2 + 0.2226347 * t + 0.24039;
  if (kelvin <= 2_222)
    return { x, y: -1.1063814 * x ** 3 - 1.3481102 * x ** 2 + 2.18555832 * x - 0.20219683 };
  if (kelvin <= 4_000)
    return { x, y: -0.9549476 * x ** 3 - 1.37418593 * x ** 2 + 2.09137015 * x - 0.16748867 };
  return { x, y: 3.081758 * x ** 3 - 5.8733867 * x ** 2 + 3.75112997 * x - 0.37001483 };
}

/** CIE 1960, in which equal distances look alike. */
const uvOf = ({ x, y }: Xy) => ({ u: (4 * x) / (12 * y - 2 * x + 3), v: (6 * y) / (12 * y - 2 * x + 3) });
