import type { FastifyInstance } from 'fastify';
import { AnyOperation, OperationAnswer, StationView } from '../../../adapter/station.ts';
import { type Commands, parseOperation } from '../../../domain/devices/commands/index.ts';
import type { Idempotency } from '../../../http/idempotency.ts';
import { DeviceId, deviceIn, OfVendor, principalOf, vendorIn } from '../input/parameters.ts';
import { IdempotencyHeaders, responses } from '../schemas.ts';

export interface StationRoutes {
  readonly commands: Pick<Commands, 'stations'>;
  readonly idempotency: Idempotency;
}

/** Charging stations that dial in, looked at and run. */
export function addStationRoutes(app: FastifyInstance, { commands, idempotency }: StationRoutes): void {
  app.get(
    '/devices/:id/station',
    {
      config: { access: 'devices:read' },
      schema: {
        operationId: 'getStation',
        summary: 'Read a charging station: its details, last fault and last messages',
        description:
          'For OCPP stations, which connect to this service. Messages are kept in the memory of the process that the station is connected to, so they are lost when it ends. While the station is disconnected, any process responds with its own messages, so some may be missing.',
        tags: ['Charging'],
        params: DeviceId,
        querystring: OfVendor,
        response: responses(StationView, [422, 502]),
      },
    },
    (request) =>
      commands.stations.describe({
        account: principalOf(request).account,
        deviceId: deviceIn(request),
        vendor: vendorIn(request.query),
      }),
  );

  app.post(
    '/devices/:id/station',
    {
      config: { access: 'devices:command' },
      schema: {
        operationId: 'operateStation',
        summary: 'Reset, unlock or configure a charging station',
        description:
          'For OCPP stations, which connect to this service. Runs in order with the commands to the device. Returns what the station responded, also if it rejected the operation; 502 if it did not respond or did not understand.',
        tags: ['Charging'],
        params: DeviceId,
        querystring: OfVendor,
        headers: IdempotencyHeaders,
        body: AnyOperation,
        response: responses(OperationAnswer, [409, 422, 502]),
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
          const operation = parseOperation(request.body);
          return commands.stations.operate({
            account,
            keyId,
            requestId: request.id,
            deviceId: deviceIn(request),
            vendor: vendorIn(request.query),
            operation,
            begun,
          });
        },
      });
    },
  );
}
