/** Any value that JSON can hold. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

const DEPTH_LIMIT = 32;

/** Why a parsed JSON value cannot be taken (too deep, or text that no database stores), or null when it can. */
export function faultInJson(value: unknown, path = 'body', depth = 0): string | null {
  if (typeof value === 'string') return faultInText(value, path);
  if (typeof value !== 'object' || value === null) return null;
  if (depth >= DEPTH_LIMIT) return `${path} is nested deeper than ${DEPTH_LIMIT} levels`;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const fault = faultInJson(value[index], below(path, `[${index}]`), depth + 1);
      if (fault !== null) return fault;
    }
    return null;
  }
  for (const [key, member] of Object.entries(value)) {
    // An own __proto__ would become the prototype of whatever the object is copied into.
    if (key === '__proto__') return `${path} has a field named __proto__, which is not permitted`;
    const fault =
      faultInText(key, `a field name in ${path}`) ?? faultInJson(member, below(path, `.${key}`), depth + 1);
    if (fault !== null) return fault;
  }
  return null;
}

/** A path that stays fit for a sentence, however long the caller's field names are. */
function below(path: string, step: string): string {
  return path.length > 60 ? path : `${path}${step.slice(0, 60).toWellFormed()}`;
}

/**
 * As `faultInJson`, for a value read from this text. Without a backslash no text in it can hold NUL or a lone surrogate, so only
 * the depth is left to see to: a tenth of the work.
 */
export function faultInJsonOf(text: string, value: unknown): string | null {
  const isPlain = !text.includes('\\') && !text.includes('__proto__') && !isDeeper(value, DEPTH_LIMIT);
  return isPlain ? null : faultInJson(value);
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const member of value) if (typeof member === 'object' && isDeeper(member, levels - 1)) return true;
    return false;
  }
  const fields = value as Readonly<Record<string, unknown>>;
  for (const key in fields)
    if (typeof fields[key] === 'object' && isDeeper(fields[key], levels - 1)) return true;
  return false;
}

/** PostgreSQL text refuses NUL, and UTF-8 has no lone surrogates: both are refused at the edge. */
export function faultInText(text: string, path: string): string | null {
  if (text.includes('\0')) return `${path} holds a NUL character`;
  if (!text.isWellFormed()) return `${path} holds a lone surrogate, which is not valid Unicode`;
  return null;
}
