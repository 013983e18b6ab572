import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { type Accounts, parseScopes, SCOPES } from '../../../domain/access/accounts/index.ts';
import type { People } from '../../../domain/access/people/index.ts';
import { nextPage } from '../../../http/next-page.ts';
import { ownPath } from '../../../http/own-path.ts';
import { unknownPath } from '../../../http/unknown-routes.ts';
import { actorOf, adminRoute } from '../administration/route.ts';
import {
  DeletionParameters,
  Key,
  KeyParameters,
  KeyPath,
  NewKey,
  PolicyParameters,
  RoleParameters,
  SignInLink,
  SignInLinkParameters,
  User,
  UserChangeParameters,
  UserFilters,
  UserParameters,
  UserPath,
  UserPolicy,
} from '../administration/schemas.ts';
import { signInLinks } from '../administration/sign-in-link.ts';
import { parse, parsePathAndQuery } from '../input/parameters.ts';

interface UserRoutes {
  readonly accounts: Pick<Accounts, 'users' | 'keys' | 'noteChange'>;
  readonly people: Pick<People, 'linkFor'>;
  readonly publicUrl: () => string;
}

/** Users, their policies, their keys, and links that sign them in. */
export function addUserRoutes(app: FastifyInstance, { accounts, people, publicUrl }: UserRoutes): void {
  const { users, keys } = accounts;
  const signInLink = signInLinks({ accounts, people, publicUrl });
  app.get(
    '/admin/users',
    adminRoute({
      operationId: 'listUsers',
      summary: 'List users with their policies and keys, by id',
      query: UserFilters,
      answer: Type.Array(User),
      pagination: { cursor: 'cursor' },
    }),
    async (request, reply) => {
      const { search, tier, limit, cursor } = parse(UserFilters, { place: 'query', sent: request.query });
      const page = await users.page({ text: search.trim(), tier, limit, after: cursor });
      if (page.next !== null)
        reply.header('link', nextPage('/admin/users', request.query, { cursor: String(page.next) }));
      return page.users;
    },
  );

  app.post(
    '/admin/users',
    adminRoute({
      operationId: 'createUser',
      summary: 'Create a user',
      query: UserParameters,
      answer: User,
      errors: { 409: 'A user with this email address already exists' },
    }),
    (request) =>
      users.create(parse(UserParameters, { place: 'query', sent: request.query }), actorOf(request)),
  );

  app.get(
    '/admin/users/:user_id',
    adminRoute({
      operationId: 'getUser',
      summary: 'Read a user with the policy and the keys',
      path: UserPath,
      answer: User,
      errors: { 404: 'The user does not exist' },
    }),
    (request) => {
      refuseWithoutId(request);
      return users.one(parse(UserPath, { place: 'path', sent: request.params }).user_id);
    },
  );

  app.patch(
    '/admin/users/:user_id',
    adminRoute({
      operationId: 'updateUser',
      summary: 'Change the email address, name or tier of a user, suspend the account, or end that',
      path: UserPath,
      query: UserChangeParameters,
      answer: User,
      errors: {
        404: 'The user does not exist',
        409: 'A user with this email address already exists, or the user is being deleted',
      },
    }),
    (request) => {
      refuseWithoutId(request);
      const { path, query } = parsePathAndQuery(request, { path: UserPath, query: UserChangeParameters });
      const sent = request.query as Readonly<Record<string, unknown>>;
      const change = Object.fromEntries(Object.entries(query).filter(([name]) => Object.hasOwn(sent, name)));
      return users.change(path.user_id, change, actorOf(request));
    },
  );

  app.delete(
    '/admin/users/:user_id',
    adminRoute({
      operationId: 'deleteUser',
      summary:
        'Delete a user with all that is stored of the account; nobody can use it from now on. Repeat the call until it returns 204',
      path: UserPath,
      query: DeletionParameters,
      answers: {
        202: { ...User, description: 'What is stored of the account is being erased' },
        204: Type.Null({ description: 'Nothing is stored of the account any more' }),
      },
      errors: {
        404: 'The user has never existed',
        409: 'confirm is not the email address of the user, or the user has the role of an operator',
      },
    }),
    async (request, reply) => {
      refuseWithoutId(request);
      const { path, query } = parsePathAndQuery(request, { path: UserPath, query: DeletionParameters });
      const user = await users.close(path.user_id, query.confirm, actorOf(request));
      return user === undefined ? reply.code(204).send() : reply.code(202).send(user);
    },
  );

  app.post(
    '/admin/users/:user_id/policy',
    adminRoute({
      operationId: 'setUserPolicy',
      summary: "Set a user's rate policy, and how many links the account may have",
      path: UserPath,
      query: PolicyParameters,
      answer: UserPolicy,
      errors: { 404: 'The user does not exist', 409: 'The user is being deleted' },
    }),
    (request) => {
      const { path, query } = parsePathAndQuery(request, { path: UserPath, query: PolicyParameters });
      const { most_links, ...rates } = query;
      const isSent = Object.hasOwn(request.query as object, 'most_links');
      const links = isSent ? { most_links: most_links === 0 ? null : most_links } : {};
      return users.setPolicy(path.user_id, { ...rates, ...links }, actorOf(request));
    },
  );

  app.post(
    '/admin/users/:user_id/keys',
    adminRoute({
      operationId: 'createUserKey',
      summary: 'Create an API key for a user; it is shown only once',
      path: UserPath,
      query: KeyParameters,
      answer: NewKey,
      errors: { 404: 'The user does not exist', 409: 'The user is being deleted' },
    }),
    (request) => {
      const { path, query } = parsePathAndQuery(request, {
        path: UserPath,
        query: KeyParameters,
        rules: { scopes: faultInScopes },
      });
      const scopes = parseScopes(query.scopes);
      return keys.create(
        path.user_id,
        { label: query.label, scopes: typeof scopes === 'string' ? SCOPES : scopes },
        actorOf(request),
      );
    },
  );

  app.post(
    '/admin/users/:user_id/role',
    adminRoute({
      operationId: 'setUserRole',
      summary: "Give a user the role of an operator, or take it; it holds from the user's next request on",
      path: UserPath,
      query: RoleParameters,
      answer: User,
      errors: { 404: 'The user does not exist', 409: 'The user is being deleted' },
    }),
    (request) => {
      const { path, query } = parsePathAndQuery(request, { path: UserPath, query: RoleParameters });
      return users.setRole(path.user_id, query.role === 'operator' ? 'operator' : null, actorOf(request));
    },
  );

  app.post(
    '/admin/users/:user_id/sign-in-link',
    adminRoute({
      operationId: 'createSignInLink',
      summary: 'Create a link that signs a user in, once and within 15 minutes; it is not mailed',
      path: UserPath,
      query: SignInLinkParameters,
      answer: SignInLink,
      errors: { 404: 'The user does not exist', 409: 'The user is being deleted' },
    }),
    async (request) => {
      const { path, query } = parsePathAndQuery(request, {
        path: UserPath,
        query: SignInLinkParameters,
        rules: { next: faultInNext },
      });
      return signInLink(path.user_id, query.next, actorOf(request));
    },
  );

  app.delete(
    '/admin/keys/:key_id',
    adminRoute({
      operationId: 'revokeUserKey',
      summary: 'Revoke an API key, on every instance at once',
      path: KeyPath,
      answer: Key,
      errors: { 404: 'The API key does not exist' },
    }),
    (request) =>
      keys.revoke(parse(KeyPath, { place: 'path', sent: request.params }).key_id, actorOf(request)),
  );
}

/** The path of the list with a slash at its end is no path: its id would be empty. */
function refuseWithoutId({ params, url }: FastifyRequest): void {
  if ((params as { user_id: string }).user_id === '') throw unknownPath(url.split('?', 1)[0] ?? '');
}

const faultInNext = (text: string): string | null =>
  text === '' || ownPath(text) !== undefined ? null : 'must be a path of this service, as in /auth/console';

function faultInScopes(text: string): string | null {
  const scopes = parseScopes(text);
  return typeof scopes === 'string' ? scopes : null;
}
