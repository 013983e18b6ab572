import type { FastifyInstance } from 'fastify';
import type { Accounts } from '../../domain/accounts/index.ts';
import { addOversightRoutes, addPartnerRoutes } from './routes/admin-oversight.ts';
import { addUserRoutes } from './routes/admin-users.ts';

interface GridDependencies {
  readonly accounts: Accounts;
}

/** Adds the routes of the Grid service to a server that `createServer` made. */
export function createGridApp(app: FastifyInstance, { accounts }: GridDependencies): void {
  addOversightRoutes(app, accounts);
  addUserRoutes(app, accounts);
  addPartnerRoutes(app, accounts);
}
