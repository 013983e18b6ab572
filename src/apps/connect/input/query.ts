import Type, { type Static, type TObject, type TSchema } from 'typebox';
import { rfc3339 } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import { faultInText } from '../../../core/json.ts';
import { vendorSlug } from './vendor-slug.ts';

/** The keywords of a parameter's schema that are judged here. */
interface ParameterSchema {
  readonly type?: 'string' | 'integer';
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly format?: 'date' | 'date-time';
}

/** `limit` of a list; `most` where it is not given. */
export const limitParameter = (most: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: most, default: most }));

/** `vendor` beside a device's id. */
export const OfVendor = Type.Object({
  vendor: Type.Optional(
    Type.String({ description: 'Needed only if two vendors have a device with this id' }),
  ),
});

/**
 * Reads the parameters that a schema of optional ones declares, and ignores others. One that is given twice, that no store can
 * hold, or that does not fit throws `request.invalid`, which names it and says what would be right.
 */
export function readQuery<S extends TObject>(schema: S, query: unknown): Static<S> {
  const given = query as Readonly<Record<string, unknown>>;
  const read: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries<TSchema>(schema.properties)) {
    const value = given[name];
    if (value !== undefined) read[name] = readText(textOf(value, name), { name, parameter });
  }
  // Every parameter was read by its own schema.
  return read as Static<S>;
}

/** The vendor that a device's id is to be taken of: a slug, in whatever case it was written. */
export function vendorIn(query: unknown): string | undefined {
  const { vendor } = readQuery(OfVendor, query);
  return vendor === undefined ? undefined : vendorSlug(vendor);
}

function textOf(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new AppError('request.invalid', `${name} must be given once`);
  const fault = faultInText(value, name);
  if (fault !== null) throw new AppError('request.invalid', fault);
  return value;
}

function readText(
  text: string,
  { name, parameter }: { readonly name: string; readonly parameter: ParameterSchema },
): string | number {
  const { type, format, enum: choices, minimum = 0, maximum = 999_999 } = parameter;
  if (choices !== undefined && !choices.includes(text))
    throw new AppError('request.invalid', `${name} must be one of ${choices.join(', ')}`);
  if (type === 'integer') {
    const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    throw new AppError('request.invalid', `${name} must be a whole number from ${minimum} to ${maximum}`);
  }
  if (format === 'date-time' && !(/^\d{4}-\d\d-\d\dT/.test(text) && Number.isFinite(Date.parse(text))))
    throw new AppError('request.invalid', `${name} must be a time such as 2026-11-21T09:00:00Z`);
  if (format === 'date' && !isDay(text))
    throw new AppError('request.invalid', `${name} must be a day such as 2026-11-21`);
  return text;
}

/** A calendar day since 1970; `Date.parse` takes 30 February for 2 March. */
function isDay(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return at >= 0 && rfc3339(at).startsWith(text);
}
