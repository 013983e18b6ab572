import { HOUR_MS, MINUTE_MS } from '../../../core/durations.ts';
import { type Language, translated } from '../../../core/language.ts';
import { swedishTime } from '../../../core/swedish-days.ts';
import { type Html, html } from '../../../pages/html.ts';
import { STEP_LIMITS, STEPS, type Step } from '../../../pages/plot/price-steps.ts';
import { percent, ticksOf } from '../../../pages/plot/shapes.ts';
import { type Format, formatIn } from './format.ts';

/** A price of a day, to be drawn. */
interface Bar {
  readonly start: number;
  readonly end: number;
  /** Of the shown price. */
  readonly ore: number;
  readonly step: Step;
}

/** A day of an area as bars from midnight to midnight. */
interface DayBars {
  readonly start: number;
  readonly end: number;
  readonly bars: readonly Bar[];
  /** Where time is now; undefined on another day. */
  readonly now: { readonly at: number; readonly text: string } | undefined;
  readonly range: Range;
  readonly label: string;
  readonly format: Format;
}

/** Least and largest öre of charts beside each other, with the lines between them. */
export interface Range {
  readonly least: number;
  readonly most: number;
  readonly ticks: readonly number[];
}

const MOST_TICKS = 5;
const EVERY_HOURS = 3;
/** Units of the drawing from the top to the bottom. */
const HEIGHT = 1_000;
/** What a bar leaves free of its time. */
const GAP = 0.12;
/** A bar of about zero is still seen, and pointed at. */
const LEAST_HEIGHT = 3;

/** The range of prices with round numbers for its lines, and with zero in it. */
export function rangeOf(ores: readonly number[]): Range {
  const [least, most] = [Math.min(0, ...ores), Math.max(1, ...ores)];
  const ticks = ticksOf(least, most, MOST_TICKS);
  // Below zero there are seldom prices: no more room than they take.
  return { least: least * 1.1, most: ticks.at(-1) ?? most, ticks };
}

/**
 * The bars of a day as SVG that takes any width without a second drawing: bars are in units of minutes and stretched, texts are placed
 * by percent and are not.
 */
export function drawBars({ start, end, bars, now, range, label, format }: DayBars): Html {
  const minutes = (end - start) / MINUTE_MS;
  const heightOf = (ore: number) => ((range.most - ore) / (range.most - range.least)) * HEIGHT;
  const zero = heightOf(0);
  const hours = Array.from({ length: (end - start) / HOUR_MS + 1 }, (_, index) => start + index * HOUR_MS);
  const paths = STEPS.map((step) => ({
    step,
    path: bars.filter((bar) => bar.step === step).map((bar) => pathOf(bar, start, { zero, heightOf })),
  })).filter(({ path }) => path.length > 0);
  const nowShare = now === undefined ? 0 : (now.at - start) / (end - start);
  return html`<svg class="bars" role="img" aria-label="${label}">
${range.ticks.map((ore) => {
  const y = percent(heightOf(ore) / HEIGHT);
  return html`<line class="${ore === 0 ? 'bars-zero' : 'bars-line'}" x1="0" x2="100%" y1="${y}" y2="${y}"/><text class="bars-ore" x="-8" y="${y}" dy="4">${format.limit((ore / 100).toFixed(6))}</text>`;
})}
<svg class="bars-in" viewBox="${`0 0 ${minutes} ${HEIGHT}`}" preserveAspectRatio="none">${paths.map(
    ({ step, path }) => html`<path class="${`step-${step}`}" fill="currentcolor" d="${path.join('')}"/>`,
  )}</svg>
${hours
  .filter((at) => at < end && swedishTime(at).hour % EVERY_HOURS === 0)
  .map((at) => {
    const { hour } = swedishTime(at);
    const look = hour % (2 * EVERY_HOURS) === 0 ? 'bars-hour' : 'bars-hour bars-minor';
    return html`<text class="${look}" x="${percent((at - start) / (end - start))}" y="100%" dy="18">${String(hour).padStart(2, '0')}</text>`;
  })}
${
  now === undefined
    ? null
    : html`<line class="bars-now" x1="${percent(nowShare)}" x2="${percent(nowShare)}" y1="-6" y2="100%"/><text class="${nowShare > 0.85 ? 'bars-now-text bars-end' : 'bars-now-text'}" x="${percent(nowShare)}" y="-8">${now.text}</text>`
}
</svg>`;
}

function pathOf(
  bar: Bar,
  start: number,
  { zero, heightOf }: { readonly zero: number; readonly heightOf: (ore: number) => number },
): string {
  const width = (bar.end - bar.start) / MINUTE_MS;
  const x = (bar.start - start) / MINUTE_MS + (width * GAP) / 2;
  const drawn = heightOf(bar.ore);
  const height = Math.max(LEAST_HEIGHT, Math.round(Math.abs(zero - drawn)));
  const top = bar.ore >= 0 ? Math.round(zero) - height : Math.round(zero);
  const tenth = (value: number) => Math.round(value * 10) / 10;
  return `M${tenth(x)} ${top}h${tenth(width * (1 - GAP))}v${height}h${-tenth(width * (1 - GAP))}z`;
}

const STEP_WORDS = translated({
  en: {
    names: ['very low', 'low', 'medium', 'high', 'very high'],
    below: (limit: string) => `below ${limit}`,
    from: (limit: string) => `${limit} or more`,
  },
  sv: {
    names: ['mycket lågt', 'lågt', 'medel', 'högt', 'mycket högt'],
    below: (limit) => `under ${limit}`,
    from: (limit) => `${limit} eller mer`,
  },
});

/** The names of the steps, from cheap to dear. */
export const stepNames = (language: Language): readonly string[] => STEP_WORDS[language].names;

/** What the colours mean in öre; `shown` makes a shown price of a spot price. */
export function stepLegend(language: Language, shown: (spot: string) => string): Html {
  const { below, from, names } = STEP_WORDS[language];
  const format = formatIn(language);
  const limits = STEP_LIMITS.map((limit) => format.limit(shown(String(limit))));
  return html`<ul class="legend steps small">${STEPS.map((step, index) => {
    const [least, most] = [limits[index - 1], limits[index]];
    const span =
      least === undefined ? below(most ?? '') : most === undefined ? from(least) : `${least}–${most}`;
    return html`<li><span class="${`swatch swatch-block step-${step}`}" aria-hidden="true"></span><span><span class="hidden-visually">${names[index]}: </span>${span}</span></li>`;
  })}</ul>`;
}
