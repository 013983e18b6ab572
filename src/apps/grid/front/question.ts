import { faultInText } from '../../../core/json.ts';

/** What somebody wants to have looked up. */
export type Question =
  | { readonly kind: 'postal'; readonly code: string }
  | { readonly kind: 'coordinate'; readonly lat: number; readonly lon: number }
  | { readonly kind: 'place'; readonly name: string }
  | { readonly kind: 'fault'; readonly fault: QuestionFault };

export type QuestionFault = 'empty' | 'too_long' | 'too_short' | 'not_five_digits' | 'out_of_range';

/** No place in Sweden has so long a name. */
export const LONGEST_QUESTION = 80;

/** `111 22`, as people and envelopes write it, with the place after it too. */
const POSTAL_CODE = /^(?:SE?-?\s?)?(\d{3})\s?(\d{2})(?:\s*,?\s+\p{L}[\p{L}\s.-]*)?$/iu;
const NUMBER = String.raw`[+-]?\d{1,3}(?:\.\d{1,20})?`;
const COMMA_NUMBER = String.raw`[+-]?\d{1,3}(?:,\d{1,20})?`;
const COORDINATE = new RegExp(
  String.raw`^(${NUMBER})\s*°?\s*[nN]?\s*[,;\s]\s*(${NUMBER})\s*°?\s*[eEöÖ]?$`,
  'u',
);
/** With decimal commas something else must part the two numbers. */
const SWEDISH_COORDINATE = new RegExp(
  String.raw`^(${COMMA_NUMBER})\s*°?\s*[nN]?(?:\s*;\s*|,?\s+)(${COMMA_NUMBER})\s*°?\s*[eEöÖ]?$`,
  'u',
);

/** What the text in the look-up box means. */
export function readQuestion(text: string): Question {
  const asked = text.trim().replaceAll(/\s+/g, ' ');
  if (asked === '') return { kind: 'fault', fault: 'empty' };
  if (asked.length > LONGEST_QUESTION) return { kind: 'fault', fault: 'too_long' };
  if (faultInText(asked, 'q') !== null) return { kind: 'fault', fault: 'too_short' };
  const postal = POSTAL_CODE.exec(asked);
  if (postal !== null) return { kind: 'postal', code: `${postal[1]}${postal[2]}` };
  if (/^[\d\s-]+$/.test(asked)) return { kind: 'fault', fault: 'not_five_digits' };
  const coordinate = COORDINATE.exec(asked) ?? SWEDISH_COORDINATE.exec(asked);
  if (coordinate !== null) {
    const [lat = 0, lon = 0] = coordinate.slice(1).map((number) => Number(number.replace(',', '.')));
    const isOnEarth = Math.abs(lat) <= 90 && Math.abs(lon) <= 180;
    return isOnEarth ? { kind: 'coordinate', lat, lon } : { kind: 'fault', fault: 'out_of_range' };
  }
  return [...asked].length < 2 ? { kind: 'fault', fault: 'too_short' } : { kind: 'place', name: asked };
}
