import { type Place, readPlaces } from './places-in-markup.ts';

/*
 * A template that escapes. Strings are always text; only this template makes markup, so no string can be mistaken for it.
 * Where escaping is not enough (a script, an unquoted attribute, an address with an executable scheme) it refuses.
 */

/** Markup that is inserted unescaped. */
export class Html {
  readonly #text: string;

  constructor(text: string, key: typeof MADE_HERE) {
    if (key !== MADE_HERE) throw new TypeError('markup is made by the template html');
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

const MADE_HERE = Symbol('made here');

/** A value for a template; null, undefined and false write nothing. */
export type Part = string | number | Html | null | undefined | false | readonly Part[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Escapes text for an element or a quoted attribute, and leaves out what turns the text after it around: a name must not read as another. Text
 * that is written from right to left needs none of these marks (Unicode Standard Annex 9, 2.7).
 */
const escaped = (text: string): string =>
  text.replaceAll(/[&<>"'\u202a-\u202e]/g, (one) => ENTITIES[one] ?? '');

const placesOf = new WeakMap<TemplateStringsArray, readonly Place[]>();

/** Markup with escaped values: html`<p title="${title}">${text}</p>`. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let places = placesOf.get(strings);
  if (places === undefined) {
    places = readPlaces(strings);
    placesOf.set(strings, places);
  }
  let text = strings[0] ?? '';
  for (const [index, part] of parts.entries()) {
    text += written(part, places[index] ?? 'text') + (strings[index + 1] ?? '');
  }
  return new Html(text, MADE_HERE);
}

/** Markup from a library and our own figures, such as a plot. It must contain nothing that others can write. */
export function trusted(markup: string): Html {
  return new Html(markup, MADE_HERE);
}

type Flag = 'autofocus' | 'checked' | 'disabled' | 'hidden' | 'open' | 'required' | 'selected';

/** An attribute without a value, present or not: html`<input ${flag('required', isNeeded)}>`. */
export function flag(name: Flag, is: boolean): Html {
  return new Html(is ? name : '', MADE_HERE);
}

function written(part: Part, place: Place): string {
  if (part === null || part === undefined || part === false) return '';
  if (Array.isArray(part)) return part.map((one) => written(one, place)).join('');
  if (part instanceof Html) {
    if (place === 'text' || place === 'tag') return part.toString();
    throw new TypeError('markup cannot stand in an attribute');
  }
  if (place === 'tag') throw new TypeError('between attributes only a flag may stand');
  const text = String(part);
  return place === 'address' && !isHarmless(text) ? '#' : escaped(text);
}

/** Addresses may be relative, http(s) or mailto; javascript: and similar are refused. */
function isHarmless(address: string): boolean {
  // Browsers drop control characters and blanks before they parse the scheme.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(address.replaceAll(/[\u0000-\u0020]/g, ''))?.[1];
  return scheme === undefined || ['http', 'https', 'mailto'].includes(scheme.toLowerCase());
}
