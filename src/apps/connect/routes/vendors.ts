import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Adapter } from '../../../adapter/adapter.ts';
import { adapterNamed } from '../../../adapter/adapters.ts';
import { CALL_USES, LIMITED } from '../../../adapter/budget.ts';
import { describeVendors, VendorDescription } from '../../../adapter/describe.ts';
import type { Devices } from '../../../domain/devices/devices/index.ts';
import type { Links } from '../../../domain/links/links/index.ts';
import type { Budgets } from '../../../domain/vendor-calls/budgets/index.ts';
import { LINK_ID, principalOf, vendorInPath } from '../input/parameters.ts';

export interface VendorRoutes {
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly links: Pick<Links, 'list'>;
  readonly budgets: Pick<Budgets, 'view'>;
  readonly devices: Pick<Devices, 'knownOfLink'>;
  readonly isConfigured: (vendor: string) => boolean;
  readonly isSimulated: (vendor: string) => boolean;
}

const OneVendor = Type.Object({ vendor: Type.String() });

/** The vendors, and what is left of their limits. */
export function addVendorRoutes(
  app: FastifyInstance,
  { adapters, devices, links, budgets, isConfigured, isSimulated }: VendorRoutes,
): void {
  const is = { configured: isConfigured, simulated: isSimulated };
  const body = Buffer.from(JSON.stringify(describeVendors([...adapters.values()], is)));
  app.get(
    '/vendors',
    {
      config: { access: 'anonymous' },
      schema: {
        operationId: 'listVendors',
        summary: 'List vendors, their capabilities and how they are linked',
        description: 'No key needed. Capabilities are derived from the code that implements them.',
        tags: ['Linking'],
        response: { 200: Type.Array(VendorDescription) },
      },
    },
    (_request, reply) => reply.header('content-type', 'application/json; charset=utf-8').send(body),
  );

  app.get(
    '/vendors/:vendor/budget',
    {
      config: { access: 'devices:read' },
      schema: {
        operationId: 'getVendorBudget',
        summary: "Read a vendor's rate limits and what is left of them",
        description:
          'Limits of the app are shared by all accounts of this server. Limits per link or site are returned for your own links; of limits per device, only the size. If links share a limit of the app, an entry `of` link with the same name returns what each of your links may still use. Background polling leaves `reserved` for commands. While the vendor refuses calls there is an entry `block`: elnav sends nothing until its `resets_at`.',
        tags: ['Linking'],
        params: OneVendor,
        response: { 200: Type.Array(Budget) },
      },
    },
    async (request) => {
      const vendor = vendorInPath(OneVendor, request);
      const adapter = adapterNamed(adapters, vendor);
      const { account } = principalOf(request);
      const own = await links.list(account, { vendor });
      const hasSites = adapter.budgets?.some(({ of }) => of === 'site') === true;
      const views = own.map(async ({ id }) => {
        const key = { account, link: id };
        const known = hasSites ? await devices.knownOfLink(key) : [];
        return { ...key, sites: [...new Set(known.flatMap(({ site }) => site ?? []))] };
      });
      return budgets.view(adapter, await Promise.all(views));
    },
  );
}

const Budget = Type.Object(
  {
    name: Type.String(),
    of: Type.Enum([...LIMITED], { description: 'What the limit applies to' }),
    link: Type.Union([Type.String(), Type.Null()], {
      description: 'Id of the link, for a limit per link or site',
    }),
    site: Type.Union([Type.String(), Type.Null()], {
      description: "The vendor's id of the site, for a limit per site",
    }),
    costs: Type.Object(Object.fromEntries(CALL_USES.map((use) => [use, Type.Number()])), {
      description:
        'What a call takes of the limit, by its use; 0 is not counted. Single calls may take less or more',
    }),
    unit: Type.Enum(['calls', 'micro_usd', 'errors'], {
      description: 'Of errors, only calls take that the vendor responds to with an error',
    }),
    amount: Type.Number({ description: 'What the vendor allows in a window' }),
    window_seconds: Type.Number(),
    used: Type.Number({ description: 'Used in the last window_seconds, by all instances' }),
    remaining: Type.Number({
      description: 'What this service will still use of it; slightly less than the vendor allows',
    }),
    reserved: Type.Number({ description: 'Kept for commands and for reads by callers' }),
    resets_at: Type.String({ format: 'date-time' }),
    source: Type.String({ description: 'Source of the figure' }),
  },
  {
    title: 'VendorBudget',
    examples: [
      {
        name: 'calls',
        of: 'link',
        link: LINK_ID,
        site: null,
        costs: { login: 1, list: 1, read: 1, command: 1, wake: 0 },
        unit: 'calls',
        amount: 500,
        window_seconds: 300,
        used: 12,
        remaining: 463,
        reserved: 95,
        resets_at: '2026-11-21T13:05:00Z',
        source: "the vendor's reference",
      },
    ],
  },
);
