import type { FastifyInstance } from 'fastify';
import { adminRoute } from '../administration/route.ts';
import type { Health } from '../health/look.ts';
import { healthResponse } from '../health/response.ts';
import { HealthResponse } from '../health/schemas.ts';

/** `GET /admin/health`: how every instance, source and vendor is, and what to do. */
export function addHealthRoute(app: FastifyInstance, look: () => Promise<Health>): void {
  app.get(
    '/admin/health',
    adminRoute({
      operationId: 'getHealth',
      summary: 'See how everything is: instances, sources, vendors, queues, and what is wrong',
      answer: HealthResponse,
    }),
    async () => healthResponse(await look()),
  );
}
