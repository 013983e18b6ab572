import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Clock } from '../../../core/clock.ts';
import type { EndUsers } from '../../../domain/links/end-users/index.ts';
import { sendLines } from '../../../http/rows.ts';
import { actorOf, principalOf, readPath } from '../input/parameters.ts';

const UserRef = Type.Object({
  user_ref: Type.String({ description: 'Your own reference for the end user', examples: ['anna'] }),
});

export interface UserRoutes {
  readonly endUsers: EndUsers;
  readonly clock: Clock;
}

/** The people whose devices an account has linked. */
export function addUserRoutes(app: FastifyInstance, { endUsers, clock }: UserRoutes): void {
  app.get(
    '/users/:user_ref/export',
    {
      config: { access: 'devices:read' },
      schema: {
        operationId: 'exportUser',
        summary: 'Export what is stored about an end user',
        description:
          'Returns all that is stored about a person, in the tables of which `DELETE /users/{user_ref}` deletes it, one row on each line: `{"table": "links", "row": {…}}`. Moments are milliseconds since 1970. Credentials, tokens, hashes and what only says how this service works are left out. The last line is `{"end": true}`: without it, the response was broken off. Somebody who is not known has that line alone.',
        tags: ['Linking'],
        params: UserRef,
        response: {
          200: {
            description: 'NDJSON: one object on each line',
            content: { 'application/x-ndjson': { schema: Type.String() } },
          },
        },
      },
    },
    async (request, reply) => {
      const { account } = principalOf(request);
      const { user_ref: userRef } = readPath(UserRef, request);
      return sendLines(request, reply, {
        batches: await endUsers.export(actorOf(request), { account, userRef }),
        clock,
      });
    },
  );

  app.delete(
    '/users/:user_ref',
    {
      config: { access: 'link:write' },
      schema: {
        operationId: 'forgetUser',
        summary: 'Forget an end user',
        description:
          'Deletes all that is stored about a person: links with their credentials, devices, states, commands, history, charging transactions and sessions, link sessions and events. Devices are returned to automatic operation and access is revoked at the vendors first, as far as they respond. Somebody who is not known is forgotten as well: 204. Repeat it after an error: what is left is deleted then.',
        tags: ['Linking'],
        params: UserRef,
        response: {
          204: Type.Null({ description: 'Forgotten' }),
        },
      },
    },
    async (request, reply) => {
      const { account } = principalOf(request);
      const { user_ref: userRef } = readPath(UserRef, request);
      await endUsers.forget(actorOf(request), { account, userRef });
      return reply.code(204).send();
    },
  );
}
