import { useEffect, useState } from 'preact/hooks';

const TYPING_MS = 300;

export type Typed = readonly [text: string, setText: (text: string) => void];

/** A text that is shown as it is typed, and handed on when typing rests. */
export function useTyped(given: string, onRest: (text: string) => void): Typed {
  const [text, setText] = useState(given);
  useEffect(() => {
    if (text.trim() === given) return;
    const timer = setTimeout(() => onRest(text.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  // One step back leads to another address.
  useEffect(() => {
    if (text.trim() !== given) setText(given);
  }, [given]);
  return [text, setText];
}
