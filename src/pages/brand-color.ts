/* What a brand's colour becomes on a page. The contrast of two colours is that of WCAG 2.2. */

/** Of `base.css`: what a page without a brand has, on light and on dark paper. */
export const OWN_COLORS = {
  light: '#0b5d48',
  onLight: '#ffffff',
  dark: '#6fd3b0',
  onDark: '#06231a',
} as const;

/** The lighter dark-mode background in `base.css`; contrast that suffices here suffices on the darker one too. */
const DARK_PAPER = '#1a211d';
/** Minimum contrast of a shape with its background (WCAG 1.4.11). */
const SHAPE = 3;
const BLACK = '#000000';
const WHITE = '#ffffff';

type Rgb = readonly [number, number, number];

const HREF = '/assets/brand/';
const FILE = /^([0-9a-f]{6})\.css$/;

/** Address of the style sheet of a colour such as #0b5d48. */
export const brandSheetHref = (color: string): string => `${HREF}${color.slice(1)}.css`;

/** The colour in the name of a file below /assets/brand/; undefined for any other name. */
export function colorOfFile(file: string): string | undefined {
  const hex = FILE.exec(file)?.[1];
  return hex === undefined ? undefined : `#${hex}`;
}

/** A style sheet with a brand's colour and readable text on it, for light and dark mode. */
export function brandSheet(color: string): string {
  const onDark = lightened(color, DARK_PAPER);
  return `:root{--brand:${color};--on-brand:${readableOn(color)}}
@media (prefers-color-scheme: dark){:root{--brand:${onDark};--on-brand:${readableOn(onDark)}}}
`;
}

/** Black or white, whichever has more contrast; one of them has at least 4.58:1 on every colour. */
export function readableOn(color: string): string {
  return contrast(color, WHITE) >= contrast(color, BLACK) ? WHITE : BLACK;
}

/** The colour mixed with just enough white for 3:1 against a dark background. */
export function lightened(color: string, paper: string): string {
  const rgb = parseColor(color);
  for (let share = 0; share < 100; share += 1) {
    const mixed = formatColor(mix(rgb, share / 100));
    if (contrast(mixed, paper) >= SHAPE) return mixed;
  }
  return WHITE;
}

/** WCAG contrast: 1 for equal brightness to 21 for black and white. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(parseColor(one)), luminance(parseColor(other))].sort(
    (a, b) => a - b,
  );
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function linear(channel: number): number {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

const mix = ([red, green, blue]: Rgb, white: number): Rgb => [
  towardsWhite(red, white),
  towardsWhite(green, white),
  towardsWhite(blue, white),
];

const towardsWhite = (channel: number, share: number): number =>
  Math.round(channel + (255 - channel) * share);

function parseColor(color: string): Rgb {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

const formatColor = (rgb: Rgb): string =>
  `#${rgb.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
