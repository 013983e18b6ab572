import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Clock } from '../../../core/clock.ts';
import { validator } from '../../../core/validate.ts';
import { type Accounts, momentAhead } from '../../../domain/access/accounts/index.ts';
import type { Limits } from '../../../http/rate-limit.ts';
import { AccountResponse, BrandResponse, NewBrand, UsageQuery, UsageResponse } from '../account/schemas.ts';
import { actorOf, principalOf, readQuery } from '../input/parameters.ts';

const TAGS = ['Account'];
const NO_BRAND = { name: null, color: null, privacy_url: null, terms_url: null };
const checkBrand = validator(NewBrand, { name: 'body' });

export interface AccountRoutes {
  readonly accounts: Pick<Accounts, 'users' | 'usageReport' | 'brands' | 'ownKeys'>;
  readonly limits: Limits;
  readonly clock: Clock;
}

/** The account of the caller: what it may call, what it called, and how its link pages look. */
export function addAccountRoutes(app: FastifyInstance, { accounts, limits, clock }: AccountRoutes): void {
  app.get(
    '/account',
    {
      config: { access: 'key' },
      schema: {
        operationId: 'getAccount',
        summary: 'Read whose key this is, and what is left of the limits',
        description: 'Reading it is a call like any other. The console has limits of its own.',
        tags: TAGS,
        response: { 200: AccountResponse },
      },
    },
    async (request) => {
      const principal = principalOf(request);
      const { account, keyId, scopes, policy } = principal;
      const [profile, left] = await Promise.all([accounts.users.one(account), limits.left(principal)]);
      const { email, name, tier } = profile;
      return {
        ...{ email, name, tier },
        key_id: keyId,
        scopes: [...scopes],
        limits: left,
        throttled_until: momentAhead(policy.throttledUntil, clock.now()),
      };
    },
  );

  app.get(
    '/account/usage',
    {
      config: { access: 'key' },
      schema: {
        operationId: 'getUsage',
        summary: 'Count calls by day, route and key',
        description:
          'On both services. A key sees its own calls; the console those of all keys, and its own. Calls of the last second are included, but those of a process that was killed may be missing: it is a statistic.',
        tags: TAGS,
        querystring: UsageQuery,
        response: { 200: UsageResponse },
      },
    },
    (request) => {
      const { account, keyId, isPerson } = principalOf(request);
      const { from, to } = readQuery(UsageQuery, request.query);
      return accounts.usageReport({ account, from, to, keyId: isPerson ? undefined : keyId });
    },
  );

  app.get(
    '/account/brand',
    {
      config: { access: 'key' },
      schema: {
        operationId: 'getBrand',
        summary: 'Read the name and the colour of your link pages',
        tags: TAGS,
        response: { 200: BrandResponse },
      },
    },
    async (request) => (await accounts.brands.of(principalOf(request).account)) ?? NO_BRAND,
  );

  app.put(
    '/account/brand',
    {
      config: { access: 'link:write' },
      schema: {
        operationId: 'setBrand',
        summary: 'Set the name and the colour of your link pages',
        description:
          'Your users see them at once on the pages where they link their devices. Text on the colour is black or white, whichever is easier to read; on dark pages the colour is made lighter until it stands out.',
        tags: TAGS,
        body: NewBrand,
        response: { 200: BrandResponse },
      },
    },
    async (request) =>
      accounts.brands.set(principalOf(request).account, checkBrand(request.body), actorOf(request)),
  );

  app.delete(
    '/account/brand',
    {
      config: { access: 'link:write' },
      schema: {
        operationId: 'deleteBrand',
        summary: 'Remove the name and the colour: link pages are those of elnav again',
        tags: TAGS,
        response: { 204: Type.Null({ description: 'Removed' }) },
      },
    },
    async (request, reply) => {
      await accounts.brands.set(principalOf(request).account, null, actorOf(request));
      return reply.code(204).send();
    },
  );
}
