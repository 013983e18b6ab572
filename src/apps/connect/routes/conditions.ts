import type { FastifyInstance } from 'fastify';
import type { JsonObject } from '../../../core/json.ts';
import { validator } from '../../../core/validate.ts';
import { CommandedDevice } from '../../../domain/devices/index.ts';
import type { ConnectDependencies } from '../dependencies.ts';
import { principalOf } from '../principal.ts';
import { answers } from '../schemas.ts';
import { DeviceId, deviceId } from './devices.ts';

/** For each vendor whose devices are simulated: `POST /{slug}/devices/{id}` sets what a device lives through. */
export function conditionRoutes(app: FastifyInstance, { adapters, commands }: ConnectDependencies): void {
  for (const { slug, name, conditions } of adapters.values()) {
    if (conditions === undefined) continue;
    const check = validator(conditions.schema, { name: 'body' });
    app.post<{ Params: { id: string } }>(
      `/${slug}/devices/:id`,
      {
        config: { access: 'devices:command' },
        schema: {
          summary: `Set the conditions of a device of ${name}`,
          tags: ['Devices'],
          params: DeviceId,
          body: conditions.schema,
          response: answers(CommandedDevice, [400, 401, 403, 404, 413, 429, 502, 503]),
        },
      },
      (request) => {
        const { account } = principalOf(request);
        const wanted = check(request.body) as JsonObject;
        const id = deviceId(request.params.id);
        return commands.setConditions({
          account,
          deviceId: id,
          vendor: slug,
          conditions: wanted,
        });
      },
    );
  }
}
