const LONGEST = 500;
/** An origin that no browser is ever at. */
const HERE = 'http://here.invalid';

/** A path of our own with its query, or undefined: whatever a browser could take for another site is none. */
export function ownPath(text: string | undefined): string | undefined {
  if (text === undefined || text.length > LONGEST || !/^\/[\x21-\x7e]*$/.test(text)) return undefined;
  if (text.startsWith('//') || text.includes('\\') || !URL.canParse(text, HERE)) return undefined;
  const url = new URL(text, HERE);
  // Written anew: `/./` before a further slash, say, is gone.
  return url.origin === HERE && !url.pathname.startsWith('//') ? `${url.pathname}${url.search}` : undefined;
}
