import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { Typed } from './form.tsx';

interface TextInputProps {
  readonly label: string;
  readonly hint?: string;
  readonly text: string;
  readonly fault?: string;
  readonly most: number;
  /** What the keyboard of a phone offers. */
  readonly inputMode?: 'text' | 'url' | 'decimal';
  readonly onInput: (text: string) => void;
}

/** A field with its label and its fault. */
export function TextInput({
  label,
  hint = '',
  text,
  fault = '',
  most,
  inputMode = 'text',
  onInput,
}: TextInputProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        inputMode={inputMode}
        autoComplete="off"
        spellcheck={false}
        maxLength={most}
        value={text}
        aria-invalid={fault !== ''}
        aria-describedby={`${id}-hint`}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <span id={`${id}-hint`} class={fault === '' ? 'hint' : 'fault'}>
        {fault === '' ? hint : fault}
      </span>
    </div>
  );
}

interface SelectInputProps {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  /** Whether its values need the room of two fields. */
  readonly isWide?: boolean;
  readonly onChange: (value: string) => void;
}

/** A choice of one of some values, with its label. */
export function SelectInput({
  label,
  hint = '',
  value,
  options,
  isWide = false,
  onChange,
}: SelectInputProps) {
  const id = useId();
  return (
    <div class={isWide ? 'field field-wide' : 'field'}>
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        aria-describedby={`${id}-hint`}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
      <span id={`${id}-hint`} class="hint">
        {hint}
      </span>
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  /** What stands for no choice. */
  readonly all: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string) => void;
}

/** A filter of several values. */
export function Choice({ label, value, all, options, onChange }: ChoiceProps) {
  const isKnown = value === '' || options.some(([one]) => one === value);
  return (
    <label class="filter">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{all}</option>
        {isKnown ? null : <option value={value}>{value.slice(0, 40)}</option>}
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

const LONGEST = 200;

/** The filters of a list. */
export function Filters({ children }: { readonly children: ComponentChildren }) {
  return (
    <search>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        {children}
      </form>
    </search>
  );
}

interface TextFilterProps {
  readonly label: string;
  readonly hint?: string;
  readonly typed: Typed;
  /** Whether it searches for words, and has the room for them. */
  readonly isSearch?: boolean;
}

/** A filter of a list by a text. */
export function TextFilter({ label, hint = '', typed: [text, setText], isSearch = false }: TextFilterProps) {
  const id = useId();
  const input = {
    id,
    value: text,
    placeholder: hint,
    autoComplete: 'off',
    maxLength: LONGEST,
    onInput: (event: InputEvent & { readonly currentTarget: HTMLInputElement }) =>
      setText(event.currentTarget.value),
  } as const;
  return (
    <label for={id} class={isSearch ? 'filter filter-wide' : 'filter'}>
      <span>{label}</span>
      {isSearch ? <input type="search" {...input} /> : <input type="text" {...input} />}
    </label>
  );
}

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
