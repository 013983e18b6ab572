import { useId } from 'preact/hooks';

interface RangesProps<N extends string | number> {
  readonly legend: string;
  readonly options: readonly N[];
  readonly texts: { readonly [name in N]: string };
  readonly chosen: N;
  readonly onChoose: (name: N) => void;
}

/** A choice of how much of the past is shown. */
export function Ranges<N extends string | number>(props: RangesProps<N>) {
  const { legend, options, texts, chosen, onChoose } = props;
  const group = useId();
  return (
    <fieldset class="ranges">
      <legend class="hidden-visually">{legend}</legend>
      {options.map((name) => (
        <label key={name} class="range">
          <input type="radio" name={group} checked={name === chosen} onChange={() => onChoose(name)} />
          <span>{texts[name]}</span>
        </label>
      ))}
    </fieldset>
  );
}
