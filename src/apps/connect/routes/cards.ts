import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { Cards } from '../../../adapter/cards.ts';
import { AppError } from '../../../core/errors.ts';
import { faultInText } from '../../../core/json.ts';
import { validator } from '../../../core/validate.ts';
import type { ConnectDependencies } from '../dependencies.ts';
import { principalOf } from '../principal.ts';
import { answers } from '../schemas.ts';
import { LINK_ID } from './link.ts';

interface OfLink {
  readonly Params: { readonly id: string };
}

const Body = Type.Object(
  { accept: Cards.properties.accept, cards: Type.Optional(Cards.properties.cards) },
  {
    additionalProperties: false,
    examples: [{ accept: 'list', cards: [{ id: '04E91C5A123B80', name: 'Anna' }] }],
  },
);
const params = Type.Object({
  id: Type.String({ description: 'Id of the link, from GET /links', examples: [LINK_ID] }),
});
const NoCards = Type.Object(Cards.properties, { examples: [{ accept: 'all', cards: [] }] });
const check = validator(Body, { name: 'body' });

/** Whose cards the charging stations of a link serve. */
export function cardRoutes(app: FastifyInstance, { cards }: ConnectDependencies): void {
  app.get<OfLink>(
    '/links/:id/cards',
    {
      config: { access: 'devices:read' },
      schema: {
        summary: 'Which cards can start a charge at the stations of a link',
        description: 'By default: all cards.',
        tags: ['Charging'],
        params,
        response: answers(Cards, [400, 401, 403, 404, 422, 429, 503]),
      },
    },
    (request) => cards.get(principalOf(request).account, linkId(request.params.id)),
  );

  app.put<OfLink>(
    '/links/:id/cards',
    {
      config: { access: 'link:write' },
      schema: {
        summary: 'Set which cards can start a charge at the stations of a link',
        description:
          'Replaces the previous list. A card that is not in the list is refused as Invalid, a blocked one as Blocked. Charges that elnav starts always work, and a running charge continues.',
        tags: ['Charging'],
        params,
        body: Body,
        response: answers(Cards, [400, 401, 403, 404, 422, 429, 503]),
      },
    },
    (request) => {
      const { accept, cards: list = [] } = check(request.body);
      return cards.put(principalOf(request).account, linkId(request.params.id), { accept, cards: list });
    },
  );

  app.delete<OfLink>(
    '/links/:id/cards',
    {
      config: { access: 'link:write' },
      schema: {
        summary: 'Let all cards start a charge again, and delete the list',
        tags: ['Charging'],
        params,
        response: answers(NoCards, [400, 401, 403, 404, 422, 429, 503]),
      },
    },
    (request) => cards.remove(principalOf(request).account, linkId(request.params.id)),
  );
}

/** An id that no store can hold is an id that does not exist. */
function linkId(id: string): string {
  if (faultInText(id, 'id') !== null) throw new AppError('link.not_found', 'there is no such link');
  return id;
}
