import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { OPERATIONS, OperationAnswer, StationView } from '../../../adapter/station.ts';
import { parseOperation } from '../../../domain/commands/index.ts';
import type { ConnectDependencies } from '../dependencies.ts';
import { principalOf } from '../principal.ts';
import { OfVendor, vendorIn } from '../query.ts';
import { answers, IdempotencyHeaders } from '../schemas.ts';
import { DeviceId, deviceId } from './devices.ts';

interface OfDevice {
  readonly Params: { readonly id: string };
}

const params = DeviceId;
/** Charging stations that dial in, looked at and run. */
export function stationRoutes(app: FastifyInstance, { commands, idempotency }: ConnectDependencies): void {
  app.get<OfDevice>(
    '/devices/:id/station',
    {
      config: { access: 'devices:read' },
      schema: {
        summary: 'Read a charging station: its details, last fault and last messages',
        description:
          'For OCPP stations, which connect to this service. Messages are kept in the memory of the process that the station is connected to, so they are lost when it ends. While the station is disconnected, any process responds with its own messages, so some may be missing.',
        tags: ['Charging'],
        params,
        querystring: OfVendor,
        response: answers(StationView, [400, 401, 403, 404, 422, 429, 502, 503]),
      },
    },
    (request) =>
      commands.stations.describe({
        account: principalOf(request).account,
        deviceId: deviceId(request.params.id),
        vendor: vendorIn(request.query),
      }),
  );

  app.post<OfDevice>(
    '/devices/:id/station',
    {
      config: { access: 'devices:command' },
      schema: {
        summary: 'Reset, unlock or configure a charging station',
        description:
          'For OCPP stations, which connect to this service. Runs in order with the commands to the device. Returns what the station responded, also if it rejected the operation; 502 if it did not respond or did not understand.',
        tags: ['Charging'],
        params,
        querystring: OfVendor,
        headers: IdempotencyHeaders,
        body: Type.Union(Object.values(OPERATIONS), { discriminator: { propertyName: 'type' } }),
        response: answers(OperationAnswer, [400, 401, 403, 404, 409, 422, 429, 502, 503]),
      },
    },
    (request, reply) => {
      const { account, keyId } = principalOf(request);
      return idempotency({
        request,
        reply,
        account,
        run: async (begun) => {
          const operation = parseOperation(request.body);
          return commands.stations.operate({
            account,
            keyId,
            deviceId: deviceId(request.params.id),
            vendor: vendorIn(request.query),
            operation,
            begun,
          });
        },
      });
    },
  );
}
