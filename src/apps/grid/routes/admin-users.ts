import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { type Accounts, parseScopes, SCOPES } from '../../../domain/accounts/index.ts';
import { actorOf, adminRoute } from '../administration/route.ts';
import {
  Key,
  KeyParameters,
  KeyPath,
  NewKey,
  PolicyParameters,
  User,
  UserParameters,
  UserPath,
  UserPolicy,
} from '../administration/schemas.ts';
import { parse, parsePathAndQuery } from '../input/parameters.ts';

/** Users, their policies and their keys. */
export function addUserRoutes(app: FastifyInstance, { users, keys }: Pick<Accounts, 'users' | 'keys'>): void {
  app.get(
    '/admin/users',
    adminRoute({ summary: 'List all users with their policies and keys', answer: Type.Array(User) }),
    () => users.list(),
  );

  app.post(
    '/admin/users',
    adminRoute({
      summary: 'Create a user',
      query: UserParameters,
      answer: User,
      errors: { 409: 'A user with this email address already exists' },
    }),
    (request) =>
      users.create(parse(UserParameters, { place: 'query', sent: request.query }), actorOf(request)),
  );

  app.post(
    '/admin/users/:user_id/policy',
    adminRoute({
      summary: "Set a user's rate policy",
      path: UserPath,
      query: PolicyParameters,
      answer: UserPolicy,
      errors: { 404: 'The user does not exist' },
    }),
    (request) => {
      const { path, query } = parsePathAndQuery(request, { path: UserPath, query: PolicyParameters });
      return users.setPolicy(path.user_id, query, actorOf(request));
    },
  );

  app.post(
    '/admin/users/:user_id/keys',
    adminRoute({
      summary: 'Create an API key for a user; it is shown only once',
      path: UserPath,
      query: KeyParameters,
      answer: NewKey,
      errors: { 404: 'The user does not exist' },
    }),
    (request, reply) => {
      const { path, query } = parsePathAndQuery(request, {
        path: UserPath,
        query: KeyParameters,
        rules: { scopes: faultInScopes },
      });
      const scopes = parseScopes(query.scopes);
      reply.header('cache-control', 'no-store');
      return keys.create(
        path.user_id,
        { label: query.label, scopes: typeof scopes === 'string' ? SCOPES : scopes },
        actorOf(request),
      );
    },
  );

  app.delete(
    '/admin/keys/:key_id',
    adminRoute({
      summary: 'Revoke an API key, on every instance at once',
      path: KeyPath,
      answer: Key,
      errors: { 404: 'The API key does not exist' },
    }),
    (request) =>
      keys.revoke(parse(KeyPath, { place: 'path', sent: request.params }).key_id, actorOf(request)),
  );
}

function faultInScopes(text: string): string | null {
  const scopes = parseScopes(text);
  return typeof scopes === 'string' ? scopes : null;
}
