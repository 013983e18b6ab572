import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { COMMAND_TYPES, COMMANDS } from '../../src/adapter/commands.ts';
import { DEVICE_TYPES } from '../../src/adapter/device.ts';
import { onEachEngine } from '../kit/databases.ts';
import type { Caller } from '../kit/world.ts';
import { faultsOfError, parsed } from './judge.ts';
import type { Route } from './route-table.ts';
import { makeRouteWorld, type RouteWorld, type Sample } from './samples.ts';

const whole = fc.oneof(
  fc.integer({ min: -10, max: 120 }),
  fc.integer(),
  fc.constantFrom(0, -0, 6, 16, 32, 255, 21_000, 86_400, Number.MAX_SAFE_INTEGER, 2 ** 53, 1e300),
);
const odd = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.double({ noNaN: true }),
  fc.boolean(),
  fc.constant(null),
  fc.array(whole, { maxLength: 4 }),
  fc.dictionary(fc.string({ maxLength: 5 }), fc.integer(), { maxKeys: 2 }),
);
const mostly = <T>(right: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 6, arbitrary: right }, { weight: 1, arbitrary: odd as fc.Arbitrary<unknown> });

/** A command of some type, with its own fields mostly of the right type, and sometimes another's. */
const command = fc.constantFrom(...COMMAND_TYPES).chain((type) => {
  const own = Object.keys(COMMANDS[type].properties).filter((name) => name !== 'type');
  const color: fc.Arbitrary<unknown> = fc.array(fc.integer({ min: -1, max: 256 }), {
    minLength: 2,
    maxLength: 4,
  });
  const fields: Record<string, fc.Arbitrary<unknown>> = {};
  for (const name of own) fields[name] = mostly(name === 'color' ? color : whole);
  return fc
    .tuple(fc.record(fields, { requiredKeys: own.slice(0, 1) }), fc.option(odd, { freq: 2, nil: undefined }))
    .map(([body, extra]) => ({ type, ...body, ...(extra === undefined ? {} : { extra }) }));
});

const sandboxCredentials = fc.record(
  {
    device_types: mostly(fc.subarray([...DEVICE_TYPES], { minLength: 1, maxLength: 2 })),
    seed: mostly(fc.string({ minLength: 1, maxLength: 66, unit: 'grapheme' })),
  },
  { requiredKeys: [] },
);
const anyCredentials = fc.record(
  {
    identity: mostly(fc.string({ maxLength: 50 })),
    password: mostly(fc.string({ maxLength: 70 })),
    seed: odd,
  },
  { requiredKeys: [] },
);
const userRef = mostly(fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' }));
const vendors = fc.constantFrom('sandbox', 'ocpp', 'nobody', 'SANDBOX', '__proto__', 'constructor');
const link = fc.oneof(
  fc.record({ vendor: fc.constant('sandbox'), user_ref: userRef, credentials: sandboxCredentials }),
  fc.record(
    { vendor: mostly(vendors), user_ref: userRef, credentials: mostly(anyCredentials) },
    { requiredKeys: ['vendor'] },
  ),
);

const conditions = fc.record(
  {
    online: mostly(fc.boolean()),
    plugged_in: mostly(fc.boolean()),
    battery_soc: mostly(whole),
    fail: mostly(fc.constantFrom('refuse', 'rate_limited', 'garbage', null)),
    time_scale: mostly(whole),
  },
  { requiredKeys: [] },
);

onEachEngine('any body', (engine) => {
  let here: RouteWorld;
  let caller: Caller;
  let ids: readonly string[];
  before(async () => {
    here = await makeRouteWorld(engine);
    caller = here.stranger;
    const body = { vendor: 'sandbox', user_ref: 'fuzz', credentials: { seed: 'fuzz' } };
    const linked = (await caller.call('POST', '/link', body)).body as { devices: { id: string }[] };
    ids = linked.devices.map(({ id }) => id);
    assert.equal(ids.length, DEVICE_TYPES.length);
  });
  after(() => here.close());

  const routeOf = (name: string): Route & { sample: Sample } => {
    const route = here.routes.find((one) => one.name === name);
    assert.ok(route !== undefined, name);
    return route;
  };

  /** Sends a body, and compares the response with the document. */
  async function judge(route: Route & { sample: Sample }, path: string, body: unknown): Promise<number> {
    const reply = await here.good(route, {
      path,
      headers: { 'x-api-key': caller.key },
      body: JSON.stringify(body),
    });
    assert.ok(route.statuses.includes(reply.status), `${reply.status} is not in the document: ${reply.text}`);
    assert.notEqual(reply.status, 500, reply.text);
    const schema = route.answers.get(reply.status);
    assert.ok(schema !== undefined, `${reply.status} has no schema`);
    assert.ok(Compile(schema).Check(parsed(reply.text)), `${reply.status} ${reply.text}`);
    if (reply.status >= 400) assert.deepEqual(faultsOfError('connect', reply, { status: reply.status }), []);
    return reply.status;
  }

  it('any body of a command gets a documented response', async () => {
    const route = routeOf('POST /devices/{id}/command');
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(fc.nat(), command, async (index, body) => {
        statuses.add(await judge(route, `/devices/${ids[index % ids.length]}/command`, body));
      }),
      { numRuns: 300 },
    );
    assert.ok(
      [200, 400, 422].every((status) => statuses.has(status)),
      [...statuses].join(),
    );
  });

  it('any body of a link gets a documented response', async () => {
    const route = routeOf('POST /link');
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(link, async (body) => {
        statuses.add(await judge(route, '/link', body));
      }),
      { numRuns: 150 },
    );
    assert.ok(
      [200, 400].every((status) => statuses.has(status)),
      [...statuses].join(),
    );
  });

  it('any body of conditions gets a documented response', async () => {
    const route = routeOf('POST /sandbox/devices/{id}');
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(fc.nat(), conditions, async (index, body) => {
        const id = ids[index % ids.length];
        statuses.add(await judge(route, `/sandbox/devices/${id}`, body));
        const reading = await caller.call('GET', `/devices/${id}`);
        assert.ok([200, 502].includes(reading.status), String(reading.status));
      }),
      // Most random bodies are invalid, so valid ones are generated on purpose.
      { numRuns: 100, examples: [[0, { online: true }]] },
    );
    assert.ok(
      [200, 400].every((status) => statuses.has(status)),
      [...statuses].join(),
    );
    assert.equal((await caller.call('GET', '/devices')).status, 200);
  });

  it('any body leaves readings that match the document', async () => {
    const schemas = routeOf('GET /devices/{id}').answers;
    for (const id of ids) {
      const { status, body } = await caller.call('GET', `/devices/${id}`);
      const schema = schemas.get(status);
      assert.ok(schema !== undefined, String(status));
      assert.ok(Compile(schema).Check(body), JSON.stringify(body));
    }
  });
});
