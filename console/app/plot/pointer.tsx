import { useId } from 'preact/hooks';
import { words } from '../words/index.ts';

interface PointerProps {
  readonly from: number;
  readonly to: number;
  readonly steps: number;
  /** The moment that is pointed at. */
  readonly at: number | undefined;
  /** Where it stands while nothing is pointed at. */
  readonly rest: number;
  readonly moment: (at: number) => string;
  /** What a plot has at a moment, in words. */
  readonly said: (at: number) => string;
  readonly onPoint: (at: number) => void;
}

/** The keyboard's way into plots. */
export function Pointer({ from, to, steps, at, rest, moment, said, onPoint }: PointerProps) {
  const id = useId();
  const shown = at ?? rest;
  return (
    <div class="pointer">
      <label for={id} class="small soft">
        {words.history.pointer}
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={steps}
        value={Math.round(((shown - from) / (to - from)) * steps)}
        aria-valuetext={`${moment(shown)}, ${said(shown)}`}
        onInput={(event) => onPoint(from + (Number(event.currentTarget.value) / steps) * (to - from))}
      />
      <output for={id} class="small number">
        {at === undefined ? '' : moment(at)}
      </output>
    </div>
  );
}
