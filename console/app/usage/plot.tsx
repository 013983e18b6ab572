import { scaleLinear } from 'd3-scale';
import { count, utcDay } from '../format.ts';
import { words } from '../words/index.ts';
import { callsOf, type DayTotal, OUTCOMES } from './outcomes.ts';

const texts = words.usage;
const HEIGHT = 200;
const TOP = 12;
const BOTTOM = 178;
const TICKS = 4;
/** Of the room of a day, what its bar takes. */
const BAR = 0.75;
/** Labels below at most, so that they fit on a phone. */
const MOST_LABELS = 4;
const percent = (share: number) => `${(share * 100).toFixed(3)}%`;

/** A bar for each day, with how its calls ended on top of each other. Widths are in percent: one drawing fits every page. */
export function DaysPlot({ days }: { readonly days: readonly DayTotal[] }) {
  const most = days.reduce((best, day) => (callsOf(day) > callsOf(best) ? day : best));
  const total = days.reduce((sum, day) => sum + callsOf(day), 0);
  const y = scaleLinear()
    .domain([0, Math.max(TICKS, callsOf(most))])
    .nice(TICKS)
    .range([BOTTOM, TOP]);
  const width = 1 / days.length;
  const every = Math.ceil(days.length / MOST_LABELS);
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
        <svg class="history-plot" width="100%" height={HEIGHT} role="img" aria-label={label}>
          {y
            .ticks(TICKS)
            .filter(Number.isInteger)
            .map((value) => (
              <g key={value} class={value === 0 ? 'plot-zero' : 'plot-grid'}>
                <line x1="0" x2="100%" y1={y(value)} y2={y(value)} />
                <text x="-8" y={y(value)} dy="0.32em" text-anchor="end">
                  {count(value)}
                </text>
              </g>
            ))}
          {days.map((day, index) => (
            <g key={day.day}>
              {stackOf(day).map(({ name, series, from, to }) => (
                <rect
                  key={name}
                  class={`plot-bars series-${series}`}
                  x={percent((index + (1 - BAR) / 2) * width)}
                  width={percent(BAR * width)}
                  y={y(to)}
                  height={y(from) - y(to)}
                />
              ))}
              {(days.length - 1 - index) % every === 0 ? (
                <text
                  x={percent((index + (index === days.length - 1 ? 1 : 0.5)) * width)}
                  y={HEIGHT - 4}
                  text-anchor={index === days.length - 1 ? 'end' : 'middle'}
                >
                  {utcDay(day.day)}
                </text>
              ) : null}
              <title>{`${utcDay(day.day)}: ${OUTCOMES.map(({ name }) => `${texts.outcomes[name]} ${count(day[name])}`).join(', ')}`}</title>
            </g>
          ))}
        </svg>
      </div>
      <figcaption class="hint">{texts.outcomesText}</figcaption>
    </figure>
  );
}

/** The parts of the bar of a day that are not empty, from below. */
function stackOf(day: DayTotal) {
  let from = 0;
  return OUTCOMES.map(({ name, series }) => {
    const part = { name, series, from, to: from + day[name] };
    from = part.to;
    return part;
  }).filter((part) => part.to > part.from);
}
