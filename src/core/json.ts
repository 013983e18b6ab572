/** Any value that JSON can hold. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

const DEPTH_LIMIT = 32;

/** Why a parsed JSON value is refused (too deep, or text that no database stores), or null when it is accepted. */
export function faultInJson(value: unknown): string | null {
  const found = find(value, DEPTH_LIMIT);
  return found === null ? null : found.sentenceAt(found.steps.reduceRight(below, 'body'));
}

interface Found {
  /** The fault as a sentence, given its path. */
  readonly sentenceAt: (path: string) => string;
  /** The path from the fault up to the root. */
  readonly steps: string[];
}

/** Checks every part once, and allocates nothing unless it finds a fault: a body may have millions of parts. */
function find(value: unknown, levels: number): Found | null {
  if (typeof value === 'string') return findInText(value, '');
  if (typeof value !== 'object' || value === null) return null;
  if (levels === 0)
    return { sentenceAt: (path) => `${path} is nested deeper than ${DEPTH_LIMIT} levels`, steps: [] };
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const found = find(value[index], levels - 1);
      if (found === null) continue;
      found.steps.push(`[${index}]`);
      return found;
    }
    return null;
  }
  const fields = value as Readonly<Record<string, unknown>>;
  for (const key in fields) {
    // An own __proto__ would become the prototype of any object that it is copied into.
    if (key === '__proto__')
      return {
        sentenceAt: (path) => `${path} has a field named __proto__, which is not permitted`,
        steps: [],
      };
    const inName = findInText(key, 'a field name in ');
    if (inName !== null) return inName;
    const found = find(fields[key], levels - 1);
    if (found === null) continue;
    found.steps.push(`.${key}`);
    return found;
  }
  return null;
}

function findInText(text: string, where: string): Found | null {
  if (faultInText(text, '') === null) return null;
  return { sentenceAt: (path) => faultInText(text, `${where}${path}`) ?? '', steps: [] };
}

/** A path of limited length, however long the caller's field names are. */
function below(path: string, step: string): string {
  return path.length > 60 ? path : `${path}${step.slice(0, 60).toWellFormed()}`;
}

/**
 * As `faultInJson`, for a value parsed from this text. Without a backslash no string in it can contain NUL or a lone surrogate, so
 * only the depth is checked: a tenth of the work.
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

/** PostgreSQL refuses NUL in text, and UTF-8 has no lone surrogates, so both are refused on input. */
export function faultInText(text: string, path: string): string | null {
  if (text.includes('\0')) return `${path} holds a NUL character`;
  if (!text.isWellFormed()) return `${path} holds a lone surrogate, which is not valid Unicode`;
  return null;
}
