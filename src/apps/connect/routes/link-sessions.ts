import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { validator } from '../../../http/validate.ts';
import type { ConnectDependencies } from '../dependencies.ts';
import { sendPage } from '../pages.ts';
import { principalOf } from '../principal.ts';
import { answers, failures } from '../schemas.ts';

const SessionBody = Type.Object({
  user_ref: Type.String({ minLength: 1, maxLength: 200, description: 'Your own reference of the end user' }),
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
      description: 'Where the user is sent afterwards; https, or http on localhost',
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
export function linkSessionRoutes(app: FastifyInstance, dependencies: ConnectDependencies): void {
  const { linkSessions, adapters, isConfigured, publicUrl, isSimulated } = dependencies;

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
      return linkSessions.begin({ account, userRef: user_ref, vendor, redirectUri: redirect_uri });
    },
  );

  app.get<{ Params: { session: string } }>(
    '/link/sessions/:session',
    {
      config: { access: 'public' },
      schema: {
        summary: 'The page on which the end user picks a vendor and signs in',
        tags: ['Linking'],
        params: Type.Object({ session: Type.String() }),
        produces: ['text/html'],
        response: {
          303: Type.Null({ description: 'To the sign-in at the one vendor that the session is for' }),
          ...failures([400, 503]),
        },
      },
    },
    async (request, reply) => {
      const { session } = request.params;
      const { vendor } = await linkSessions.open(session);
      const byOAuth = [...adapters.values()].filter(
        ({ slug, oauth }) => oauth !== undefined && (vendor === null ? isConfigured(slug) : slug === vendor),
      );
      // The vendor leads back to this address of ours alone: the browser must get its cookie there.
      const addressOf = (slug: string) =>
        `${publicUrl()}/oauth/${slug}/authorize?session=${encodeURIComponent(session)}`;
      const [only, ...others] = byOAuth;
      if (vendor !== null && only !== undefined && others.length === 0)
        return reply.redirect(addressOf(only.slug), 303);
      return sendPage(reply, 200, {
        title: 'Link a device',
        paragraphs: [byOAuth.length === 0 ? 'Nothing can be linked on this page.' : 'Where is your device?'],
        links: byOAuth.map(({ slug, name }) => ({
          href: addressOf(slug),
          text: isSimulated(slug) ? `${name} (simulated)` : name,
        })),
      });
    },
  );
}
