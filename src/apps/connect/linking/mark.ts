import { type Html, html } from '../../../pages/html.ts';

const TONES = 8;

/** A tile with two letters in a tone that stays the vendor's: a mark of our own, never the vendor's. */
export function markOf({ slug, name }: { readonly slug: string; readonly name: string }): Html {
  const letters = [...name].slice(0, 2).join('');
  return html`<svg class="${`mark tone-${toneOf(slug)}`}" viewBox="0 0 40 40" width="40" height="40" aria-hidden="true" focusable="false"><rect width="40" height="40" rx="10"/><text x="20" y="26" text-anchor="middle">${letters}</text></svg>`;
}

/** From the slug alone, so that it is the same on every page and after every start. */
function toneOf(slug: string): number {
  let sum = 0;
  for (const letter of slug) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 65_521;
  return sum % TONES;
}
