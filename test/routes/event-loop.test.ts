import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { RequestSchema } from '../../src/core/bounded-schema.ts';
import { vendors } from '../../src/vendors/index.ts';
import { makeRouteWorld, type RouteWorld } from './samples.ts';

const KIB = 1024;
/** The maximum of one turn of the event loop, in its own processor time, so that a busy machine changes nothing. */
const MOST_MS = 50;
const REPETITIONS = 3;

/** This many bytes of JSON that is wrong nearly everywhere. */
const FILLINGS: Readonly<Record<string, (bytes: number) => string>> = {
  'the same number': (bytes) => listOf('1', bytes),
  'the same text': (bytes) => listOf('"a"', bytes),
  'text that is escaped': (bytes) => listOf('"\\n"', bytes),
  'empty lists': (bytes) => listOf('[]', bytes),
  'empty objects': (bytes) => listOf('{}', bytes),
  'deep lists': (bytes) => listOf(`${'['.repeat(25)}${']'.repeat(25)}`, bytes),
  'other numbers': (bytes) => `[${Array.from({ length: bytes / 8 }, (_, index) => index).join()}]`,
  'a long text': (bytes) => `"${'a'.repeat(bytes - 2)}"`,
  'a text of dashes and digits': (bytes) => `"${':1@.-'.repeat(bytes / 5 - 1)}"`,
  'unknown fields': (bytes) =>
    `{${Array.from({ length: bytes / 14 }, (_, index) => `"f${index}":1`).join()}}`,
};

function listOf(item: string, bytes: number): string {
  return `[${Array(Math.floor((bytes - 2) / (item.length + 1)))
    .fill(item)
    .join()}]`;
}

interface Place {
  readonly path: string;
  /** The body with this in its place. */
  readonly with: (filling: string) => string;
}

/** Every field of every object of a schema, each list's first item and the body itself. */
function placesIn(schema: RequestSchema, sample: unknown, path = 'body'): Place[] {
  const here: Place = { path, with: (filling) => filling };
  const inChoices = (schema.anyOf ?? []).flatMap((choice) => placesIn(choice, sample, path).slice(1));
  const inItems =
    schema.items === undefined
      ? []
      : placesIn(schema.items, [sample].flat()[0], `${path}[]`).map((place) => ({
          ...place,
          with: (filling: string) => `[${place.with(filling)}]`,
        }));
  const fields = typeof sample === 'object' && sample !== null && !Array.isArray(sample) ? sample : {};
  const constants = Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    property.const === undefined ? [] : [[name, property.const] as const],
  );
  const base: Readonly<Record<string, unknown>> = { ...fields, ...Object.fromEntries(constants) };
  const inFields = Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    placesIn(property, base[name], `${path}.${name}`).map((place) => ({
      ...place,
      with: (filling: string) => {
        const others = Object.entries(base).filter(([other]) => other !== name);
        const fields = others.map(([other, value]) => `${JSON.stringify(other)}:${JSON.stringify(value)}`);
        return `{${[...fields, `${JSON.stringify(name)}:${place.with(filling)}`].join()}}`;
      },
    })),
  );
  return [here, ...inChoices, ...inItems, ...inFields];
}

/** The longest turn of this thread's event loop, milliseconds of processor time. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  let longest = 0;
  let before = process.threadCpuUsage();
  const look = () => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    longest = Math.max(longest, (user + system) / 1000);
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await work().finally(() => {
    isOver = true;
  });
  return longest;
}

async function quickest(work: () => Promise<unknown>, least: number): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let repetition = 0; repetition < REPETITIONS && best > least; repetition += 1)
    best = Math.min(best, await longestTurn(work));
  return best;
}

describe('whatever body is sent', () => {
  let here: RouteWorld;
  let withBody: RouteWorld['routes'];
  let quiet: number;
  before(async () => {
    here = await makeRouteWorld('sqlite');
    withBody = here.routes.filter(({ body }) => body !== undefined);
    assert.ok(withBody.length >= 9, `only ${withBody.length} routes take a body`);
    const [route] = withBody;
    assert.ok(route !== undefined);
    quiet = await quickest(() => here.good(route, { body: '{}' }), 0);
  });
  after(() => here.close());

  /** Sends each filling at each place; returns those that blocked the thread for too long. */
  async function tooLong(
    route: RouteWorld['routes'][number],
    { places, bytes }: { readonly places: readonly Place[]; readonly bytes: number },
  ): Promise<string[]> {
    const faults: string[] = [];
    for (const place of places) {
      for (const [what, filling] of Object.entries(FILLINGS)) {
        const around = place.with('').length;
        const body = Buffer.from(place.with(filling(bytes - around)));
        assert.ok(body.length <= bytes && body.length > bytes * 0.5, `${what}: ${body.length} of ${bytes}`);
        const statuses = new Set<number>();
        const ms = await quickest(async () => {
          statuses.add((await here.good(route, { body })).status);
        }, quiet + MOST_MS);
        assert.ok(!statuses.has(413) && !statuses.has(500), `${route.name} ${place.path}: ${[...statuses]}`);
        if (ms > quiet + MOST_MS) faults.push(`${route.name} ${place.path}, ${what}: ${Math.round(ms)} ms`);
      }
    }
    return faults;
  }

  it('its check blocks nobody else: every field of every route at its limit', async () => {
    const faults: string[] = [];
    let places = 0;
    for (const route of withBody) {
      const all = placesIn((route.body ?? {}) as RequestSchema, route.sample.body);
      places += all.length;
      const { largest = 16 * KIB } = route.sample;
      // Larger ones are checked in threads: these are the largest that are not.
      const bytes = Math.min(largest, route.name === 'POST /optimize/plan' ? 64 * KIB : 256 * KIB);
      faults.push(...(await tooLong(route, { places: all, bytes })));
    }
    assert.deepEqual(faults, []);
    assert.ok(places > 50, `only ${places} places`);
  });

  it('the check of credentials blocks nobody else', async () => {
    const route = withBody.find(({ name }) => name === 'POST /link');
    assert.ok(route !== undefined);
    for (const { slug, credentials } of vendors) {
      const places = placesIn(credentials as RequestSchema, {}).map((place) => ({
        path: `${slug} ${place.path}`,
        with: (filling: string) => `{"vendor":"${slug}","user_ref":"x","credentials":${place.with(filling)}}`,
      }));
      assert.ok(places.length > 1);
      assert.deepEqual(await tooLong(route, { places, bytes: 16 * KIB }), []);
    }
  });

  it('whatever body is sent megabytes that are checked in threads block nobody else', async () => {
    const faults: string[] = [];
    for (const [name, field] of [
      ['POST /optimize/plan', 'prices'],
      ['POST /flex/dispatch', 'fleet'],
    ] as const) {
      const route = withBody.find((one) => one.name === name);
      assert.ok(route !== undefined);
      const all = placesIn((route.body ?? {}) as RequestSchema, route.sample.body);
      const places = all.filter(({ path }) => path === `body.${field}`);
      assert.equal(places.length, 1);
      faults.push(...(await tooLong(route, { places, bytes: 16_000 * KIB })));
    }
    assert.deepEqual(faults, []);
  });
});
