interface Plotted {
  /** The scale of the moments, ms since 1970. */
  readonly x: { invert(place: number): Date };
  /** What is pointed at beside the plot is its first or its last moment. */
  readonly from: number;
  readonly to: number;
}

/** The handlers of a plot: `onPoint` gets the moment that is pointed at, and undefined when the pointer leaves. */
export function pointing({ x, from, to }: Plotted, onPoint: (at: number | undefined) => void) {
  const point = ({ clientX, currentTarget }: PointerEvent) => {
    if (!(currentTarget instanceof Element)) return;
    const moment = x.invert(clientX - currentTarget.getBoundingClientRect().left).getTime();
    onPoint(Math.min(Math.max(moment, from), to));
  };
  return { onPointerMove: point, onPointerDown: point, onPointerLeave: () => onPoint(undefined) };
}
