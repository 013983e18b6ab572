import type { FastifyInstance } from 'fastify';
import { addDocuments } from '../../http/openapi.ts';
import type { ConnectDependencies } from './dependencies.ts';
import { chargingRoutes } from './routes/charging.ts';
import { conditionRoutes } from './routes/conditions.ts';
import { deviceRoutes } from './routes/devices.ts';
import { linkRoutes } from './routes/link.ts';
import { partnerRoutes } from './routes/partners.ts';
import { vendorRoutes } from './routes/vendors.ts';

export type { ConnectDependencies } from './dependencies.ts';
export { acceptStations } from './stations.ts';

/** Adds the Connect service to a server. */
export async function addConnect(
  app: FastifyInstance,
  dependencies: ConnectDependencies,
  version: string,
): Promise<void> {
  await addDocuments(app, {
    service: 'connect',
    title: 'elnav Connect',
    description: 'One normalized API over many energy devices: link, list, read, command.',
    version,
  });
  app.get('/', { config: { access: 'public' }, schema: { hide: true } }, (_request, reply) =>
    reply.redirect('/docs', 302),
  );
  linkRoutes(app, dependencies);
  vendorRoutes(app, dependencies);
  deviceRoutes(app, dependencies);
  conditionRoutes(app, dependencies);
  chargingRoutes(app, dependencies);
  partnerRoutes(app, dependencies);
}
