import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { DEVICE_TYPES, DeviceTypeSchema } from '../../../adapter/device.ts';
import { validator } from '../../../core/validate.ts';
import type { LinkSessions } from '../../../domain/links/links/index.ts';
import { principalOf, SESSION_ID, vendorSlug, withPriceArea } from '../input/parameters.ts';
import { PriceAreaOfLink, responses } from '../schemas.ts';

const SessionBody = Type.Object(
  {
    user_ref: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Your own reference for the end user',
      examples: ['anna'],
    }),
    vendor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 60,
        description: 'Only this vendor; without it, the user chooses one',
      }),
    ),
    device_types: Type.Optional(
      Type.Array(DeviceTypeSchema, {
        minItems: 1,
        maxItems: DEVICE_TYPES.length,
        description:
          'The user is asked only for the permissions that these types of devices need, where the vendor tells them apart; for all without it',
      }),
    ),
    gateway: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 40,
        description:
          'Id of a gateway in the network of the user, from `GET /gateways`: devices there are linked through it, and the user is not asked for it',
      }),
    ),
    price_area: Type.Optional(PriceAreaOfLink),
    redirect_uri: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_000,
        description:
          'Where the user is sent afterwards, with `status=linked&session=&link=` or `status=failed&session=&reason=`. Must be https, or http on localhost',
      }),
    ),
    show_devices: Type.Optional(
      Type.Boolean({
        description:
          'The user sees the devices that were found, with a button that leads to `redirect_uri`, also after a sign-in at the vendor. Without it, the browser is sent there at once after such a sign-in; after a form of ours the devices are always shown',
        examples: [true],
      }),
    ),
  },
  { title: 'NewLinkSession' },
);

const Session = Type.Object(
  {
    session: Type.String({ examples: [SESSION_ID] }),
    url: Type.String({
      description: 'Address of the page to open in the end user’s browser',
      examples: [`https://connect.example.com/link/sessions/${SESSION_ID}`],
    }),
    expires_at: Type.String({ format: 'date-time' }),
  },
  { title: 'CreatedLinkSession' },
);

const checkSession = validator(SessionBody, { name: 'body' });

export interface LinkSessionRoutes {
  readonly linkSessions: Pick<LinkSessions, 'begin'>;
}

/** Sessions in which the end user links an account on a page of ours. */
export function addLinkSessionRoutes(app: FastifyInstance, { linkSessions }: LinkSessionRoutes): void {
  app.post(
    '/link/sessions',
    {
      config: { access: 'link:write' },
      schema: {
        operationId: 'createLinkSession',
        summary: 'Create a link session, in which the end user links an account',
        description: 'A session can be used once, within 24 hours.',
        tags: ['Linking'],
        body: SessionBody,
        response: responses(Session, [404]),
      },
    },
    (request) => {
      const { account } = principalOf(request);
      const { user_ref, vendor, redirect_uri, device_types, gateway, price_area, show_devices } =
        checkSession(withPriceArea(request.body));
      return linkSessions.begin({
        account,
        userRef: user_ref,
        vendor: vendor === undefined ? undefined : vendorSlug(vendor),
        redirectUri: redirect_uri,
        deviceTypes: device_types,
        gateway,
        priceArea: price_area,
        showsDevices: show_devices,
      });
    },
  );
}
