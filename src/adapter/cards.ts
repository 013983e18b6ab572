import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { Json } from '../core/json.ts';
import type { Documents } from './session.ts';

const MOST_CARDS = 1_000;

const CARDS = { accept: 'list', cards: [{ id: '04E91C5A123B80', name: 'Anna' }] };

/** Of a link whose stations ask who may charge: whom they are told to serve. */
export const Cards = Type.Object(
  {
    accept: Type.Enum(['all', 'list', 'none'], {
      description: 'Which cards can start a charge: all, those in the list, or none',
    }),
    cards: Type.Array(
      Type.Object(
        {
          id: Type.String({
            minLength: 1,
            maxLength: 36,
            pattern: '^[\\x21-\\x7e]+$',
            description:
              'The card id as the station reads it (idTag, idToken), not case-sensitive; up to 36 characters',
            examples: ['04E91C5A123B80'],
          }),
          name: Type.Optional(
            Type.String({ maxLength: 100, description: 'Name of its owner, for your own use' }),
          ),
          blocked: Type.Optional(
            Type.Boolean({ description: 'Keeps the card in the list, but refuses it as Blocked' }),
          ),
          expires_at: Type.Optional(
            Type.String({
              format: 'date-time',
              maxLength: 40,
              description: 'From this time on, the card is refused as Expired',
            }),
          ),
        },
        { additionalProperties: false },
      ),
      { maxItems: MOST_CARDS, description: 'Used with accept: list; kept with the other values' },
    ),
  },
  {
    additionalProperties: false,
    examples: [CARDS],
  },
);
export type Cards = Type.Static<typeof Cards>;

const NAME = 'cards';
const check = Compile(Cards);

/** Until something else is said: the owner decides who may charge, by the station's own list. */
export const ALL_CARDS: Cards = { accept: 'all', cards: [] };

export async function loadCards(documents: Documents): Promise<Cards> {
  const kept = await documents.get(NAME);
  return check.Check(kept) ? kept : ALL_CARDS;
}

export const keepCards = (documents: Documents, cards: Cards): Promise<void> =>
  documents.put(NAME, cards as unknown as Json);

export const forgetCards = (documents: Documents): Promise<void> => documents.remove(NAME);

/** Two spellings of one card are one: stations differ in how they write it. */
export const spelt = (id: string): string => id.toLowerCase();

export type Verdict = 'accepted' | 'unknown' | 'blocked' | 'expired';

/** What a station is told of a card. */
export function judgeCard({ accept, cards }: Cards, id: string, now: number): Verdict {
  switch (accept) {
    case 'all':
      return 'accepted';
    case 'none':
      return 'unknown';
    case 'list': {
      const card = cards.find((one) => spelt(one.id) === spelt(id));
      if (card === undefined) return 'unknown';
      if (card.blocked === true) return 'blocked';
      return card.expires_at !== undefined && Date.parse(card.expires_at) <= now ? 'expired' : 'accepted';
    }
  }
}
