import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Adapter } from '../../../adapter/adapter.ts';
import { Device } from '../../../adapter/device.ts';
import { validator } from '../../../core/validate.ts';
import type { Devices } from '../../../domain/devices/devices/index.ts';
import type { Discovery } from '../../../domain/links/discovery/index.ts';
import type { Links } from '../../../domain/links/links/index.ts';
import type { Idempotency } from '../../../http/idempotency.ts';
import { nextPage } from '../../../http/next-page.ts';
import {
  LINK_ID,
  LinkId,
  limitParameter,
  linkIn,
  principalOf,
  readQuery,
  vendorSlug,
  withPriceArea,
} from '../input/parameters.ts';
import { NextSteps, nextStepsField, nextStepsOf } from '../linking/next-steps.ts';
import type { GuessLimit } from '../linking/wrong-credentials.ts';
import { IdempotencyHeaders, PriceAreaOfLink, responses } from '../schemas.ts';

const LinkBody = Type.Object(
  {
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
    price_area: Type.Optional(PriceAreaOfLink),
  },
  { title: 'NewLink' },
);

export const LinkedDevices = Type.Array(
  Type.Object(
    {
      id: Device.properties.id,
      vendor: Device.properties.vendor,
      device_type: Device.properties.device_type,
    },
    { title: 'LinkedDevice' },
  ),
);

const Linked = Type.Object({ devices: LinkedDevices, next_steps: NextSteps }, { title: 'LinkedAccount' });

const ListedLink = Type.Object(
  {
    id: Type.String({ examples: [LINK_ID] }),
    vendor: Device.properties.vendor,
    user_ref: LinkBody.properties.user_ref,
    status: Type.Enum(['active', 'needs_relink', 'unreachable']),
    status_since: Type.String({ format: 'date-time' }),
    status_reason: Type.Union([Type.String(), Type.Null()], { examples: [null] }),
    created_at: Type.String({ format: 'date-time' }),
    device_count: Type.Integer({ examples: [10] }),
    missing_permissions: Type.Array(Type.String(), {
      description:
        "What the user has not granted, in the vendor's words. Devices lack the capabilities that need it, until the account is linked again with it",
      examples: [[]],
    }),
    price_area: Type.Union([PriceAreaOfLink, Type.Null()], {
      description:
        'Swedish price area of its devices; null where nobody has said it: then energy has no cost',
      examples: ['SE3'],
    }),
    last_read_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'When one of its devices was last read, by a caller or in the background',
    }),
    removed_by: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description:
        'Of a link that is being deleted: it is gone when its devices have left their set-points, and at this time at the latest',
      examples: [null],
    }),
  },
  { title: 'Link' },
);

const PAGE = 1_000;

const ListFilters = Type.Object({
  vendor: Type.Optional(Type.String()),
  user_ref: Type.Optional(Type.String()),
  status: Type.Optional(ListedLink.properties.status),
  limit: limitParameter(PAGE),
  cursor: Type.Optional(Type.String({ description: 'From the Link header of the previous page' })),
});

const LinkChange = Type.Object(
  {
    price_area: Type.Union([PriceAreaOfLink, Type.Null()], {
      description: 'Swedish price area of its devices; null: not known, so that energy has no cost',
      examples: ['SE3'],
    }),
  },
  { title: 'LinkChange' },
);

const Changed = Type.Object(
  { id: ListedLink.properties.id, price_area: ListedLink.properties.price_area },
  { title: 'ChangedLink' },
);

const Removing = Type.Object(
  {
    id: ListedLink.properties.id,
    removed_by: Type.String({
      format: 'date-time',
      description:
        'The link is deleted when its devices have left their set-points, and at this time at the latest',
    }),
    set_points: Type.Array(
      Type.Object({
        device: Device.properties.id,
        type: Type.String({ examples: ['set_battery_power'] }),
        error: Type.String({
          description: 'Why the device could not be returned to automatic operation',
          examples: ['192.0.2.7:80 is unreachable'],
        }),
      }),
    ),
  },
  {
    title: 'LinkRemoval',
    description:
      'A device would hold a set-point for ever and cannot be reached. elnav tries again, needs the credentials for that, and takes no new set-points of the link',
  },
);

const Force = Type.Object({
  force: Type.Optional(
    Type.Enum(['true'], {
      description: 'Delete the link at once, although a device may hold a set-point for ever',
    }),
  ),
});

const ids = (description: string) => Type.Array(Device.properties.id, { description, examples: [[]] });

const Refreshed = Type.Object(
  {
    devices: LinkedDevices,
    added: ids('Devices that were not known'),
    changed: ids('Devices whose name, type or capabilities are others now'),
    removed: ids(
      'Devices that are gone: an hour or more ago they were missing already, and the vendor does not answer for them',
    ),
    missing: ids('Devices that the vendor did not list now; they are removed once later lists confirm it'),
  },
  { title: 'RefreshedLink' },
);

const checkLink = validator(LinkBody, { name: 'body' });
const checkChange = validator(LinkChange, { name: 'body' });

export interface LinkRoutes {
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly links: Pick<Links, 'link' | 'page' | 'remove' | 'setPriceArea'>;
  readonly devices: Pick<Devices, 'knownOfLink'>;
  readonly discovery: Pick<Discovery, 'refresh'>;
  readonly idempotency: Idempotency;
  /** Public address of this service, without a trailing slash. */
  readonly publicUrl: () => string;
}

/** Vendor accounts: linked with credentials, listed and unlinked. */
export function addLinkRoutes(
  app: FastifyInstance,
  dependencies: LinkRoutes & { readonly guarded: GuessLimit },
): void {
  const { discovery, links } = dependencies;
  addLinkingRoute(app, dependencies);

  app.get(
    '/links',
    {
      config: { access: 'devices:read' },
      schema: {
        operationId: 'listLinks',
        summary: 'List linked vendor accounts with their status',
        description: 'The oldest first. The Link header leads to the next page.',
        tags: ['Linking'],
        querystring: ListFilters,
        response: { 200: Type.Array(ListedLink) },
        pagination: { cursor: 'cursor' },
      },
    },
    async (request, reply) => {
      const query = request.query as Record<string, unknown>;
      const { vendor, user_ref, status, cursor, limit = PAGE } = readQuery(ListFilters, query);
      const page = await links.page(principalOf(request).account, {
        vendor: vendor === undefined ? undefined : vendorSlug(vendor),
        userRef: user_ref,
        ...{ status, cursor, limit },
      });
      if (page.next !== null) reply.header('link', nextPage('/links', query, { cursor: page.next }));
      return page.links;
    },
  );

  app.patch(
    '/links/:id',
    {
      config: { access: 'link:write' },
      schema: {
        operationId: 'updateLink',
        summary: 'Change the price area of a link',
        description: 'The cost of energy follows it, that of the past too.',
        tags: ['Linking'],
        params: LinkId,
        body: LinkChange,
        response: { 200: Changed },
      },
    },
    async (request) => {
      const key = { account: principalOf(request).account, link: linkIn(request) };
      const { price_area } = checkChange(withPriceArea(request.body));
      await links.setPriceArea(key, price_area);
      return { id: key.link, price_area };
    },
  );

  app.delete(
    '/links/:id',
    {
      config: { access: 'link:write' },
      schema: {
        operationId: 'deleteLink',
        summary: 'Unlink a vendor account',
        description:
          'Returns its devices to automatic operation, deletes the link with its credentials, devices and states, and revokes the access at the vendor where that is possible.',
        tags: ['Linking'],
        params: LinkId,
        querystring: Force,
        response: {
          202: Removing,
          204: Type.Null({ description: 'Unlinked' }),
        },
      },
    },
    async (request, reply) => {
      const isForced = readQuery(Force, request.query).force !== undefined;
      const waiting = await links.remove(principalOf(request).account, linkIn(request), { isForced });
      return waiting === undefined ? reply.code(204).send() : reply.code(202).send(waiting);
    },
  );

  app.post(
    '/links/:id/refresh',
    {
      config: { access: 'link:write' },
      schema: {
        operationId: 'refreshLink',
        summary: 'List the devices of a linked account again',
        description:
          'elnav does this once a day by itself, and when the vendor no longer knows a device. A new device is there at once. A device that is gone is removed only after it has been missing in lists for an hour and the vendor no longer answers for it: no incident of a vendor costs you a device.',
        tags: ['Linking'],
        params: LinkId,
        response: responses(Refreshed, [422, 502]),
      },
    },
    async (request) => {
      const { account } = principalOf(request);
      const key = { account, link: linkIn(request) };
      const relisted = await discovery.refresh(key);
      const found = await dependencies.devices.knownOfLink(key);
      return {
        devices: found.map(({ id, vendor, type }) => ({ id, vendor, device_type: type })),
        ...relisted,
      };
    },
  );
}

function addLinkingRoute(
  app: FastifyInstance,
  dependencies: LinkRoutes & { readonly guarded: GuessLimit },
): void {
  const { adapters, links, idempotency, guarded, publicUrl } = dependencies;
  app.post(
    '/link',
    {
      config: { access: 'link:write' },
      schema: {
        operationId: 'linkAccount',
        summary: 'Link a vendor account',
        description:
          'Linking the same vendor account again updates its credentials and returns the same devices. They then belong to the new user_ref: a vendor account has one user at a time.',
        tags: ['Linking'],
        headers: IdempotencyHeaders,
        body: LinkBody,
        response: responses(Linked, [404, 409, 422, 502]),
      },
    },
    (request, reply) => {
      const { account } = principalOf(request);
      return idempotency({
        request,
        reply,
        account,
        run: async (begun) => {
          const {
            vendor: written,
            user_ref,
            credentials,
            price_area,
          } = checkLink(withPriceArea(request.body));
          const vendor = vendorSlug(written);
          const { link, devices } = await guarded({ account, vendor, credentials }, () =>
            links.link({
              ...{ account, vendor, userRef: user_ref, credentials, begun },
              priceArea: price_area,
            }),
          );
          const adapter = adapters.get(vendor);
          if (adapter?.nextSteps === undefined) return { devices };
          const found = await dependencies.devices.knownOfLink({ account, link });
          return { devices, ...nextStepsField(nextStepsOf(adapter, found, publicUrl()), request) };
        },
      });
    },
  );
}
