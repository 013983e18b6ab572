import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { Device } from '../../../adapter/device.ts';
import { AppError } from '../../../core/errors.ts';
import { faultInText } from '../../../core/json.ts';
import { validator } from '../../../core/validate.ts';
import type { ConnectDependencies } from '../dependencies.ts';
import { NextSteps, nextStepsField, nextStepsOf } from '../linking/next-steps.ts';
import type { GuessLimit } from '../linking/wrong-credentials.ts';
import { principalOf } from '../principal.ts';
import { answers, failures, IdempotencyHeaders } from '../schemas.ts';
import { vendorSlug } from '../vendor-slug.ts';

/** What an id of a link looks like. */
export const LINK_ID = 'FQ0rwiEK5DVrW78icMP4Rr';

const LinkBody = Type.Object({
  vendor: Type.String({
    minLength: 1,
    maxLength: 60,
    description: 'Vendor slug, from GET /vendors',
    examples: ['sandbox'],
  }),
  user_ref: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'Your own reference for the end user',
    examples: ['anna'],
  }),
  credentials: Type.Object(
    {},
    {
      additionalProperties: true,
      maxProperties: 50,
      description: "As the vendor's schema in GET /vendors requires",
    },
  ),
});

export const LinkedDevices = Type.Array(
  Type.Object({
    id: Device.properties.id,
    vendor: Device.properties.vendor,
    device_type: Device.properties.device_type,
  }),
);

const Linked = Type.Object({ devices: LinkedDevices, next_steps: NextSteps });

const ListedLink = Type.Object({
  id: Type.String({ examples: [LINK_ID] }),
  vendor: Device.properties.vendor,
  user_ref: LinkBody.properties.user_ref,
  status: Type.Enum(['active', 'needs_relink', 'unreachable']),
  status_since: Type.String({ format: 'date-time' }),
  status_reason: Type.Union([Type.String(), Type.Null()], { examples: [null] }),
  created_at: Type.String({ format: 'date-time' }),
  device_count: Type.Integer({ examples: [10] }),
  last_read_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: 'When one of its devices was last read, by a caller or in the background',
  }),
});

const checkLink = validator(LinkBody, { name: 'body' });

export function linkRoutes(
  app: FastifyInstance,
  dependencies: ConnectDependencies & { readonly guarded: GuessLimit },
): void {
  const { adapters, links, idempotency, guarded, publicUrl } = dependencies;
  app.post(
    '/link',
    {
      config: { access: 'link:write' },
      schema: {
        summary: 'Link a vendor account',
        description:
          'Linking the same vendor account again updates its credentials and returns the same devices. They then belong to the new user_ref: a vendor account has one user at a time.',
        tags: ['Linking'],
        headers: IdempotencyHeaders,
        body: LinkBody,
        response: answers(Linked, [400, 401, 403, 409, 413, 422, 429, 502, 503]),
      },
    },
    (request, reply) => {
      const { account } = principalOf(request);
      return idempotency({
        request,
        reply,
        account,
        run: async (begun) => {
          const { vendor: written, user_ref, credentials } = checkLink(request.body);
          const vendor = vendorSlug(written);
          const { link, devices } = await guarded({ account, vendor, credentials }, () =>
            links.link({ account, vendor, userRef: user_ref, credentials, begun }),
          );
          const adapter = adapters.get(vendor);
          if (adapter?.nextSteps === undefined) return { devices };
          const found = await dependencies.devices.knownOfLink({ account, link });
          return { devices, ...nextStepsField(nextStepsOf(adapter, found, publicUrl()), request) };
        },
      });
    },
  );

  app.get(
    '/links',
    {
      config: { access: 'devices:read' },
      schema: {
        summary: 'List linked vendor accounts with their status',
        tags: ['Linking'],
        response: answers(Type.Array(ListedLink), [401, 403, 429, 503]),
      },
    },
    (request) => links.list(principalOf(request).account),
  );

  app.delete<{ Params: { id: string } }>(
    '/links/:id',
    {
      config: { access: 'link:write' },
      schema: {
        summary: 'Unlink a vendor account',
        description:
          'Deletes the link with its credentials, devices and states, and revokes the access at the vendor where that is possible.',
        tags: ['Linking'],
        params: Type.Object({
          id: Type.String({ description: 'Id of the link, from GET /links', examples: [LINK_ID] }),
        }),
        response: {
          204: Type.Null({ description: 'Unlinked' }),
          ...failures([401, 403, 404, 429, 503]),
        },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      // An id that no store can hold is an id that does not exist.
      if (faultInText(id, 'id') !== null) throw new AppError('link.not_found', 'there is no such link');
      await links.remove(principalOf(request).account, id);
      return reply.code(204).send();
    },
  );
}
