import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { validator } from '../../../core/validate.ts';
import type { Discover, GatewayKey, Gateways } from '../../../domain/links/gateways/index.ts';
import { actorOf, principalOf, readPath } from '../input/parameters.ts';
import { responses } from '../schemas.ts';

const GATEWAY_ID = 'Xh3k9dQz0aT1mVb7LpRw2s';

const GatewayId = Type.Object({
  id: Type.String({ description: 'Id of the gateway, from GET /gateways', examples: [GATEWAY_ID] }),
});

const GatewayBody = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 60,
      pattern: '^[^\\u0000-\\u001f\\u007f]+$',
      description: 'What you call it; errors name it',
      examples: ['Storgatan 1'],
    }),
  },
  { title: 'NewGateway' },
);

const Pairing = Type.Object(
  {
    id: Type.String({ examples: [GATEWAY_ID] }),
    pairing_code: Type.String({
      description:
        'ELNAV_GATEWAY_CODE of the gateway. Shown this once, good for one gateway and for 10 minutes',
      examples: ['7KQ2-M0ZT-9XWD-4HCB'],
    }),
    expires_at: Type.String({ format: 'date-time' }),
  },
  { title: 'GatewayPairing' },
);

const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const moment = Type.String({ format: 'date-time' });

const Gateway = Type.Object(
  {
    id: Type.String({ examples: [GATEWAY_ID] }),
    name: GatewayBody.properties.name,
    connected: Type.Boolean({
      description: 'A gateway that was cut off counts as connected for another 10 seconds',
    }),
    last_heard_at: orNull(moment),
    created_at: moment,
    paired_at: orNull(moment),
    version: orNull(Type.String({ examples: ['0.1.0'] })),
    networks: Type.Array(Type.String(), {
      description: 'The networks that the gateway opens connections to, by its own settings',
      examples: [['192.168.1.0/24']],
    }),
  },
  { title: 'Gateway' },
);

const FOUND_HOST = '192.168.1.20';

const DiscoveredDevice = Type.Object(
  {
    vendor: Type.String({ examples: ['shelly'] }),
    name: Type.String({
      description: 'As its owner or its maker calls it; text of the device, that may hold anything printable',
      examples: ['Shelly Utility room'],
    }),
    host: Type.String({ description: 'Its IP address', examples: [FOUND_HOST] }),
    link: Type.Object(
      {
        vendor: Type.String({ examples: ['shelly'] }),
        credentials: Type.Record(Type.String(), Type.Unknown(), {
          description: 'What is known of them, the gateway included',
          examples: [{ host: FOUND_HOST, gateway: GATEWAY_ID }],
        }),
      },
      { description: 'For POST /link, together with `user_ref` and the credentials that are missing' },
    ),
    missing: Type.Array(Type.String(), {
      description: 'Names of credentials that the user has to give besides',
      examples: [['password']],
    }),
    is_linked: Type.Boolean({ description: 'It is linked in this account already' }),
    certain: Type.Boolean({
      description: 'False where only linking tells whether it is a device of the vendor',
    }),
  },
  { title: 'DiscoveredDevice' },
);

const DiscoveredDevices = Type.Object(
  {
    devices: Type.Array(DiscoveredDevice),
    networks: Type.Array(Type.String(), {
      description: 'The networks in which the gateway looked for open ports',
      examples: [['192.168.1.0/24']],
    }),
    truncated: Type.Boolean({
      description: 'More may be there: the networks are too large, something was slow, or there is a lot',
    }),
  },
  { title: 'DiscoveredDevices' },
);

const checkBody = validator(GatewayBody, { name: 'body' });

export interface GatewayRoutes {
  readonly gateways: Pick<Gateways, 'create' | 'find' | 'list' | 'pairAgain' | 'remove'>;
  readonly discover: Discover;
}

const keyIn = (request: FastifyRequest): GatewayKey => ({
  account: principalOf(request).account,
  id: readPath(GatewayId, request).id,
});

/** Gateways in users' networks: made, paired, listed, asked for devices, and removed. */
export function addGatewayRoutes(app: FastifyInstance, { gateways, discover }: GatewayRoutes): void {
  const config = { access: 'link:write' } as const;
  const tags = ['Gateways'];
  app.post(
    '/gateways',
    {
      config,
      schema: {
        operationId: 'createGateway',
        summary: 'Create a gateway, and the code that it is paired with',
        description:
          'A gateway is a small program in the network of a user (`npm run gateway`). It connects to this service, and opens connections to devices there: name its id as `gateway` in the credentials of a vendor whose devices are in that network.',
        tags,
        body: GatewayBody,
        response: responses(Pairing, [409]),
      },
    },
    (request) => {
      const { account } = principalOf(request);
      const { name } = checkBody(request.body);
      return gateways.create(account, name, actorOf(request));
    },
  );
  app.get(
    '/gateways',
    {
      config,
      schema: {
        operationId: 'listGateways',
        summary: 'List gateways, with when each was last heard',
        tags,
        response: { 200: Type.Array(Gateway) },
      },
    },
    (request) => gateways.list(principalOf(request).account),
  );
  app.get(
    '/gateways/:id',
    {
      config,
      schema: {
        operationId: 'getGateway',
        summary: 'Read a gateway',
        tags,
        params: GatewayId,
        response: { 200: Gateway },
      },
    },
    (request) => gateways.find(keyIn(request)),
  );
  app.post(
    '/gateways/:id/pairing-code',
    {
      config,
      schema: {
        operationId: 'createPairingCode',
        summary: 'Create a new pairing code, for a gateway that was lost or set up again',
        description: 'The old key of the gateway is good until the code is used.',
        tags,
        params: GatewayId,
        response: { 200: Pairing },
      },
    },
    (request) => {
      return gateways.pairAgain(keyIn(request), actorOf(request));
    },
  );
  app.post(
    '/gateways/:id/discover',
    {
      config,
      schema: {
        operationId: 'discoverDevices',
        summary: 'List devices in the network of a gateway, ready to be linked',
        description:
          'The gateway asks by multicast DNS and looks for open ports of its own private networks, at most a /24 around each of its addresses; this service then asks what is there, without signing in anywhere. It takes up to 15 seconds, one at a time for a gateway (`gateway.discovering`). Devices of links that work are not asked, since many serve one client.',
        tags,
        params: GatewayId,
        response: responses(DiscoveredDevices, [409, 422, 502]),
      },
    },
    async (request) => {
      const gateway = keyIn(request);
      await gateways.find(gateway);
      return discover(gateway);
    },
  );
  app.delete(
    '/gateways/:id',
    {
      config,
      schema: {
        operationId: 'deleteGateway',
        summary: 'Remove a gateway',
        description:
          'Its key is not good any more, and its connection is closed. What was linked through it stays, and is unreachable until it is linked again.',
        tags,
        params: GatewayId,
        response: {
          204: Type.Null({ description: 'Removed' }),
        },
      },
    },
    async (request, reply) => {
      await gateways.remove(keyIn(request), actorOf(request));
      return reply.code(204).send();
    },
  );
}
