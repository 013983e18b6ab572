import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { SET_POINT_TYPES } from '../../../adapter/commands.ts';
import { CommandedDevice } from '../../../domain/devices/devices/index.ts';
import { SetPointResponse, type SetPoints } from '../../../domain/devices/set-points/index.ts';
import { namesCommandOf } from '../../../http/idempotency.ts';
import { DeviceId, deviceIn, OfVendor, principalOf, readPath, vendorIn } from '../input/parameters.ts';
import { responses } from '../schemas.ts';

const OfSetPoint = Type.Object({
  ...DeviceId.properties,
  type: Type.String({
    description: `Type of the command: ${SET_POINT_TYPES.join(', ')}`,
    examples: ['set_battery_power'],
  }),
});

export interface SetPointRoutes {
  readonly setPoints: Pick<SetPoints, 'list' | 'end'>;
}

/** What devices were commanded to hold, and its end. */
export function addSetPointRoutes(app: FastifyInstance, { setPoints }: SetPointRoutes): void {
  app.get(
    '/devices/:id/set-points',
    {
      config: { access: 'devices:read' },
      schema: {
        operationId: 'listSetPoints',
        summary: 'List the set-points that a device holds',
        description:
          'Commands that are in force until they are released: elnav renews them, and returns the device to its own automatic operation when they end, when the link is deleted, and when no instance of elnav is left. Returns what is stored and never calls a vendor.',
        tags: ['Devices'],
        params: DeviceId,
        querystring: OfVendor,
        response: { 200: Type.Array(SetPointResponse) },
      },
    },
    (request) =>
      setPoints.list({
        account: principalOf(request).account,
        deviceId: deviceIn(request),
        vendor: vendorIn(request.query),
      }),
  );

  app.delete(
    '/devices/:id/set-points/:type',
    {
      config: { access: 'devices:command' },
      schema: {
        operationId: 'endSetPoint',
        summary: 'Return a device to its automatic operation',
        description:
          'Ends a set-point; one that elnav knows nothing of too. The response is the device with its state afterwards. If the device cannot be told now, elnav tries again for a day.',
        tags: ['Devices'],
        params: OfSetPoint,
        querystring: OfVendor,
        response: responses(CommandedDevice, [422, 502]),
        sends: ['Elnav-Command-Id'],
      },
    },
    (request, reply) => {
      const { account, keyId } = principalOf(request);
      const { id, type } = readPath(OfSetPoint, request);
      return setPoints.end({
        ...{ account, keyId, requestId: request.id },
        ...{ deviceId: id, vendor: vendorIn(request.query), type },
        begun: namesCommandOf(reply),
      });
    },
  );
}
