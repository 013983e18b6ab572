import Type from 'typebox';
import type { Adapter } from '../../adapter/adapter.ts';
import { pinnedIn } from '../../adapter/connections.ts';
import {
  credentialsOf,
  deviceAddress,
  each,
  hostAt,
  httpsAddressOf,
  jsonIn,
  lenient,
  limit,
  notUnderstood,
  objectIn,
  PlainId,
  refused,
  sweepBy,
} from '../../adapter/kit/index.ts';
import type { Stream } from '../../adapter/stream.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import * as resources from '../hue/bridge/resources.ts';
import { lights, lightsIn, lightsOf, readingIn } from '../hue/bridge/resources.ts';
import { identified, login, ROOTS, readBridge, setLight } from './client.ts';

const Event = lenient({ type: Type.String(), data: Type.Array(Type.Unknown()) });
const Part = lenient({ id: PlainId, type: Type.String() });

/**
 * The events of a bridge have what changed of a resource. They are put together with all that was read when the stream was opened, and each lamp that
 * they concern is reported whole. Bridges send nothing while nothing happens.
 */
const stream = {
  async run(session, _devices, opened) {
    const events = await session.events({ path: '/eventstream/clip/v2' });
    const bridge = mirrorOf(await readBridge(session, 'read'));
    const report = (ids: Iterable<string>): void => {
      for (const id of ids) {
        const reading = bridge.reading(id);
        if (reading !== undefined) session.observed(id, reading);
      }
    };
    opened();
    report(bridge.lights());
    for await (const { data } of events) {
      const changed = new Set<string>();
      for (const { type, data: parts } of each(jsonIn(data), Event))
        for (const part of each(parts, Part)) {
          if (type === 'update') for (const id of bridge.update(part)) changed.add(id);
          if (bridge.isListChange(type, part)) session.listChanged();
        }
      report(changed);
    }
  },
} satisfies Stream;

/** All resources of a bridge, as they are by the events so far. */
function mirrorOf(resources: readonly unknown[]) {
  const known = new Map(resources.map((one): [unknown, JsonObject] => [objectIn(one).id, objectIn(one)]));
  const all = () => [...known.values()];
  return {
    lights: () => lightsIn(all()).map(({ id }) => id),
    reading: (id: string) => readingIn(all(), id),

    /** Takes what changed of a resource; answers the lamps that it concerns. */
    update(part: JsonObject & { readonly id: string }): readonly string[] {
      const before = known.get(part.id);
      if (before === undefined) return [];
      known.set(part.id, merged(before, part));
      return lightsOf(all(), part.id);
    },

    /** Whether lamps came or went, or have other names. */
    isListChange: (type: string, { type: of, metadata }: JsonObject): boolean =>
      ['light', 'device'].includes(String(of)) &&
      (type === 'add' || type === 'delete' || (type === 'update' && metadata !== undefined)),
  };
}

/** The parts of a resource are objects, of which an event has what changed. */
const merged = (before: JsonObject, part: JsonObject): JsonObject => ({
  ...before,
  ...Object.fromEntries(
    Object.entries(part).map(([name, value]): [string, Json] => [
      name,
      isPlainObject(value) ? { ...objectIn(before[name]), ...value } : value,
    ]),
  ),
});

const isPlainObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const read = (session: Parameters<typeof readBridge>[0]) => readBridge(session, 'read');

const host = deviceAddress({
  en: 'In the Hue app: Settings, My Hue System, the bridge, the i at its name. It is also in the list of devices of your router.',
  sv: 'I Hue-appen: Inställningar, Mitt Hue-system, bryggan, i:et vid dess namn. Den finns också i routerns lista över enheter.',
});

/** Lamps and plugs of a Philips Hue bridge in the user's network, without Hue's cloud. */
export const hue_bridge = {
  slug: 'hue_bridge',
  name: 'Philips Hue Bridge',
  ...credentialsOf({ host }),
  confirmation: {
    en: 'Go to your Hue Bridge and press the round button on it. Then come back and continue within 30 seconds.',
    sv: 'Gå till din Hue-brygga och tryck på den runda knappen. Kom sedan tillbaka och fortsätt inom 30 sekunder.',
  },
  login,
  isLocal: true,
  hosts: { api: 'https://bridge.invalid' },
  chosenAddress: httpsAddressOf,
  discovers: { services: ['_hue._tcp'], ports: [443], credentialsAt: hostAt(443), identify: identified },
  deviceCertificates: { roots: ROOTS },
  budgets: [
    limit('commands', {
      calls: 10,
      seconds: 1,
      for: ['command'],
      reserve: 0,
      source: 'developers.meethue.com, core concepts: about 10 commands to lights in a second',
    }),
  ],
  pace: { active: 30, idle: 120, asleep: 300 },
  stream,
  pushes: true,
  pollSeconds: 5,
  simulator: () => import('./simulator.ts'),
  async link(session) {
    const all = await readBridge(session, 'list');
    const vendorAccount = resources.bridgeIn(all);
    if (vendorAccount === undefined) throw notUnderstood('the Hue Bridge', 'which bridge it is');
    const signedFor = pinnedIn(session.credentials)?.name?.toLowerCase() ?? vendorAccount;
    if (signedFor !== vendorAccount)
      throw refused(
        `the certificate at this address is of the Hue Bridge ${signedFor}, and bridge ${vendorAccount} answers; check the address and what is between`,
      );
    return { vendorAccount, devices: resources.lightsIn(all) };
  },
  list: async (session) => resources.lightsIn(await readBridge(session, 'list')),
  sweep: sweepBy({
    by: () => 'bridge',
    call: read,
    pick: (all, { id }) => resources.readingIn(all, id),
  }),
  kinds: { light: lights({ read, set: setLight }) },
} satisfies Adapter;
