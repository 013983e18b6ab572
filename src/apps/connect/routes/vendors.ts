import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { describeVendors, VendorDescription } from '../../../adapter/describe.ts';
import type { ConnectDependencies } from '../dependencies.ts';
import { answers } from '../schemas.ts';

export function vendorRoutes(app: FastifyInstance, { adapters }: ConnectDependencies): void {
  const body = Buffer.from(JSON.stringify(describeVendors([...adapters.values()])));
  app.get(
    '/vendors',
    {
      config: { access: 'anonymous' },
      schema: {
        summary: 'Every vendor: what it offers and how it is linked',
        description: 'No key needed. Capabilities are derived from what is implemented.',
        tags: ['Linking'],
        response: answers(Type.Array(VendorDescription), [401, 403, 429, 503]),
      },
    },
    (_request, reply) => reply.header('content-type', 'application/json; charset=utf-8').send(body),
  );
}
