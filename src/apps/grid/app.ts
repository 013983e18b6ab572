import type { FastifyInstance } from 'fastify';
import type { Accounts } from '../../domain/accounts/index.ts';
import { addDocuments } from '../../http/openapi.ts';
import { addOversightRoutes, addPartnerRoutes } from './routes/admin-oversight.ts';
import { addUserRoutes } from './routes/admin-users.ts';

export interface GridDependencies {
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
    description: 'Swedish price areas, prices and tax, and the administration of both services.',
    version,
  });
  addOversightRoutes(app, accounts);
  addUserRoutes(app, accounts);
  addPartnerRoutes(app, accounts);
}
