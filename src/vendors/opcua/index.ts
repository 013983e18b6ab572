import { type Adapter, kind } from '../../adapter/adapter.ts';
import type { OpcuaReading } from '../../adapter/connections.ts';
import type { Found } from '../../adapter/device.ts';
import { CONTROL_CAPABILITIES, READ_CAPABILITIES } from '../../adapter/fields.ts';
import { limit, sweepBy } from '../../adapter/kit/index.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import type { StreamSession } from '../../adapter/stream.ts';
import { rangesOf, release, setLimit, setTemperature, turn } from './control.ts';
import { link, list } from './listing.ts';
import { nodesOf } from './node-map.ts';
import { Credentials, type Details, detailsIn, plantOf, USUAL_PORT } from './plant.ts';
import * as translate from './translate.ts';

const EVERY_MS = 1_000;

/**
 * Subscribes to every node of the devices. A device is passed on once all its nodes were reported; the subscription begins with what each is.
 * A server without subscriptions ends it with `vendor.refused`: then the devices are read as often as their pace says.
 */
async function run(session: StreamSession, devices: readonly DeviceRef[], opened: () => void): Promise<void> {
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

async function read(session: Session, device: DeviceRef): Promise<translate.PlantReading> {
  const readings = await readAll(session, [device]);
  const reading = readings.get(device.id);
  if (reading === undefined) throw new Error('a device was not read');
  return reading;
}

/** One request for the nodes of all devices. */
async function readAll(
  session: Session,
  devices: readonly DeviceRef[],
): Promise<ReadonlyMap<string, translate.PlantReading>> {
  const maps = devices.map((device) => ({ id: device.id, map: detailsIn(device).map }));
  const nodes = [...new Set(maps.flatMap(({ map }) => nodesOf(map).map(({ node }) => node)))];
  const [first] = devices;
  const purpose = devices.length === 1 && first !== undefined ? { device: first.id } : {};
  const values = await plantOf(session).read(nodes, purpose);
  const byNode = new Map(
    nodes.flatMap((node, index) => (values[index] === undefined ? [] : [[node, values[index]]])),
  );
  const at = session.clock.now();
  return new Map(maps.map(({ id, map }) => [id, { map, values: byNode, at }]));
}

const mapIn = ({ details }: Pick<Found, 'details'>): Details['map'] | undefined =>
  (details as Details | undefined)?.map;

/** Machines, meters and buildings behind a server that speaks OPC UA; the user says which node is what. */
export const opcua = {
  slug: 'opcua',
  name: 'OPC UA',
  credentials: Credentials,
  isLocal: true,
  ports: [USUAL_PORT],
  budgets: [
    limit('requests', {
      calls: 120,
      seconds: 60,
      source: 'ours: two a second spare small controllers; servers state no limit of requests',
    }),
  ],
  pace: { active: 15, idle: 60, asleep: 300 },
  pushes: false,
  pollSeconds: 5,
  localSimulator: () => import('./simulator.ts'),
  link,
  list,
  sweep: sweepBy({
    by: () => 'server',
    call: (session, _group, devices) => readAll(session, devices),
    pick: (readings, { id }) => readings.get(id),
  }),
  stream: { silenceSeconds: 60, run },
  kinds: {
    industrial: kind<translate.PlantReading>({
      read,
      status: translate.statusOf,
      observedAt: translate.measuredAt,
      unrecognized: translate.unrecognizedIn,
      reads: {
        read_power: (raw) => translate.readingOf(raw, 'read_power'),
        read_energy: (raw) => translate.readingOf(raw, 'read_energy'),
        read_temperature: (raw) => translate.readingOf(raw, 'read_temperature'),
        read_battery_soc: (raw) => translate.readingOf(raw, 'read_battery_soc'),
        read_production: (raw) => translate.readingOf(raw, 'read_production'),
      },
      controls: {
        on_off: { turn_on: turn, turn_off: turn },
        set_temperature: { set_temperature: setTemperature },
        load_balancing: { set_limit: setLimit },
      },
      setPoints: { set_limit: { release } },
      ranges: (device) => rangesOf(detailsIn(device as DeviceRef)),
      limits: translate.limitsOf,
      availableCapacity: translate.capacityOf,
      withholds(found) {
        const map = mapIn(found);
        return [...READ_CAPABILITIES, ...CONTROL_CAPABILITIES].filter(
          (capability) => map === undefined || !Object.hasOwn(map, capability),
        );
      },
      whyWithheld: () => 'its map has no node for it; link it again with one',
    }),
  },
} satisfies Adapter;
