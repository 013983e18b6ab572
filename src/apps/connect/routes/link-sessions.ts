import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { validator } from '../../../http/validate.ts';
import type { ConnectDependencies } from '../dependencies.ts';
import { principalOf } from '../principal.ts';
import { answers } from '../schemas.ts';
import { vendorSlug } from '../vendor-slug.ts';

const SessionBody = Type.Object({
  user_ref: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'Your own reference of the end user',
    examples: ['anna'],
  }),
  vendor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 60,
      description: 'Only this vendor; the user picks one otherwise',
    }),
  ),
  redirect_uri: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_000,
      description:
        'Where the user is sent afterwards, with `status=linked&session=&link=` or `status=failed&session=&reason=`; https, or http on localhost',
    }),
  ),
});

const Session = Type.Object({
  session: Type.String(),
  url: Type.String({ description: 'The page to open in the end user’s browser' }),
  expires_at: Type.String({ format: 'date-time' }),
});

const checkSession = validator(SessionBody, { name: 'body' });

/** Sessions in which the end user links an account on a page of ours. */
export function linkSessionRoutes(app: FastifyInstance, { linkSessions }: ConnectDependencies): void {
  app.post(
    '/link/sessions',
    {
      config: { access: 'link:write' },
      schema: {
        summary: 'Begin a session in which the end user links an account',
        description: 'Single use, 24 hours.',
        tags: ['Linking'],
        body: SessionBody,
        response: answers(Session, [400, 401, 403, 413, 429, 503]),
      },
    },
    (request, reply) => {
      const { account } = principalOf(request);
      const { user_ref, vendor, redirect_uri } = checkSession(request.body);
      reply.header('cache-control', 'no-store');
      return linkSessions.begin({
        account,
        userRef: user_ref,
        vendor: vendor === undefined ? undefined : vendorSlug(vendor),
        redirectUri: redirect_uri,
      });
    },
  );
}
