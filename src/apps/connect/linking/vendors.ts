import type { Adapter } from '../../../adapter/adapter.ts';
import { DEVICE_TYPES, type DeviceType } from '../../../adapter/device.ts';
import { DEVICE_WORDS } from '../../../adapter/login.ts';
import { type Language, translated } from '../../../core/language.ts';

const WORDS = translated({
  en: { every: 'Every kind of device', and: 'and' },
  sv: { every: 'Alla sorters enheter', and: 'och' },
});

/** More than these are not told apart in a line. */
export const MOST_KINDS = 4;

export const typesOf = ({ kinds }: Pick<Adapter, 'kinds'>): DeviceType[] =>
  DEVICE_TYPES.filter((type) => kinds[type] !== undefined);

/** What a vendor is called in a text. */
export const callName = (
  { name, calledIn }: Pick<Adapter, 'name' | 'calledIn'>,
  language: Language,
): string => calledIn?.[language] ?? name;

/** The same in the middle of a sentence: a brand stays as it is, a word of the language gets its article and no capital. */
export function nameWithin(adapter: Pick<Adapter, 'name' | 'calledIn'>, language: Language): string {
  const name = callName(adapter, language);
  if (adapter.calledIn?.[language] === undefined) return name;
  const word = /^\p{Lu}\p{Ll}/u.test(name) ? name.charAt(0).toLowerCase() + name.slice(1) : name;
  return language === 'sv' ? `en ${word}` : `${/^[aeiou]/i.test(word) ? 'an' : 'a'} ${word}`;
}

/** Its devices are made up, or a simulator stands in for it. */
export const isMadeUp = ({ slug, conditions }: Adapter, isSimulated: (vendor: string) => boolean): boolean =>
  conditions !== undefined || isSimulated(slug);

/** What a vendor has, in words: "Cars, home batteries and solar panels". */
export function kindsInWords(adapter: Adapter, language: Language): string {
  const words = WORDS[language];
  const types = typesOf(adapter);
  if (types.length > MOST_KINDS) return words.every;
  const all = types.map((type) => DEVICE_WORDS[language][type].many);
  const last = all.pop() ?? '';
  const text = all.length === 0 ? last : `${all.join(', ')} ${words.and} ${last}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}
