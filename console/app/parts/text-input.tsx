import { useId } from 'preact/hooks';

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

/** A field with its label, and what is wrong in it. */
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
