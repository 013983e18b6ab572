import { useEffect, useRef, useState } from 'preact/hooks';
import { count, numberTyped, typedNumber } from '../format.ts';
import { useSearch } from '../route.ts';
import { words } from '../words/index.ts';
import {
  BATTERY_FIELDS,
  FIELDS,
  type FieldName,
  isInRange,
  type Known,
  type Numbers,
  POWER_FIELDS,
  RANGES,
  SETTINGS,
  type Setting,
  USUAL,
} from './car.ts';

const texts = words.planner;

/** The form as it stands. */
export interface Read {
  readonly setting: Setting;
  readonly texts: Readonly<Record<FieldName, string>>;
  /** The faults, by field. */
  readonly faults: Partial<Readonly<Record<FieldName, string>>>;
  /** undefined where a field is wrong. */
  readonly numbers: Numbers | undefined;
  /** Nothing is charged before it. */
  readonly from: number | undefined;
}

/** What was typed; where nothing was, what the device says, else a usual value. */
export function readForm(choices: Choices, known: Known | undefined): Read {
  const setting = SETTINGS.find((one) => one === choices.set) ?? known?.setting ?? 'amperes';
  const given = FIELDS.map(
    (name) => [name, choices[name] ?? typedNumber(known?.numbers[name] ?? USUAL[name])] as const,
  );
  const faults: Partial<Record<FieldName, string>> = {};
  const numbers: Record<FieldName, number> = { ...USUAL };
  const isUsed = new Set<FieldName>([...BATTERY_FIELDS, ...POWER_FIELDS[setting]]);
  for (const [name, text] of given) {
    const value = numberTyped(text);
    if (value !== undefined && isInRange(name, value)) numbers[name] = value;
    else if (isUsed.has(name)) faults[name] = faultOf(name);
  }
  const from = Date.parse(choices.from ?? '');
  return {
    setting,
    texts: Object.fromEntries(given) as Record<FieldName, string>,
    faults,
    numbers: Object.keys(faults).length === 0 ? numbers : undefined,
    from: Number.isNaN(from) ? undefined : from,
  };
}

function faultOf(name: FieldName): string {
  const { least, most, isWhole } = RANGES[name];
  return (isWhole ? texts.wholeFrom : texts.numberFrom)(
    isWhole ? count(least) : typedNumber(least),
    count(most),
  );
}

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
