export const SCOPES = ['link:write', 'devices:read', 'devices:command'] as const;
export type Scope = (typeof SCOPES)[number];

const isScope = (word: string): word is Scope => SCOPES.some((scope) => scope === word);

/** Scopes from a space-separated list, in the order of the table; an empty list means all. A string says what is wrong. */
export function parseScopes(text: string): readonly Scope[] | string {
  const words = text.split(' ').filter((word) => word !== '');
  if (words.length === 0) return SCOPES;
  const unknown = words.find((word) => !isScope(word));
  if (unknown !== undefined) {
    return `"${unknown.slice(0, 40)}" is not a scope; a key may have ${SCOPES.join(', ')}, separated by spaces`;
  }
  return SCOPES.filter((scope) => words.includes(scope));
}

/** Scopes from the database, which only this service writes. */
export function storedScopes(text: string): readonly Scope[] {
  return text.split(' ').filter(isScope);
}
