import type { FastifyInstance } from 'fastify';
import type { Adapter } from '../../../adapter/adapter.ts';
import type { JsonObject } from '../../../core/json.ts';
import { validator } from '../../../core/validate.ts';
import type { Commands } from '../../../domain/devices/commands/index.ts';
import { CommandedDevice } from '../../../domain/devices/devices/index.ts';
import { DeviceId, deviceIn, principalOf } from '../input/parameters.ts';
import { responses } from '../schemas.ts';

export interface ConditionRoutes {
  readonly adapters: ReadonlyMap<string, Adapter>;
  readonly commands: Pick<Commands, 'setConditions'>;
}

/** For each vendor whose devices are simulated: `POST /{slug}/devices/{id}` sets what a device lives through. */
export function addConditionRoutes(app: FastifyInstance, { adapters, commands }: ConditionRoutes): void {
  for (const { slug, name, conditions } of adapters.values()) {
    if (conditions === undefined) continue;
    const check = validator(conditions.schema, { name: 'body' });
    app.post(
      `/${slug}/devices/:id`,
      {
        config: { access: 'devices:command' },
        schema: {
          operationId: `set${slug.charAt(0).toUpperCase()}${slug.slice(1)}Conditions`,
          summary: `Set the conditions of a device of ${name}`,
          tags: ['Devices'],
          params: DeviceId,
          body: conditions.schema,
          response: responses(CommandedDevice, [502]),
        },
      },
      (request) => {
        const { account } = principalOf(request);
        const wanted = check(request.body) as JsonObject;
        const id = deviceIn(request);
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
