import { Temporal } from '../../../core/temporal.ts';
import type { ValidationItem } from '../../../http/errors.ts';

type Outcome = { readonly value: string } | { readonly fault: ValidationItem };

const POSTAL_CODE = /^(\d{3})\s?(\d{2})$/;
const PATTERN = '^\\d{5}$';

/** A postal code as people write it, 111 22 or 11122; what is wrong is told as pydantic tells it of five digits. */
export function readPostalCode(name: string, input: string): Outcome {
  const text = input.trim();
  const match = POSTAL_CODE.exec(text);
  if (match !== null) return { value: `${match[1]}${match[2]}` };
  const length = [...text.replaceAll(/\s/g, '')].length;
  const loc = ['query', name];
  if (length < 5) return { fault: tooShort(loc, input, 5) };
  if (length > 5) {
    const msg = 'String should have at most 5 characters';
    return { fault: { type: 'string_too_long', loc, msg, input, ctx: { max_length: 5 } } };
  }
  const msg = `String should match pattern '${PATTERN}'`;
  return { fault: { type: 'string_pattern_mismatch', loc, msg, input, ctx: { pattern: PATTERN } } };
}

/** Text of which so many characters are left without the spaces around it. */
export function readTrimmed(name: string, input: string, least: number): Outcome {
  const value = input.trim();
  return [...value].length < least ? { fault: tooShort(['query', name], input, least) } : { value };
}

function tooShort(loc: readonly string[], input: string, least: number): ValidationItem {
  const msg = `String should have at least ${least} character${least === 1 ? '' : 's'}`;
  return { type: 'string_too_short', loc, msg, input, ctx: { min_length: least } };
}

/** A calendar day; pydantic 2 reads it as the beginning of a moment and tells faults so. */
export function readDay(name: string, input: string): Outcome {
  const error = faultInDay(input);
  if (error === null) return { value: input };
  return {
    fault: {
      type: 'date_from_datetime_parsing',
      loc: ['query', name],
      msg: `Input should be a valid date or datetime, ${error}`,
      input,
      ctx: { error },
    },
  };
}

function faultInDay(text: string): string | null {
  if (text.length < 10) return 'input is too short';
  const digits = (from: number, to: number) => /^\d+$/.test(text.slice(from, to));
  if (!digits(0, 4)) return 'invalid character in year';
  if (text[4] !== '-') return 'invalid date separator, expected `-`';
  if (!digits(5, 7)) return 'invalid character in month';
  if (text[7] !== '-') return 'invalid date separator, expected `-`';
  if (!digits(8, 10)) return 'invalid character in day';
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number);
  if (month < 1 || month > 12) return 'month value is outside expected range of 1-12';
  if (day < 1 || day > Temporal.PlainYearMonth.from({ year, month }).daysInMonth)
    return 'day value is outside expected range';
  return text.length > 10 ? 'unexpected extra characters at the end of the input' : null;
}
