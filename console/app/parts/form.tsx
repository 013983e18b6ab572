import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { keepTyped } from '../session.ts';

interface FormProps {
  readonly class?: string;
  /** Whether something is typed in it, which would be lost if the page were reloaded. */
  readonly isTyped: boolean;
  readonly onSubmit: () => void;
  readonly children: ComponentChildren;
}

/** A form that a script submits. The first field with a fault then has the focus, also where the service finds it later. */
export function Form({ class: style = 'stack-small', isTyped, onSubmit, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [, redraw] = useState<unknown>(undefined);
  /** Whether it was submitted, and nothing was found or typed since then. */
  const isSubmitted = useRef(false);
  useEffect(() => (isTyped ? keepTyped() : undefined), [isTyped]);
  useLayoutEffect(() => {
    if (!isSubmitted.current) return;
    const faulty = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    if (faulty == null) return;
    faulty.focus();
    isSubmitted.current = false;
  });
  return (
    <form
      ref={form}
      class={style}
      noValidate
      onInput={() => {
        isSubmitted.current = false;
      }}
      onSubmit={(event) => {
        event.preventDefault();
        isSubmitted.current = true;
        redraw({});
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}
