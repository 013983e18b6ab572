import type { ScaleTime } from 'd3-scale';
import type { ComponentChildren } from 'preact';

export interface Pointed {
  /** The moment that is pointed at. */
  readonly at: number | undefined;
  /** Undefined when the pointer leaves. */
  readonly onPoint: (at: number | undefined) => void;
}

interface PlotFrameProps extends Pointed {
  readonly x: ScaleTime<number, number>;
  readonly width: number;
  readonly height: number;
  /** Where the line at what is pointed at begins and ends, px. */
  readonly top: number;
  readonly bottom: number;
  /** The plot in words; undefined where its figure has them. */
  readonly label?: string;
  readonly children: ComponentChildren;
}

/** The drawing of a plot at which one points. What is pointed at beside it is its first or its last moment. */
export function PlotFrame({ x, width, height, top, bottom, label, at, onPoint, children }: PlotFrameProps) {
  const point = ({ clientX, currentTarget }: PointerEvent) => {
    if (!(currentTarget instanceof Element)) return;
    const [left, right] = x.range() as [number, number];
    const place = clientX - currentTarget.getBoundingClientRect().left;
    onPoint(x.invert(Math.min(Math.max(place, left), right)).getTime());
  };
  return (
    <svg
      class="history-plot"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role={label === undefined ? undefined : 'img'}
      aria-label={label}
      onPointerMove={point}
      onPointerDown={point}
      onPointerLeave={() => onPoint(undefined)}
    >
      {children}
      {at === undefined ? null : <line class="plot-at" x1={x(at)} x2={x(at)} y1={top} y2={bottom} />}
    </svg>
  );
}
