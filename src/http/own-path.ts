const LONGEST = 500;
/** An origin that does not exist. */
const HERE = 'http://here.invalid';

/** A path of this service with its query; undefined for text that a browser could resolve to another site. */
export function ownPath(text: string | undefined): string | undefined {
  if (text === undefined || text.length > LONGEST || !/^\/[\x21-\x7e]*$/.test(text)) return undefined;
  if (text.startsWith('//') || text.includes('\\') || !URL.canParse(text, HERE)) return undefined;
  const url = new URL(text, HERE);
  // Returned normalised: `/./` before a further slash, for example, is removed.
  return url.origin === HERE && !url.pathname.startsWith('//') ? `${url.pathname}${url.search}` : undefined;
}
