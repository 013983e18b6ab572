import type { Static, TSchema } from 'typebox';
import { AppError } from '../../core/errors.ts';
import { validator } from '../../http/validate.ts';

/**
 * Compiles the schemas of bodies that name their `type` to one check, which answers the typed body or throws
 * `request.invalid`; a type that is none of them, `command.type_unknown`.
 */
export function checkByType<S extends Readonly<Record<string, TSchema>>>(
  schemas: S,
): (type: string, body: unknown) => Static<S[keyof S]> {
  const checks = new Map(
    Object.entries(schemas).map(
      ([type, schema]) => [type, validator(schema as S[keyof S], { name: 'body' })] as const,
    ),
  );
  return (type, body) => {
    const check = checks.get(type);
    if (check === undefined) throw new AppError('command.type_unknown', `type ${type} is unknown`);
    return check(body);
  };
}
