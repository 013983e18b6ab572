import { AppError } from '../../core/errors.ts';

export function isWhole(value: unknown, least: number, most: number): value is number {
  return Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;
}

export function mustBe(least: number, most: number, got: unknown): string {
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  return `must be a whole number ${range}, not ${describeValue(got)}`;
}

/** Describes a given value by its kind; text is not repeated. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return 'text';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

export function invalid(sentence: string): AppError {
  return new AppError('request.invalid', sentence);
}
