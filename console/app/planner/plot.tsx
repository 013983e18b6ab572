import { type ScaleTime, scaleLinear, scaleTime } from 'd3-scale';
import { useMemo, useRef } from 'preact/hooks';
import { barsOf, extentOf, stepsOf, valueAt } from '../../../src/pages/plot/shapes.ts';
import { now } from '../clock.ts';
import { dayOrTime, ore, orePerKwh, power } from '../format.ts';
import { TimeAxis, ValueAxis } from '../plot/axes.tsx';
import { PlotFrame, type Pointed } from '../plot/frame.tsx';
import { words } from '../words/index.ts';
import { chargingOf, type PlanPoint } from './points.ts';
import { deadlinesOf, movedBy, nearest, type Slot } from './slots.ts';

const texts = words.planner;
/** px; large enough for a finger. */
const GRIP = 44;

interface DeadlineProps {
  readonly at: number;
  /** The deadlines that can be chosen, in order. */
  readonly deadlines: readonly number[];
  readonly x: ScaleTime<number, number>;
  /** Where its line ends, px. */
  readonly bottom: number;
  readonly moment: (at: number) => string;
  readonly onMove: (at: number) => void;
}

/** The deadline in a plot: a slider that is dragged, or moved by keys. */
function DeadlineHandle({ at, deadlines, x, bottom, moment, onMove }: DeadlineProps) {
  // Where in the handle it is held, so that it does not jump when it is taken.
  const heldAt = useRef<number | undefined>(undefined);
  // Keys may be faster than drawing.
  const newest = useRef(at);
  newest.current = at;
  const move = (to: number) => {
    newest.current = to;
    onMove(to);
  };
  const place = x(at);
  const drag = ({ clientX, currentTarget }: PointerEvent) => {
    if (heldAt.current === undefined || !(currentTarget instanceof SVGElement)) return;
    const left = currentTarget.ownerSVGElement?.getBoundingClientRect().left ?? 0;
    move(nearest(x.invert(clientX - left - heldAt.current).getTime(), deadlines));
  };
  return (
    <g
      class="plan-deadline"
      role="slider"
      // SVG keeps the case of attributes: tabIndex would be another one, without effect.
      tabindex={0}
      transform={`translate(${place.toFixed(1)},0)`}
      aria-label={texts.deadline}
      aria-orientation="horizontal"
      aria-valuemin={0}
      aria-valuemax={deadlines.length - 1}
      aria-valuenow={Math.max(
        0,
        deadlines.findLastIndex((one) => one <= at),
      )}
      aria-valuetext={moment(at)}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        const left = event.currentTarget.ownerSVGElement?.getBoundingClientRect().left ?? 0;
        heldAt.current = event.clientX - left - place;
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={drag}
      onPointerUp={() => {
        heldAt.current = undefined;
      }}
      onPointerCancel={() => {
        heldAt.current = undefined;
      }}
      onKeyDown={(event) => {
        if (event.altKey || event.ctrlKey || event.metaKey) return;
        const to = movedBy(event.key, newest.current, deadlines);
        if (to === undefined) return;
        event.preventDefault();
        move(to);
      }}
    >
      <rect class="plan-hit" x={-GRIP / 2} y={0} width={GRIP} height={GRIP} />
      <rect class="plan-hit" x={-12} y={0} width={24} height={bottom} />
      <line y1={GRIP / 2} y2={bottom} />
      <rect class="plan-grip" x={-11} y={6} width={22} height={32} rx={6} />
      <path class="plan-grip-lines" d="M-4,16v12M0,16v12M4,16v12" />
    </g>
  );
}

const plotTexts = words.planner;
const MARGIN = { left: 62, right: 24 };
/** px from the top: the handle, the prices, the power, the time. */
const PRICES = { top: 48, bottom: 218 };
const POWER = { top: 248, bottom: 318 };
const HEIGHT = 342;
const POWER_TICKS = 2;

interface PlanPlotProps extends Pointed {
  readonly slots: readonly Slot[];
  /** The slots with what is planned in them. */
  readonly points: readonly PlanPoint[];
  readonly width: number;
  /** Nothing is charged before it. */
  readonly from: number;
  readonly deadline: number;
  readonly moment: (at: number) => string;
  readonly onDeadline: (at: number) => void;
}

/** Prices, and below them what is planned, with the deadline to be moved. */
export function PlanPlot(props: PlanPlotProps) {
  const { slots, points, width, from, deadline, at, moment, onPoint, onDeadline } = props;
  const prices = useMemo(() => drawPrices(slots, width), [slots, width]);
  const plan = useMemo(() => drawPlan(points, prices), [points, prices]);
  const deadlines = useMemo(() => deadlinesOf(slots), [slots]);
  const { x, start, end } = prices;
  // The clock of the browser may be ahead of what is known.
  const present = Math.min(Math.max(now(), start), slots[0]?.end ?? start);
  return (
    <PlotFrame {...{ x, width, at, onPoint }} height={HEIGHT} top={PRICES.top} bottom={POWER.bottom}>
      {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: a group of lines takes no focus */}
      <g aria-hidden="true">
        <Unused from={x(start)} to={x(Math.min(Math.max(from, start), end))} />
        <Unused from={x(Math.min(Math.max(deadline, start), end))} to={x(end)} />
        {prices.back}
        {plan}
        <g class="plan-now">
          <line x1={x(present)} x2={x(present)} y1={PRICES.top - 10} y2={POWER.bottom} />
          <text x={x(present)} y={PRICES.top - 16}>
            {plotTexts.now}
          </text>
        </g>
      </g>
      <DeadlineHandle
        at={Math.min(Math.max(deadline, deadlines[0] ?? deadline), end)}
        {...{ deadlines, x, moment }}
        bottom={POWER.bottom}
        onMove={onDeadline}
      />
    </PlotFrame>
  );
}

/** A time in which nothing is charged. */
function Unused({ from, to }: { readonly from: number; readonly to: number }) {
  if (to <= from) return null;
  const [x, width] = [from.toFixed(1), (to - from).toFixed(1)];
  return (
    <>
      <rect class="plot-gap" x={x} y={PRICES.top} width={width} height={PRICES.bottom - PRICES.top} />
      <rect class="plot-gap" x={x} y={POWER.top} width={width} height={POWER.bottom - POWER.top} />
    </>
  );
}

/** What follows from the prices alone. */
function drawPrices(slots: readonly Slot[], width: number) {
  const start = slots[0]?.start ?? 0;
  const end = slots.at(-1)?.end ?? start + 1;
  const right = width - MARGIN.right;
  const priced = slots.map((slot) => ({
    start: new Date(slot.start).toISOString(),
    end: new Date(slot.end).toISOString(),
    ore: Number(slot.price) * 100,
  }));
  const [least, most] = extentOf(priced, ['ore']) ?? [0, 1];
  const x = scaleTime().domain([start, end]).range([MARGIN.left, right]);
  const y = scaleLinear()
    .domain([Math.min(0, least), Math.max(1, most)])
    .nice(4)
    .range([PRICES.bottom, PRICES.top]);
  const { line, area } = stepsOf(priced, 'ore', { x, y });
  const back = (
    <>
      <ValueAxis scale={y} left={MARGIN.left} right={right} format={ore} />
      <TimeAxis scale={x} left={MARGIN.left} width={width} y={HEIGHT - 6} tick={dayOrTime} />
      <g class="series-6">
        <path class="plot-area" d={area} />
        <path class="plot-line" d={line} />
      </g>
    </>
  );
  return { x, y, start, end, right, back };
}

/** What is planned: the prices at which it charges, and its power. */
function drawPlan(points: readonly PlanPoint[], { x, y, right }: ReturnType<typeof drawPrices>) {
  const [, most] = extentOf(points, ['power_w']) ?? [0, 0];
  const powers = scaleLinear()
    .domain([0, Math.max(most, 1_000)])
    .nice(POWER_TICKS)
    .range([POWER.bottom, POWER.top]);
  const charging = chargingOf(points);
  return (
    <>
      <ValueAxis
        scale={powers}
        left={MARGIN.left}
        right={right}
        ticks={POWER_TICKS}
        format={(value) => power(value)}
      />
      <path class="plan-charging series-2" d={stepsOf(charging, 'ore', { x, y }).area} />
      <path class="plot-bars series-2" d={barsOf(points, 'power_w', { x, y: powers })} />
    </>
  );
}

/** What a point has, in words. */
export function readOut(point: PlanPoint | undefined): string {
  const price = valueAt(point, 'ore');
  const watts = valueAt(point, 'power_w');
  if (price === undefined) return words.history.nothingKnown;
  return [
    orePerKwh(price),
    ...(watts === undefined ? [] : [watts === 0 ? plotTexts.off : power(watts)]),
  ].join(' · ');
}
