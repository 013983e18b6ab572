/** Any value that JSON can hold. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

const DEPTH_LIMIT = 32;

/** Why a parsed JSON value cannot be taken (too deep, or text that no database stores), or null when it can. */
export function faultInJson(value: unknown): string | null {
  const found = find(value, DEPTH_LIMIT);
  return found === null ? null : found.tell(found.steps.reduceRight(below, 'body'));
}

interface Found {
  /** What is wrong at a path, as a sentence. */
  readonly tell: (path: string) => string;
  /** From the fault up. */
  readonly steps: string[];
}

/** Looks at every part once, and makes nothing as long as all is well: a body may have millions of parts. */
function find(value: unknown, levels: number): Found | null {
  if (typeof value === 'string') return findInText(value, '');
  if (typeof value !== 'object' || value === null) return null;
  if (levels === 0)
    return { tell: (path) => `${path} is nested deeper than ${DEPTH_LIMIT} levels`, steps: [] };
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
    // An own __proto__ would become the prototype of whatever the object is copied into.
    if (key === '__proto__')
      return { tell: (path) => `${path} has a field named __proto__, which is not permitted`, steps: [] };
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
  return { tell: (path) => faultInText(text, `${where}${path}`) ?? '', steps: [] };
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
