import { type Place, readPlaces } from './places-in-markup.ts';

/*
 * A template that escapes. Text is text wherever it stands; markup is made by this template alone, so that no string can
 * pass for it. Where escaping is not enough (a script, an unquoted attribute, an address with a scheme that runs) the
 * template refuses.
 */

/** Markup that may stand in a page as it is. */
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

/** What may be put into a template: nothing is written for null, undefined and false. */
export type Part = string | number | Html | null | undefined | false | readonly Part[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text that may stand in an element or a quoted attribute. */
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (one) => ENTITIES[one] ?? '');

const placesOf = new WeakMap<TemplateStringsArray, readonly Place[]>();

/** Markup with what is put in escaped: html`<p title="${title}">${text}</p>`. */
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

/** Markup that another program has made of figures of ours: a plot. Nothing that anybody else can write may be in it. */
export function trusted(markup: string): Html {
  return new Html(markup, MADE_HERE);
}

type Flag = 'checked' | 'disabled' | 'hidden' | 'open' | 'required' | 'selected';

/** An attribute without a value, there or not: html`<input ${flag('required', isNeeded)}>`. */
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

/** Addresses may be relative or lead to the web and to mail; javascript: and its like may not. */
function isHarmless(address: string): boolean {
  // Browsers drop control characters and blanks before they look for a scheme.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(address.replaceAll(/[\u0000-\u0020]/g, ''))?.[1];
  return scheme === undefined || ['http', 'https', 'mailto'].includes(scheme.toLowerCase());
}
