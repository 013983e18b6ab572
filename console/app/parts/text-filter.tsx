import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { Typed } from './typed.ts';

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
