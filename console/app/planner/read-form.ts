import { count, numberTyped, typedNumber } from '../format.ts';
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
import type { Choices } from './choices.ts';

const texts = words.planner;

/** The form as it stands. */
export interface Read {
  readonly setting: Setting;
  readonly texts: Readonly<Record<FieldName, string>>;
  /** What is wrong, by field. */
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
