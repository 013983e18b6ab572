import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

const TYPING_MS = 300;

export type Typed = readonly [text: string, setText: (text: string) => void];

/** A text that is shown as it is typed, and handed on when typing rests. */
export function useTyped(given: string, onRest: (text: string) => void): Typed {
  const [text, setText] = useState(given);
  const handedOn = useRef(given);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  // One step back leads to another address. What was handed on may be older than what is typed now.
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
