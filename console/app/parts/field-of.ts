import type { Refused } from '../api/call.ts';

/** The field that a refusal names first; undefined where it names none of these. */
export function fieldOf<F extends string>(error: Refused, fields: readonly F[]): F | undefined {
  if (error.code !== 'request.invalid') return undefined;
  const [, named] = /^(?:body\.)?(\w+) /.exec(error.message) ?? [];
  return fields.find((field) => field === named);
}
