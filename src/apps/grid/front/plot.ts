import { HOUR_MS } from '../../../core/durations.ts';
import { swedishTime } from '../../../core/swedish-days.ts';
import type { PricedDay } from '../../../domain/prices/index.ts';
import type { Html } from '../../../pages/html.ts';
import { drawPlot } from '../../../pages/plot.ts';
import { PRICE_AREAS, type PriceArea } from '../../../sources/contract/market.ts';
import type { Format } from './format.ts';

/** Which of the series colours an area has, in the curves, the cards and on the map. */
export const seriesOf = (area: PriceArea): number => PRICE_AREAS.indexOf(area) + 1;

/** Days next to each other that are drawn together. */
export interface CurvePlot {
  readonly days: readonly PricedDay[];
  /** What stands above each day, by its start. */
  readonly headings: ReadonlyMap<number, string>;
  /** Where time is now; undefined where it is not in these days. */
  readonly now: { readonly at: number; readonly text: string } | undefined;
  readonly size: PlotSize;
  /** Least and largest öre of what stands beside each other. */
  readonly range: readonly [number, number];
  /** What the figures at the left are. */
  readonly unit: string;
  readonly label: string;
  readonly format: Format;
}

export interface PlotSize {
  readonly width: number;
  readonly height: number;
  /** Hours between two labels of the time axis. */
  readonly everyHours: number;
  readonly isLabelled: boolean;
}

const MARGINS = { top: 50, bottom: 28, left: 46, right: 12 } as const;
const LABELS_WIDTH = 40;
const LABEL_HEIGHT = 15;

export const WIDE: PlotSize = { width: 1_120, height: 400, everyHours: 3, isLabelled: true };
export const NARROW: PlotSize = { width: 344, height: 276, everyHours: 6, isLabelled: true };

/** Where a plot begins and ends from left to right, in its own units; the browser's script reads values off by it. */
export const sidesOf = ({ width, isLabelled }: PlotSize) => ({
  left: MARGINS.left,
  right: width - MARGINS.right - (isLabelled ? LABELS_WIDTH : 0),
});

/** Öre as a number, to be drawn. */
export const oreOf = (sek: string): number => Math.round(Number(sek) * 100_000) / 1_000;

/** Least and largest öre of days, with 0 between them. */
export function rangeOf(days: readonly PricedDay[]): readonly [number, number] {
  const values = days.flatMap(({ slots }) => slots.map(({ price }) => oreOf(price)));
  const [least, most] = [Math.min(0, ...values), Math.max(1, ...values)];
  const room = (most - least) * 0.04;
  return [least === 0 ? 0 : least - room, most + room];
}

interface Point {
  readonly at: number;
  readonly ore: number;
}

/** Step curves of the four areas over the time of the days. */
export function drawCurves(of: CurvePlot): Promise<Html> {
  const { days, headings, now, size, range, format } = of;
  const start = Math.min(...days.map((day) => day.start));
  const end = Math.max(...days.map((day) => day.end));
  const { left, right } = sidesOf(size);
  const series = PRICE_AREAS.map((area) => ({
    area,
    points: days.filter((day) => day.area === area).flatMap(pointsOf),
  })).filter(({ points }) => points.length > 0);
  const hours = Array.from({ length: (end - start) / HOUR_MS + 1 }, (_, index) => start + index * HOUR_MS);
  const ticks = hours.filter((at) => swedishTime(at).hour % size.everyHours === 0);
  const starts = [...headings].map(([at, text]) => ({ at, text }));
  return drawPlot(
    (plot) => ({
      width: size.width,
      height: size.height,
      marginTop: MARGINS.top,
      marginBottom: MARGINS.bottom,
      marginLeft: left,
      marginRight: size.width - right,
      x: { type: 'linear', domain: [start, end] },
      y: { domain: [...range] },
      marks: [
        plot.gridY({ ticks: 5, stroke: 'var(--line)', strokeOpacity: 1 }),
        plot.axisY({ ticks: 5, tickSize: 0, label: null, tickFormat: (ore: number) => tick(ore, format) }),
        plot.axisX(ticks, {
          label: null,
          tickSize: 4,
          tickFormat: (at: number) => String(swedishTime(at).hour).padStart(2, '0'),
        }),
        plot.ruleX(
          starts.filter(({ at }) => at > start),
          { x: 'at', stroke: 'var(--line-strong)', strokeDasharray: '2 4', insetTop: -36 },
        ),
        plot.text(starts, {
          x: 'at',
          text: 'text',
          frameAnchor: 'top',
          textAnchor: 'start',
          dx: 6,
          dy: -42,
          fill: 'var(--ink)',
          fontWeight: 600,
        }),
        plot.text([of.unit], {
          frameAnchor: 'top-left',
          textAnchor: 'start',
          dx: 4 - left,
          dy: -22,
          fill: 'var(--ink-soft)',
        }),
        plot.ruleY([0], { stroke: 'var(--line-strong)' }),
        ...(now === undefined ? [] : nowMarks(plot, now, now.at > start + (end - start) * 0.85)),
        ...series.map(({ area, points }) =>
          plot.line(points, {
            x: 'at',
            y: 'ore',
            curve: 'step-after',
            stroke: `var(--series-${seriesOf(area)})`,
            strokeWidth: size.width > 500 ? 2 : 1.75,
            strokeLinejoin: 'round',
          }),
        ),
        ...labelsOf(series, { size, range }).map(({ area, at, ore, dy }) =>
          plot.text([{ at, ore, area }], {
            x: 'at',
            y: 'ore',
            text: 'area',
            textAnchor: 'start',
            dx: 6,
            dy,
            fill: `var(--series-${seriesOf(area)})`,
            fontWeight: 600,
          }),
        ),
      ],
    }),
    of.label,
  );
}

function nowMarks(
  plot: typeof import('@observablehq/plot'),
  { at, text }: { readonly at: number; readonly text: string },
  isAtTheEnd: boolean,
) {
  return [
    plot.ruleX([at], { stroke: 'var(--ink)', strokeWidth: 1.5, insetTop: -8 }),
    plot.text([{ at, text }], {
      x: 'at',
      text: 'text',
      frameAnchor: 'top',
      textAnchor: isAtTheEnd ? 'end' : 'start',
      dx: isAtTheEnd ? -5 : 5,
      dy: -14,
      fill: 'var(--ink)',
    }),
  ];
}

/** Prices of less than ten öre have ticks between whole ones. */
function tick(ore: number, format: Format): string {
  return Number.isInteger(ore) ? format.whole(ore) : format.ore((ore / 100).toFixed(5));
}

/** Starts of the slots, and the end of the last one, up to which a step reaches. */
function pointsOf({ slots }: PricedDay): Point[] {
  const points = slots
    .filter(({ price }, index) => index === 0 || slots[index - 1]?.price !== price)
    .map(({ start, price }) => ({ at: start, ore: oreOf(price) }));
  const last = slots.at(-1);
  return last === undefined ? [] : [...points, { at: last.end, ore: oreOf(last.price) }];
}

interface Series {
  readonly area: PriceArea;
  readonly points: readonly Point[];
}

/** Names at the ends of the curves, moved apart where they would lie on each other. */
function labelsOf(
  series: readonly Series[],
  { size, range }: { readonly size: PlotSize; readonly range: readonly [number, number] },
) {
  if (!size.isLabelled) return [];
  const scale = (size.height - MARGINS.top - MARGINS.bottom) / (range[1] - range[0]);
  const ends = series
    .flatMap(({ area, points }) => {
      const end = points.at(-1);
      return end === undefined ? [] : [{ area, ...end, y: (range[1] - end.ore) * scale }];
    })
    .toSorted((a, b) => a.y - b.y);
  const ys: number[] = [];
  for (const { y } of ends) ys.push(Math.max(y, (ys.at(-1) ?? Number.NEGATIVE_INFINITY) + LABEL_HEIGHT));
  // What was pushed out below goes back up, and pushes in turn.
  let floor = size.height - MARGINS.top - MARGINS.bottom;
  for (let index = ys.length - 1; index >= 0; index -= 1) {
    ys[index] = Math.min(ys[index] ?? 0, floor);
    floor = (ys[index] ?? 0) - LABEL_HEIGHT;
  }
  return ends.map(({ y, ...end }, index) => ({ ...end, dy: (ys[index] ?? y) - y }));
}
