import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { describeVendors, VendorDescription } from '../../../adapter/describe.ts';
import { AppError } from '../../../core/errors.ts';
import type { ConnectDependencies } from '../dependencies.ts';
import { principalOf } from '../principal.ts';
import { answers } from '../schemas.ts';
import { vendorSlug } from '../vendor-slug.ts';

export function vendorRoutes(app: FastifyInstance, dependencies: ConnectDependencies): void {
  const { adapters, links, budgets, isConfigured, isSimulated } = dependencies;
  const is = { configured: isConfigured, simulated: isSimulated };
  const body = Buffer.from(JSON.stringify(describeVendors([...adapters.values()], is)));
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

  app.get<{ Params: { vendor: string } }>(
    '/vendors/:vendor/budget',
    {
      config: { access: 'devices:read' },
      schema: {
        summary: "A vendor's limits, and what is left of them",
        description:
          'Limits of the app are shared by all accounts of this server; limits of a link are shown for your own links, those of a device by their size alone. Background reading keeps `reserved` free for commands.',
        tags: ['Linking'],
        params: Type.Object({ vendor: Type.String() }),
        response: answers(Type.Array(Budget), [400, 401, 403, 429, 503]),
      },
    },
    async (request) => {
      const vendor = vendorSlug(request.params.vendor);
      const adapter = adapters.get(vendor);
      if (adapter === undefined)
        throw new AppError(
          'vendor.unknown',
          `there is no vendor "${request.params.vendor.slice(0, 60)}"; GET /vendors lists them`,
        );
      const { account } = principalOf(request);
      const own = (await links.list(account)).filter((link) => link.vendor === vendor);
      return budgets.view(
        adapter,
        own.map(({ id }) => ({ account, link: id })),
      );
    },
  );
}

const Budget = Type.Object({
  name: Type.String(),
  of: Type.Enum(['app', 'link', 'device'], { description: 'Who shares it' }),
  link: Type.Union([Type.String(), Type.Null()], { description: 'The link, for a limit of a link' }),
  unit: Type.Enum(['calls', 'micro_usd']),
  amount: Type.Number({ description: 'What the vendor grants in a window' }),
  window_seconds: Type.Number(),
  used: Type.Number({ description: 'In the last window_seconds, by all instances' }),
  remaining: Type.Number({ description: 'What we still take of it; a little less than the vendor grants' }),
  reserved: Type.Number({ description: 'Left to commands and to reads that somebody waits for' }),
  resets_at: Type.String({ format: 'date-time' }),
  source: Type.String({ description: 'Where the figure comes from' }),
});
