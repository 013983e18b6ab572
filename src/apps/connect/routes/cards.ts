import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { Cards } from '../../../adapter/cards.ts';
import { validator } from '../../../core/validate.ts';
import type { CardsOfLinks } from '../../../domain/links/index.ts';
import { LinkId, linkIn } from '../input/path.ts';
import { principalOf } from '../input/principal.ts';
import { responses } from '../schemas.ts';

export interface CardRoutes {
  readonly cards: CardsOfLinks;
}

const Body = Type.Object(
  { accept: Cards.properties.accept, cards: Type.Optional(Cards.properties.cards) },
  {
    additionalProperties: false,
    examples: [{ accept: 'list', cards: [{ id: '04E91C5A123B80', name: 'Anna' }] }],
  },
);
const NoCards = Type.Object(Cards.properties, { examples: [{ accept: 'all', cards: [] }] });
const check = validator(Body, { name: 'body' });

/** Whose cards the charging stations of a link serve. */
export function addCardRoutes(app: FastifyInstance, { cards }: CardRoutes): void {
  app.get(
    '/links/:id/cards',
    {
      config: { access: 'devices:read' },
      schema: {
        summary: 'Which cards can start a charge at the stations of a link',
        description: 'By default: all cards.',
        tags: ['Charging'],
        params: LinkId,
        response: responses(Cards, [400, 401, 403, 404, 422, 429, 503]),
      },
    },
    (request) => cards.get(principalOf(request).account, linkIn(request)),
  );

  app.put(
    '/links/:id/cards',
    {
      config: { access: 'link:write' },
      schema: {
        summary: 'Set which cards can start a charge at the stations of a link',
        description:
          'Replaces the previous list. A card that is not in the list is refused as Invalid, a blocked one as Blocked. Charges that elnav starts always work, and a running charge continues.',
        tags: ['Charging'],
        params: LinkId,
        body: Body,
        response: responses(Cards, [400, 401, 403, 404, 422, 429, 503]),
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
        summary: 'Let all cards start a charge again, and delete the list',
        tags: ['Charging'],
        params: LinkId,
        response: responses(NoCards, [400, 401, 403, 404, 422, 429, 503]),
      },
    },
    (request) => cards.remove(principalOf(request).account, linkIn(request)),
  );
}
