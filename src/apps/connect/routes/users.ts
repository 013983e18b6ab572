import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { EndUsers } from '../../../domain/links/end-users/index.ts';
import { actorOf, principalOf, readPath } from '../input/parameters.ts';

const UserRef = Type.Object({
  user_ref: Type.String({ description: 'Your own reference for the end user', examples: ['anna'] }),
});

export interface UserRoutes {
  readonly endUsers: EndUsers;
}

/** The people whose devices an account has linked. */
export function addUserRoutes(app: FastifyInstance, { endUsers }: UserRoutes): void {
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
