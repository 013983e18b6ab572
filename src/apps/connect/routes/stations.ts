import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { OPERATIONS, OperationAnswer, type OperationType, StationView } from '../../../adapter/station.ts';
import { AppError } from '../../../core/errors.ts';
import { parseOperation } from '../../../domain/commands/index.ts';
import { validator } from '../../../http/validate.ts';
import type { ConnectDependencies } from '../dependencies.ts';
import { principalOf } from '../principal.ts';
import { queryText } from '../query.ts';
import { answers, IdempotencyHeaders } from '../schemas.ts';
import { deviceId } from './devices.ts';

interface OfDevice {
  readonly Params: { readonly id: string };
  readonly Querystring: { readonly vendor?: unknown };
}

const params = Type.Object({ id: Type.String({ description: 'Device id' }) });
const querystring = Type.Object({
  vendor: Type.Optional(Type.String({ description: 'Needed only when an id exists at two vendors' })),
});

const checks = new Map(
  Object.entries(OPERATIONS).map(([type, schema]) => [type, validator(schema, { name: 'body' })] as const),
);
const checkOperation = (type: OperationType, body: unknown) => {
  const check = checks.get(type);
  if (check === undefined) throw new AppError('command.type_unknown', `type ${type} is not known`);
  return check(body);
};

/** Charging stations that dial in, looked at and run. */
export function stationRoutes(app: FastifyInstance, { commands, idempotency }: ConnectDependencies): void {
  app.get<OfDevice>(
    '/devices/:id/station',
    {
      config: { access: 'devices:read' },
      schema: {
        summary: 'A charging station that dials in: what it is, its last fault, and what was last said',
        description:
          'The frames are those that the process heard which holds the station; they are kept in memory, and end with it. While the station is away any process answers, with what it heard itself: where several run, frames may be missing then.',
        tags: ['Charging'],
        params,
        querystring,
        response: answers(StationView, [400, 401, 403, 404, 422, 429, 502, 503]),
      },
    },
    (request) =>
      commands.stations.describe({
        account: principalOf(request).account,
        deviceId: deviceId(request.params.id),
        vendor: queryText(request.query.vendor, 'vendor'),
      }),
  );

  app.post<OfDevice>(
    '/devices/:id/station',
    {
      config: { access: 'devices:command' },
      schema: {
        summary: 'Reset, unlock, configure or ask a charging station that dials in',
        description:
          'Runs in turn with the commands of the device. Answers what the station said, also when it said no; 502 when it said nothing or did not understand.',
        tags: ['Charging'],
        params,
        querystring,
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
          const operation = parseOperation(request.body, checkOperation);
          return commands.stations.operate({
            account,
            keyId,
            deviceId: deviceId(request.params.id),
            vendor: queryText(request.query.vendor, 'vendor'),
            operation,
            begun,
          });
        },
      });
    },
  );
}
