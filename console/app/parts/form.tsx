import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Refused } from '../api/call.ts';
import { keepTyped } from '../session.ts';

/** The field that a refusal names first; undefined where it names none of these. */
export function fieldOf<F extends string>(error: Refused, fields: readonly F[]): F | undefined {
  if (error.code !== 'request.invalid') return undefined;
  const [, named] = /^(?:body\.)?(\w+) /.exec(error.message) ?? [];
  return fields.find((field) => field === named);
}

const TYPING_MS = 300;

export type Typed = readonly [text: string, setText: (text: string) => void];

/** A text that is shown as it is typed, and handed on when typing rests. */
export function useTyped(given: string, onRest: (text: string) => void): Typed {
  const [text, setText] = useState(given);
  const handedOn = useRef(given);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  // One step back leads to another address. The passed value may be older than the typed one.
  useLayoutEffect(() => {
    if (given === handedOn.current) return;
    handedOn.current = given;
    clearTimeout(timer.current);
    setText(given);
  }, [given]);
  return [
    text,
    (typed) => {
      setText(typed);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        handedOn.current = typed.trim();
        onRest(typed.trim());
      }, TYPING_MS);
    },
  ];
}

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
