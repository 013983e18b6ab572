import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { AnyCommand } from '../../../adapter/commands.ts';
import { CHARGING, DeviceTypeSchema } from '../../../adapter/device.ts';
import { type Commands, parseCommand } from '../../../domain/devices/commands/index.ts';
import {
  CommandedDevice,
  DeviceReading,
  type Devices,
  ListedDevice,
  type ListQuery,
} from '../../../domain/devices/devices/index.ts';
import type { Idempotency } from '../../../http/idempotency.ts';
import { nextPage } from '../../../http/next-page.ts';
import { exampleOf } from '../../../pages/reference/example.ts';
import {
  DeviceId,
  deviceIn,
  limitParameter,
  OfVendor,
  principalOf,
  readQuery,
  vendorIn,
  vendorSlug,
} from '../input/parameters.ts';
import { IdempotencyHeaders, responses } from '../schemas.ts';

const PAGE = 1_000;
const JSON_TYPE = 'application/json; charset=utf-8';

const ListFilters = Type.Object({
  vendor: Type.Optional(Type.String()),
  device_type: Type.Optional(DeviceTypeSchema),
  user_ref: Type.Optional(Type.String()),
  limit: limitParameter(PAGE),
  cursor: Type.Optional(Type.String({ description: 'From the Link header of the previous page' })),
});

/** What the example of a command does to the example of a device: 3 × 230 V × 8 A, read afterwards. */
const SlowerCharger = Type.Object(CommandedDevice.properties, {
  title: 'CommandedDevice',
  examples: [
    Object.assign({}, exampleOf(CommandedDevice, { onlyRequired: true }), {
      state: { ...CHARGING, power_w: 5_520 },
    }),
  ],
});

export interface DeviceRoutes {
  readonly devices: Pick<Devices, 'list' | 'read'>;
  readonly commands: Pick<Commands, 'run'>;
  readonly idempotency: Idempotency;
}

/** Devices: listed, read and commanded. */
export function addDeviceRoutes(
  app: FastifyInstance,
  { devices, commands, idempotency }: DeviceRoutes,
): void {
  app.get(
    '/devices',
    {
      config: { access: 'devices:read' },
      schema: {
        operationId: 'listDevices',
        summary: 'List all devices with their last known state',
        description:
          'Ordered by vendor and id. Returns what is stored and never calls a vendor. The Link header leads to the next page.',
        tags: ['Devices'],
        querystring: ListFilters,
        response: { 200: Type.Array(ListedDevice) },
        pagination: { cursor: 'cursor' },
      },
    },
    async (request, reply) => {
      const query = request.query as Record<string, unknown>;
      const page = await devices.list(principalOf(request).account, listQuery(query));
      if (page.next !== null) reply.header('link', nextPage('/devices', query, { cursor: page.next }));
      return reply.header('content-type', JSON_TYPE).send(page.body);
    },
  );

  app.get(
    '/devices/:id',
    {
      config: { access: 'devices:read' },
      schema: {
        operationId: 'getDevice',
        summary: 'Read one device with its current state',
        description:
          "Calls the vendor, unless the last state is newer than the vendor's shortest polling interval.",
        tags: ['Devices'],
        params: DeviceId,
        querystring: OfVendor,
        response: responses(DeviceReading, [502]),
      },
    },
    (request, reply) => {
      const id = deviceIn(request);
      const reading = devices.read(principalOf(request).account, id, vendorIn(request.query));
      reply.header('content-type', JSON_TYPE);
      return reading instanceof Promise ? reading.then((body) => reply.send(body)) : reply.send(reading);
    },
  );

  app.post(
    '/devices/:id/command',
    {
      config: { access: 'devices:command' },
      schema: {
        operationId: 'commandDevice',
        summary: 'Send a command to a device',
        description:
          'Commands to one device run one after the other. The response is the device with its state afterwards.',
        tags: ['Devices'],
        params: DeviceId,
        querystring: OfVendor,
        headers: IdempotencyHeaders,
        body: AnyCommand,
        response: responses(SlowerCharger, [409, 422, 502]),
        sends: ['Elnav-Command-Id'],
      },
    },
    (request, reply) => {
      const { account, keyId } = principalOf(request);
      return idempotency({
        request,
        reply,
        account,
        run: async (begun) => {
          const command = parseCommand(request.body);
          const id = deviceIn(request);
          return commands.run({
            account,
            keyId,
            requestId: request.id,
            deviceId: id,
            vendor: vendorIn(request.query),
            command,
            begun,
          });
        },
      });
    },
  );
}

function listQuery(query: unknown): ListQuery {
  const { vendor, device_type, user_ref, cursor, limit = PAGE } = readQuery(ListFilters, query);
  return {
    vendor: vendor === undefined ? undefined : vendorSlug(vendor),
    deviceType: device_type,
    userRef: user_ref,
    cursor,
    limit,
  };
}
