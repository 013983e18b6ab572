import type { OpcuaReading } from '../../adapter/opcua.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import type { StreamSession } from '../../adapter/stream.ts';
import { nodesOf } from './node-map.ts';
import { detailsIn, plantOf } from './plant.ts';

const EVERY_MS = 1_000;

/**
 * Subscribes to every node of the devices. A device is passed on once all its nodes were reported; the subscription begins with what each is.
 * A server without subscriptions ends it with `vendor.refused`: then the devices are read as often as their pace says.
 */
export async function run(
  session: StreamSession,
  devices: readonly DeviceRef[],
  opened: () => void,
): Promise<void> {
  const all = devices.map((device) => {
    const { map } = detailsIn(device);
    return { id: device.id, map, nodes: [...new Set(nodesOf(map).map(({ node }) => node))] };
  });
  const values = new Map<string, OpcuaReading>();
  const nodes = [...new Set(all.flatMap((device) => device.nodes))];
  const changes = await plantOf(session).changes({ nodes, everyMs: EVERY_MS });
  opened();
  for await (const { node, reading } of changes) {
    values.set(node, reading);
    for (const { id, map, nodes: own } of all)
      if (own.includes(node) && own.every((one) => values.has(one)))
        session.observed(id, {
          map,
          values: new Map(own.map((one) => [one, values.get(one)])),
          at: session.clock.now(),
        });
  }
}
