import type { ScaleLinear, ScaleTime } from 'd3-scale';

const PX_PER_TICK = 90;
const PX_PER_LETTER = 7;
/** Lines of a scale of values, about. */
export const VALUE_TICKS = 4;

interface ValueAxisProps {
  readonly scale: ScaleLinear<number, number>;
  readonly left: number;
  readonly right: number;
  readonly ticks?: number;
  readonly format: (value: number) => string;
}

/** Lines across a plot, with their values at the left. */
export function ValueAxis({ scale, left, right, ticks = VALUE_TICKS, format }: ValueAxisProps) {
  return (
    <>
      {scale.ticks(ticks).map((value) => (
        <g key={value} class={value === 0 ? 'plot-zero' : 'plot-grid'}>
          <line x1={left} x2={right} y1={scale(value)} y2={scale(value)} />
          <text x={left - 8} y={scale(value)} dy="0.32em" text-anchor="end">
            {format(value)}
          </text>
        </g>
      ))}
    </>
  );
}

interface TimeAxisProps {
  readonly scale: ScaleTime<number, number>;
  readonly left: number;
  /** The width of the plot, and where the texts stand, px. */
  readonly width: number;
  readonly y: number;
  readonly tick: (at: Date) => string;
}

/** Moments below a plot. */
export function TimeAxis({ scale, left, width, y, tick }: TimeAxisProps) {
  return (
    <>
      {scale.ticks(Math.max(2, Math.floor((width - left) / PX_PER_TICK))).map((value) => {
        const text = tick(value);
        // One at the right edge is moved no further than it must be: the one before it is near.
        const x = Math.min(scale(value), width - (text.length * PX_PER_LETTER) / 2);
        return (
          <text key={value.getTime()} x={x} y={y} text-anchor="middle">
            {text}
          </text>
        );
      })}
    </>
  );
}
