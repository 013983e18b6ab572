import type { Adapter } from '../../adapter/adapter.ts';
import { ALL_CARDS, type Cards, forgetCards, keepCards, loadCards, spelt } from '../../adapter/cards.ts';
import type { Documents } from '../../adapter/session.ts';
import { AppError } from '../../core/errors.ts';
import type { Calls } from '../calls/index.ts';

interface CardsOptions {
  readonly calls: Pick<Calls, 'stored' | 'documents'>;
  readonly adapters: ReadonlyMap<string, Adapter>;
}

/** Whose cards the stations of a link serve. Stations learn it at the next card, on whichever process they are. */
export function createCards({ calls, adapters }: CardsOptions) {
  async function documentsOf(account: number, link: string): Promise<Documents> {
    const row = await calls.stored({ account, link });
    if (row === undefined) throw new AppError('link.not_found', `there is no link ${link.slice(0, 100)}`);
    if (adapters.get(row.vendor)?.dialIn?.asksForCards !== true)
      throw new AppError(
        'station.unsupported',
        `the devices of ${row.vendor} have no card list; only charging stations that connect to this service do`,
      );
    return calls.documents(row);
  }

  return {
    async get(account: number, link: string): Promise<Cards> {
      return loadCards(await documentsOf(account, link));
    },

    /** Replaces all that was said before. */
    async put(account: number, link: string, cards: Cards): Promise<Cards> {
      const documents = await documentsOf(account, link);
      const seen = new Set<string>();
      for (const [index, { id }] of cards.cards.entries()) {
        if (seen.has(spelt(id)))
          throw new AppError('request.invalid', `body.cards[${index}].id ${id} is already in the list`);
        seen.add(spelt(id));
      }
      await keepCards(documents, cards);
      return cards;
    },

    /** Every card is served again. */
    async remove(account: number, link: string): Promise<Cards> {
      await forgetCards(await documentsOf(account, link));
      return ALL_CARDS;
    },
  };
}

export type CardsOfLinks = ReturnType<typeof createCards>;
