import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { validator } from '../../../core/validate.ts';
import { type Accounts, MOST_ACTIVE_KEYS, storedScopes } from '../../../domain/access/accounts/index.ts';
import { idempotencyKeyIn } from '../../../http/idempotency.ts';
import { KeyHeaders, KeyPath, KeyResponse, NewKeyBody, NewKeyResponse } from '../account/schemas.ts';
import { actorOf, principalOf, readPath } from '../input/parameters.ts';
import { errorResponses } from '../schemas.ts';

const TAGS = ['Account'];
const checkKey = validator(NewKeyBody, { name: 'body' });

export interface AccountKeyRoutes {
  readonly accounts: Pick<Accounts, 'ownKeys'>;
}

/**
 * The keys of an account, for people in the console alone: a key that could make or revoke keys would outlive its own revocation,
 * or take the others away.
 */
export function addAccountKeyRoutes(app: FastifyInstance, { accounts }: AccountKeyRoutes): void {
  const { ownKeys } = accounts;
  const config = { access: 'console' } as const;

  app.get(
    '/account/keys',
    {
      config,
      schema: {
        operationId: 'listKeys',
        summary: 'List your API keys, the oldest first, revoked ones too',
        tags: TAGS,
        response: { 200: Type.Array(KeyResponse) },
      },
    },
    async (request) => (await ownKeys.list(principalOf(request).account)).map(listed),
  );

  app.post(
    '/account/keys',
    {
      config,
      schema: {
        operationId: 'createKey',
        summary: 'Create an API key, which is returned this once',
        description: `An account has ${MOST_ACTIVE_KEYS} active keys at most.`,
        tags: TAGS,
        headers: KeyHeaders,
        body: NewKeyBody,
        response: { 201: NewKeyResponse, ...errorResponses([409]) },
      },
    },
    async (request, reply) => {
      const { label, scopes } = checkKey(request.body);
      const wish = idempotencyKeyIn(request);
      const key = await ownKeys.create(
        principalOf(request).account,
        {
          label,
          scopes,
          ...(wish === undefined ? {} : { wish }),
        },
        actorOf(request),
      );
      return reply.code(201).send(listed(key));
    },
  );

  app.delete(
    '/account/keys/:key_id',
    {
      config,
      schema: {
        operationId: 'revokeKey',
        summary: 'Revoke an API key: calls with it fail from now on',
        description:
          'A revoked key stays in the list, and cannot be restored. Revoking it again changes nothing.',
        tags: TAGS,
        params: KeyPath,
        response: { 200: KeyResponse },
      },
    },
    async (request) => {
      const { key_id: id } = readPath(KeyPath, request);
      return listed(await ownKeys.revoke(principalOf(request).account, id, actorOf(request)));
    },
  );
}

/** With its scopes as a list. */
const listed = <K extends { readonly scopes: string }>(key: K) => ({
  ...key,
  scopes: storedScopes(key.scopes),
});
