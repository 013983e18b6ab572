import type { ScaleTime } from 'd3-scale';
import { useRef } from 'preact/hooks';
import { words } from '../words/index.ts';
import { movedBy, nearest } from './slots.ts';

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
export function DeadlineHandle({ at, deadlines, x, bottom, moment, onMove }: DeadlineProps) {
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
