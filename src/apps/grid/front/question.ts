import { faultInText } from '../../../core/json.ts';
import { PRICE_AREAS, type PriceArea } from '../../../sources/contract/market.ts';

/** What somebody wants to have looked up. */
export type Question =
  | { readonly kind: 'postal'; readonly code: string }
  | { readonly kind: 'coordinate'; readonly lat: number; readonly lon: number }
  | { readonly kind: 'area'; readonly area: PriceArea }
  /** The name of a place, a municipality or a county, or an address. */
  | { readonly kind: 'name'; readonly name: string }
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

/** `SE3`, `se 3` and `elområde 3`. */
const AREA = /^(?:se|elområde|elomrade|price area)\s?-?(?:se)?([1-4])$/iu;
/** `59°20'N 18°4'E`, with or without seconds. */
const ANGLE = String.raw`(\d{1,3})\s*°\s*(\d{1,2}(?:[.,]\d{1,10})?)\s*['′’]\s*(?:(\d{1,2}(?:[.,]\d{1,10})?)\s*(?:"|″|”|'')\s*)?`;
const ANGLES = new RegExp(String.raw`^${ANGLE}([nNsS])[\s,;]*${ANGLE}([eEöÖwWvV])$`, 'u');

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
  const angles = ANGLES.exec(asked);
  if (angles !== null) return ofAngles(angles);
  const area = PRICE_AREAS.find((code) => code === `SE${AREA.exec(asked)?.[1]}`);
  if (area !== undefined) return { kind: 'area', area };
  return [...asked].length < 2 ? { kind: 'fault', fault: 'too_short' } : { kind: 'name', name: asked };
}

/** Degrees, minutes and seconds, with the side of the equator or of Greenwich. */
function ofAngles([, ...parts]: readonly (string | undefined)[]): Question {
  const degrees = (from: number) => {
    const [whole = 0, minutes = 0, seconds = 0] = parts
      .slice(from, from + 3)
      .map((part) => Number((part ?? '0').replace(',', '.')));
    const isOpposite = /[swv]/i.test(parts[from + 3] ?? '');
    return (isOpposite ? -1 : 1) * (whole + minutes / 60 + seconds / 3_600);
  };
  const [lat, lon] = [degrees(0), degrees(4)];
  const isOnEarth = Math.abs(lat) <= 90 && Math.abs(lon) <= 180;
  return isOnEarth ? { kind: 'coordinate', lat, lon } : { kind: 'fault', fault: 'out_of_range' };
}
