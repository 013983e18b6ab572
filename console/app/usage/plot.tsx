import { stackedBars } from '../../../src/pages/plot/shapes.ts';
import { count, utcDay } from '../format.ts';
import { words } from '../words/index.ts';
import { callsOf, type DayTotal, OUTCOMES } from './outcomes.ts';

const texts = words.usage;
const HEIGHT = 200;
const TOP = 16;
const BOTTOM = 178;

interface DaysPlotProps {
  readonly days: readonly DayTotal[];
  /** Calls of a day; undefined while it is not known. */
  readonly limit: number | undefined;
}

/** A bar for each day, with how its calls ended on top of each other, and the limit where it is near. */
export function DaysPlot({ days, limit }: DaysPlotProps) {
  const most = days.reduce((best, day) => (callsOf(day) > callsOf(best) ? day : best));
  const total = days.reduce((sum, day) => sum + callsOf(day), 0);
  const values = days.map((day) => OUTCOMES.map(({ name }) => day[name]));
  const plot = stackedBars(values, { top: TOP, bottom: BOTTOM, limit });
  const label = texts.plot(count(total), count(callsOf(most)), utcDay(most.day));
  return (
    <figure class="stack-small">
      <ul class="legend small">
        {OUTCOMES.map(({ name, series }) => (
          <li key={name}>
            <span class={`swatch swatch-block series-${series}`} />
            {texts.outcomes[name]}
          </li>
        ))}
      </ul>
      <div class="days-plot">
        <svg width="100%" height={HEIGHT} role="img" aria-label={label}>
          {plot.ticks.map(({ value, y }) => (
            <g key={value} class={value === 0 ? 'plot-zero' : 'plot-grid'}>
              <line x1="0" x2="100%" y1={y} y2={y} />
              <text x="-8" y={y} dy="0.32em" text-anchor="end">
                {count(value)}
              </text>
            </g>
          ))}
          {days.map((day, index) => {
            const { x, parts, label: below } = plot.bars[index] ?? { x: '0', parts: [] };
            return (
              <g key={day.day}>
                {OUTCOMES.map(({ name, series }, at) => (
                  <rect
                    key={name}
                    class={`plot-bars series-${series}`}
                    {...{ x, width: plot.width, ...parts[at] }}
                  />
                ))}
                {below === undefined ? null : (
                  <text x={below.x} y={HEIGHT - 4} text-anchor={below.anchor}>
                    {utcDay(day.day)}
                  </text>
                )}
                <title>{`${utcDay(day.day)}: ${OUTCOMES.map(({ name }) => `${texts.outcomes[name]} ${count(day[name])}`).join(', ')}`}</title>
              </g>
            );
          })}
          {limit === undefined || plot.limit === undefined ? null : (
            <>
              <line class="plot-limit" x1="0" x2="100%" y1={plot.limit} y2={plot.limit} />
              <text class="plot-limit-text" x="100%" y={plot.limit - 6} text-anchor="end">
                {texts.limitLine(count(limit))}
              </text>
            </>
          )}
        </svg>
      </div>
      <figcaption class="hint">
        {limit !== undefined && plot.limit === undefined ? `${texts.limitAbove(count(limit))} ` : ''}
        {texts.outcomesText}
      </figcaption>
    </figure>
  );
}
