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
