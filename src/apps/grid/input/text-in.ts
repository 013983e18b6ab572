/**
 * The last value of a parameter of an address, '' where there is none. NUL and lone surrogates, which PostgreSQL does not store and
 * refuses even to search for, are left out or replaced.
 */
export function textIn(parameters: unknown, name: string): string {
  if (typeof parameters !== 'object' || parameters === null || !Object.hasOwn(parameters, name)) return '';
  const value: unknown = Reflect.get(parameters, name);
  const last: unknown = Array.isArray(value) ? value.at(-1) : value;
  return typeof last === 'string' ? last.toWellFormed().replaceAll('\0', '') : '';
}
