import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import type { Accounts } from '../../domain/accounts/index.ts';
import type { Areas } from '../../domain/areas/index.ts';
import { openReads } from '../../http/cors.ts';
import { addDocuments } from '../../http/openapi.ts';
import { createAnswers } from './prepared-answers.ts';
import { addOversightRoutes, addPartnerRoutes } from './routes/admin-oversight.ts';
import { addUserRoutes } from './routes/admin-users.ts';
import { addLookupRoutes } from './routes/lookup.ts';
import { addRegionRoutes } from './routes/regions.ts';
import { addTaxRoute } from './routes/tax.ts';

interface GridDependencies {
  readonly accounts: Accounts;
  readonly areas: Areas;
  readonly clock: Clock;
}

/** Adds the Grid service to a server. */
export async function addGrid(
  app: FastifyInstance,
  { accounts, areas, clock }: GridDependencies,
  version: string,
): Promise<void> {
  await addDocuments(app, {
    service: 'grid',
    title: 'elnav Grid',
    description:
      'Swedish price areas, grid areas and energy tax, and the administration of accounts, keys and limits.',
    version,
  });
  app.get('/', { config: { access: 'public' }, schema: { hide: true } }, (_request, reply) =>
    reply.redirect('/docs', 302),
  );
  openReads(app, '/api/v1/');
  const answers = createAnswers({ clock, validUntil: areas.validUntil });
  addLookupRoutes(app, areas, answers);
  addRegionRoutes(app, areas, answers);
  addTaxRoute(app, areas, answers);
  addOversightRoutes(app, accounts);
  addUserRoutes(app, accounts);
  addPartnerRoutes(app, accounts);
}
