import { scaleLinear, scaleTime } from 'd3-scale';
import { useMemo } from 'preact/hooks';
import { barsOf, extentOf, stepsOf } from '../../../src/pages/plot/shapes.ts';
import type { History, LoggedEvent } from '../api/shapes.ts';
import { TimeAxis, VALUE_TICKS, ValueAxis } from '../plot/axes.tsx';
import { PlotFrame, type Pointed } from '../plot/frame.tsx';
import { words } from '../words/index.ts';
import { describeCommand } from './commands.ts';
import type { Panel } from './panels.ts';

const HEIGHT = 150;
export const MARGIN = { top: 12, right: 8, bottom: 22, left: 62 };

interface PlotProps extends Pointed {
  readonly panel: Panel;
  readonly history: Pick<History, 'points' | 'gaps'>;
  readonly from: number;
  readonly to: number;
  /** px */
  readonly width: number;
  readonly tick: (at: Date) => string;
  readonly commands: readonly LoggedEvent[];
}

/** One plot of a history. */
export function Plot({ panel, history, from, to, width, tick, commands, at, onPoint }: PlotProps) {
  const drawn = useMemo(
    () => draw({ panel, history, from, to, width, tick }),
    [panel, history, from, to, width, tick],
  );
  if (drawn === undefined) return <p class="soft small">{words.history.empty}</p>;
  const { x, label } = drawn;
  return (
    <PlotFrame
      {...{ x, width, label, at, onPoint }}
      height={HEIGHT}
      top={MARGIN.top}
      bottom={HEIGHT - MARGIN.bottom}
    >
      {drawn.back}
      {commands.map((event) => {
        const place = x(Date.parse(event.occurred_at));
        const { command } = event.data as { command: { type: string } };
        return (
          <path key={event.id} class="plot-command" d={`M${place.toFixed(1)},0v${MARGIN.top}`}>
            <title>{describeCommand(command)}</title>
          </path>
        );
      })}
    </PlotFrame>
  );
}

type Drawing = Pick<PlotProps, 'panel' | 'history' | 'from' | 'to' | 'width' | 'tick'>;

/** All of a plot that does not follow the pointer. */
function draw({ panel, history, from, to, width, tick }: Drawing) {
  const { points, gaps } = history;
  const extent = extentOf(points, panel.fields);
  if (extent === undefined) return undefined;
  const [least, most] = [
    Math.min(extent[0], panel.domain?.[0] ?? extent[0]),
    Math.max(extent[1], panel.domain?.[1] ?? extent[1]),
  ];
  const room = most === least ? panel.tick : 0;
  const x = scaleTime()
    .domain([from, to])
    .range([MARGIN.left, width - MARGIN.right]);
  const y = scaleLinear()
    .domain([least - room, most + room])
    .nice(VALUE_TICKS)
    .range([HEIGHT - MARGIN.bottom, MARGIN.top]);
  const scales = { x, y };
  const bottom = HEIGHT - MARGIN.bottom;
  const back = (
    <>
      {gaps.map((gap) => {
        const left = Math.max(x(Date.parse(gap.from)), MARGIN.left);
        const right = Math.min(x(Date.parse(gap.to)), width - MARGIN.right);
        return right <= left ? null : (
          <rect
            key={gap.from}
            class="plot-gap"
            x={left.toFixed(1)}
            y={MARGIN.top}
            width={(right - left).toFixed(1)}
            height={bottom - MARGIN.top}
          />
        );
      })}
      <ValueAxis scale={y} left={MARGIN.left} right={width - MARGIN.right} format={panel.format} />
      <TimeAxis scale={x} left={MARGIN.left} width={width} y={HEIGHT - 4} tick={tick} />
      {panel.fields.map((field, index) => {
        const series = `series-${field === 'production_w' ? 5 : index + 2}`;
        if (panel.kind === 'bars')
          return <path key={field} class={`plot-bars ${series}`} d={barsOf(points, field, scales)} />;
        const { line, area } = stepsOf(points, field, scales);
        return (
          <g key={field} class={series}>
            {panel.kind === 'area' ? <path class="plot-area" d={area} /> : null}
            <path class="plot-line" d={line} />
          </g>
        );
      })}
    </>
  );
  const label = words.history.describe(panel.title, panel.format(extent[0]), panel.format(extent[1]));
  return { x, back, label };
}
