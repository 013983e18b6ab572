import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { Cards } from '../../../adapter/charging.ts';
import { validator } from '../../../core/validate.ts';
import type { CardsOfLinks } from '../../../domain/links/links/index.ts';
import { LinkId, linkIn, principalOf } from '../input/parameters.ts';
import { responses } from '../schemas.ts';

export interface CardRoutes {
  readonly cards: CardsOfLinks;
}

const Body = Type.Object(
  { accept: Cards.properties.accept, cards: Type.Optional(Cards.properties.cards) },
  {
    title: 'NewCards',
    additionalProperties: false,
    examples: [{ accept: 'list', cards: [{ id: '04E91C5A123B80', name: 'Anna' }] }],
  },
);
const NoCards = Type.Object(Cards.properties, {
  title: 'Cards',
  additionalProperties: false,
  examples: [{ accept: 'all', cards: [] }],
});
const check = validator(Body, { name: 'body' });

/** Whose cards the charging stations of a link serve. */
export function addCardRoutes(app: FastifyInstance, { cards }: CardRoutes): void {
  app.get(
    '/links/:id/cards',
    {
      config: { access: 'devices:read' },
      schema: {
        operationId: 'getCards',
        summary: 'Which cards can start a charge at the stations of a link',
        description: 'By default: all cards.',
        tags: ['Charging'],
        params: LinkId,
        response: responses(Cards, [422]),
      },
    },
    (request) => cards.get(principalOf(request).account, linkIn(request)),
  );

  app.put(
    '/links/:id/cards',
    {
      config: { access: 'link:write' },
      schema: {
        operationId: 'setCards',
        summary: 'Set which cards can start a charge at the stations of a link',
        description:
          'Replaces the previous list. A card that is not in the list is refused as Invalid, a blocked one as Blocked. Charges that elnav starts always work, and a running charge continues.',
        tags: ['Charging'],
        params: LinkId,
        body: Body,
        response: responses(Cards, [422]),
      },
    },
    (request) => {
      const { accept, cards: list = [] } = check(request.body);
      return cards.put(principalOf(request).account, linkIn(request), { accept, cards: list });
    },
  );

  app.delete(
    '/links/:id/cards',
    {
      config: { access: 'link:write' },
      schema: {
        operationId: 'deleteCards',
        summary: 'Let all cards start a charge again, and delete the list',
        tags: ['Charging'],
        params: LinkId,
        response: responses(NoCards, [422]),
      },
    },
    (request) => cards.remove(principalOf(request).account, linkIn(request)),
  );
}
