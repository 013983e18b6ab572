import Type from 'typebox';
import { each, jsonIn, lenient, objectIn, PlainId } from '../../adapter/kit/index.ts';
import type { Stream } from '../../adapter/stream.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { lightsIn, lightsOf, readingIn } from '../hue/bridge/resources.ts';
import { readBridge } from './api.ts';

const Event = lenient({ type: Type.String(), data: Type.Array(Type.Unknown()) });
const Part = lenient({ id: PlainId, type: Type.String() });

/**
 * The events of a bridge have what changed of a resource. They are put together with all that was read when the stream was opened, and each lamp that
 * they concern is reported whole. Bridges send nothing while nothing happens.
 */
export const stream = {
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
