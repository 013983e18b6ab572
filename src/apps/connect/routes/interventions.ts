import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { languageOf } from '../../../core/language.ts';
import { Intervention, type Interventions } from '../../../domain/vendor-calls/interventions/index.ts';
import { nextPage } from '../../../http/next-page.ts';
import { limitParameter, principalOf, readQuery } from '../input/parameters.ts';

const PAGE = 1_000;

const Filters = Type.Object({
  state: Type.Optional(
    Type.Enum(['open', 'resolved', 'all'], {
      type: 'string',
      default: 'open',
      description: 'Resolved ones are kept for 30 days',
    }),
  ),
  device: Type.Optional(Type.String({ description: 'Those of a device, with those of its link' })),
  link: Type.Optional(Type.String()),
  user_ref: Type.Optional(Type.String()),
  limit: limitParameter(PAGE),
  cursor: Type.Optional(Type.String({ description: 'From the Link header of the previous page' })),
});

export interface InterventionRoutes {
  readonly interventions: Pick<Interventions, 'list'>;
  /** Connect's public address. */
  readonly publicUrl: () => string;
}

/** What only end users can do. */
export function addInterventionRoutes(
  app: FastifyInstance,
  { interventions, publicUrl }: InterventionRoutes,
): void {
  app.get(
    '/interventions',
    {
      config: { access: 'devices:read' },
      schema: {
        operationId: 'listInterventions',
        summary: 'List what only end users can do',
        description:
          'Sign in again, allow remote start at the machine, pair a key: opened and resolved by what the vendor says. The oldest first, in the language of Accept-Language (Swedish or English). Returns what is stored and never calls a vendor. The Link header leads to the next page.',
        tags: ['Devices'],
        querystring: Filters,
        response: { 200: Type.Array(Intervention) },
        pagination: { cursor: 'cursor' },
      },
    },
    async (request, reply) => {
      const query = request.query as Record<string, unknown>;
      const { state = 'open', device, link, user_ref, cursor, limit = PAGE } = readQuery(Filters, query);
      const { items, next } = await interventions.list({
        ...{ account: principalOf(request).account, state, device, link, cursor, limit },
        domain: new URL(publicUrl()).hostname,
        userRef: user_ref,
        language: languageOf(request.headers['accept-language']),
      });
      if (next !== null) reply.header('link', nextPage('/interventions', query, { cursor: next }));
      return items;
    },
  );
}
