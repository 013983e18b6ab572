import { useId } from 'preact/hooks';

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
