import { AppError } from '../../core/errors.ts';
import { faultInText } from '../../core/json.ts';
import { vendorSlug } from './vendor-slug.ts';

/** A query parameter as text; given twice or unstorable is 400. */
export function queryText(value: unknown, name: string): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw new AppError('request.invalid', `${name} must be given once`);
  const fault = faultInText(value, name);
  if (fault !== null) throw new AppError('request.invalid', fault);
  return value;
}

/** `vendor`: a slug, in whatever case it was written. */
export function queryVendor(value: unknown): string | undefined {
  const text = queryText(value, 'vendor');
  return text === undefined ? undefined : vendorSlug(text);
}

/** `limit`: a whole number from 1 to `most`; `most` when it is not given. */
export function queryLimit(value: unknown, most: number): number {
  const text = queryText(value, 'limit') ?? String(most);
  if (!/^\d{1,6}$/.test(text) || Number(text) < 1 || Number(text) > most) {
    throw new AppError('request.invalid', `limit must be a whole number from 1 to ${most}`);
  }
  return Number(text);
}
