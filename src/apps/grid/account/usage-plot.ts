import type { Language } from '../../../core/language.ts';
import type { DayOfUsage, Outcomes } from '../../../domain/accounts/index.ts';
import type { Html } from '../../../pages/html.ts';
import { drawPlot } from '../../../pages/plot.ts';
import { dayText, formatCount } from './parts.ts';

/** What ended how, in the order in which the bars are stacked, with the colour of each. */
export const OUTCOMES = [
  { name: 'succeeded', series: 2 },
  { name: 'refused', series: 3 },
  { name: 'failed', series: 4 },
] as const satisfies readonly { readonly name: keyof Outcomes; readonly series: number }[];

export const outcomeOf = ({ connect, grid }: DayOfUsage, name: keyof Outcomes): number =>
  connect[name] + grid[name];

export const callsOf = (day: DayOfUsage): number =>
  OUTCOMES.reduce((sum, { name }) => sum + outcomeOf(day, name), 0);

interface PlotSize {
  readonly width: number;
  readonly height: number;
  /** Days between two labels of the axis. */
  readonly everyDays: number;
}

export const WIDE: PlotSize = { width: 860, height: 280, everyDays: 4 };
export const NARROW: PlotSize = { width: 340, height: 220, everyDays: 7 };

/** A limit so far above what is called would press the bars flat. */
const IN_SIGHT = 4;

export function isLimitInSight(usage: readonly DayOfUsage[], limit: number): boolean {
  return Math.max(...usage.map(callsOf)) * IN_SIGHT >= limit;
}

interface Drawn {
  readonly language: Language;
  /** In a sentence, for who cannot see it. */
  readonly label: string;
  readonly limit: number;
  readonly limitText: string;
  readonly size: PlotSize;
}

/** A bar for each day, with how its calls ended on top of each other, and the day's limit where it is near. */
export function drawUsage(usage: readonly DayOfUsage[], drawn: Drawn): Promise<Html> {
  const { language, label, limit, limitText, size } = drawn;
  const hasLimit = isLimitInSight(usage, limit);
  const top = Math.max(4, ...usage.map(callsOf), hasLimit ? limit : 0) * 1.08;
  const last = usage.length - 1;
  const labelled = usage.filter((_, index) => (last - index) % size.everyDays === 0).map(({ day }) => day);
  return drawPlot(
    (plot) => ({
      width: size.width,
      height: size.height,
      marginTop: 18,
      marginRight: 22,
      marginBottom: 28,
      marginLeft: 8 + 8 * formatCount(Math.round(top), language).length,
      x: { type: 'band', domain: usage.map(({ day }) => day), padding: 0.25 },
      y: { domain: [0, top] },
      marks: [
        plot.gridY({ ticks: 4, stroke: 'var(--line)', strokeOpacity: 1 }),
        plot.axisY({
          ticks: 4,
          tickSize: 0,
          label: null,
          tickFormat: (calls: number) => (Number.isInteger(calls) ? formatCount(calls, language) : ''),
        }),
        plot.axisX({
          ticks: labelled,
          tickSize: 4,
          label: null,
          tickFormat: (day: string) => dayText(day, language),
        }),
        ...OUTCOMES.map(({ name, series }, at) =>
          plot.barY(
            usage.filter((day) => outcomeOf(day, name) > 0),
            {
              x: 'day',
              y1: (day: DayOfUsage) => below(day, at),
              y2: (day: DayOfUsage) => below(day, at + 1),
              fill: `var(--series-${series})`,
            },
          ),
        ),
        plot.ruleY([0], { stroke: 'var(--line-strong)' }),
        ...(hasLimit
          ? [
              plot.ruleY([limit], { stroke: 'var(--ink)', strokeDasharray: '5 4' }),
              plot.text([limit], {
                y: (value: number) => value,
                text: () => limitText,
                frameAnchor: 'right',
                textAnchor: 'end',
                dy: -8,
                fill: 'var(--ink)',
                fontWeight: 600,
              }),
            ]
          : []),
      ],
    }),
    label,
  );
}

/** Calls of a day that ended in one of the first so many ways. */
const below = (day: DayOfUsage, outcomes: number): number =>
  OUTCOMES.slice(0, outcomes).reduce((sum, { name }) => sum + outcomeOf(day, name), 0);
