import type { FastifyInstance } from 'fastify';
import type { Accounts } from '../../domain/accounts/index.ts';
import { addDocuments } from '../../http/openapi.ts';
import { addOversightRoutes, addPartnerRoutes } from './routes/admin-oversight.ts';
import { addUserRoutes } from './routes/admin-users.ts';

interface GridDependencies {
  readonly accounts: Accounts;
}

/** Adds the Grid service to a server. */
export async function addGrid(
  app: FastifyInstance,
  { accounts }: GridDependencies,
  version: string,
): Promise<void> {
  await addDocuments(app, {
    service: 'grid',
    title: 'elnav Grid',
    description: 'Accounts, keys, limits and their administration.',
    version,
  });
  app.get('/', { config: { access: 'public' }, schema: { hide: true } }, (_request, reply) =>
    reply.redirect('/docs', 302),
  );
  addOversightRoutes(app, accounts);
  addUserRoutes(app, accounts);
  addPartnerRoutes(app, accounts);
}
