import { Big } from 'big.js';
import type { Language, Words } from '../../../core/language.ts';
import { type Html, html } from '../../../pages/html.ts';
import { formatIn } from './format.ts';

/*
 * The colours of prices. The limits are the same every day and in every area, so that a colour always means the same; they part the
 * spot prices of recent years about evenly.
 */

/** SEK per kWh without VAT and tax, from which the next step begins. */
const LIMITS = ['0.1', '0.3', '0.6', '1.2'].map((limit) => new Big(limit));

/** Steps from cheap to dear, with the classes `step-1` to `step-5`. */
export const STEPS = [1, 2, 3, 4, 5] as const;
export type Step = (typeof STEPS)[number];

const WORDS = {
  en: {
    names: ['very low', 'low', 'medium', 'high', 'very high'],
    below: (limit: string) => `below ${limit}`,
    from: (limit: string) => `${limit} or more`,
  },
  sv: {
    names: ['mycket lågt', 'lågt', 'medel', 'högt', 'mycket högt'],
    below: (limit: string) => `under ${limit}`,
    from: (limit: string) => `${limit} eller mer`,
  },
} satisfies Words<object>;

/** The step of a spot price, SEK per kWh as decimal text. */
export function stepOf(spot: string): Step {
  const price = new Big(spot);
  return STEPS[LIMITS.filter((limit) => price.gte(limit)).length] ?? 5;
}

/** The names of the steps, from cheap to dear. */
export const stepNames = (language: Language): readonly string[] => WORDS[language].names;

/** What the colours mean in öre; `shown` makes a shown price of a spot price. */
export function stepLegend(language: Language, shown: (spot: string) => string): Html {
  const { below, from, names } = WORDS[language];
  const format = formatIn(language);
  const limits = LIMITS.map((limit) => format.limit(shown(limit.toFixed())));
  return html`<ul class="legend steps small">${STEPS.map((step, index) => {
    const [least, most] = [limits[index - 1], limits[index]];
    const span =
      least === undefined ? below(most ?? '') : most === undefined ? from(least) : `${least}–${most}`;
    return html`<li><span class="${`swatch swatch-block step-${step}`}" aria-hidden="true"></span><span><span class="hidden-visually">${names[index]}: </span>${span}</span></li>`;
  })}</ul>`;
}
