import { useEffect, useRef, useState } from 'preact/hooks';
import { useSearch } from '../route.ts';
import { FIELDS } from './car.ts';

/** What the address keeps: the area, the car and the times, as they were chosen or typed. */
const NAMES = ['area', 'vendor', 'device', 'set', 'by', 'from', ...FIELDS] as const;
type Name = (typeof NAMES)[number];
export type Choices = Readonly<Partial<Record<Name, string | undefined>>>;

/** Moving a deadline changes it with every frame, and browsers refuse an address that changes so often. */
const REST_MS = 300;
const LONGEST = 200;

/** No choice is other than what is known or usual. A new car has nothing of the one before it. */
export const FORGOTTEN: Choices = Object.fromEntries(
  (['set', ...FIELDS] as const).map((name) => [name, undefined]),
);

/** What has been chosen, and how that is changed; the address follows when changes rest. */
export function useChoices(): readonly [Choices, (changes: Choices) => void] {
  const [search, setSearch] = useSearch();
  const given = choicesIn(search);
  const [own, setOwn] = useState(given);
  const written = useRef(textOf(given));
  useEffect(() => {
    // Another address, such as that of the link to this page.
    if (textOf(given) === written.current) return;
    written.current = textOf(given);
    setOwn(given);
  }, [textOf(given)]);
  useEffect(() => {
    const text = textOf(own);
    if (text === written.current) return;
    const timer = setTimeout(() => {
      written.current = text;
      setSearch(Object.fromEntries(NAMES.map((name) => [name, own[name] ?? ''])));
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [own]);
  return [own, (changes) => setOwn((before) => ({ ...before, ...changes }))];
}

const choicesIn = (search: URLSearchParams): Choices =>
  Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = search.get(name) ?? '';
      return value === '' || value.length > LONGEST ? [] : [[name, value]];
    }),
  );

const textOf = (choices: Choices): string => JSON.stringify(NAMES.map((name) => choices[name] ?? ''));
