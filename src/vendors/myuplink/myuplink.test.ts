import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeVendorWorld, recordedIn, refOf, type VendorWorld } from '../../../test/kit/vendor-world.ts';
import { capabilitiesOf, kindOf, stateOf } from '../../adapter/adapters.ts';
import type { JsonObject } from '../../core/json.ts';
import { myuplink } from './index.ts';
import { detailsIn, observedAt, pointsIn, unrecognizedIn, whyWithheld } from './translate.ts';

const recorded = recordedIn(import.meta.dirname);
const heatPump = kindOf(myuplink, 'heat_pump');

/** What a recorded device is: its state, what it can do, and what linking keeps. */
function shown(name: string, securityLevel = 'admin') {
  const points = pointsIn(recorded(name));
  const details = detailsIn(points, securityLevel);
  const found = { id: 'x', type: 'heat_pump', details } as const;
  const capabilities = capabilitiesOf(heatPump, found);
  const reading = { connection: 'Connected', points };
  const state = stateOf(heatPump, reading, capabilities);
  return { details, found, capabilities, state, at: observedAt(reading) };
}

/** The changes that are sent, with the language that they ask for. */
function listenTo(here: VendorWorld) {
  const sent: [string, JsonObject][] = [];
  const languages = new Set<string | undefined>();
  here.instead = ({ method, path, headers, body }) => {
    languages.add(headers['accept-language']);
    if (method === 'PATCH')
      sent.push([path.replace(/^.*-aa-bb-cc-[^/]+/, ''), JSON.parse(Buffer.from(body).toString())]);
    return undefined;
  };
  return { sent, languages };
}

describe('recorded points', () => {
  it('recorded points of an F730: scaled values, raw bounds, absent sensors, and no power from the currents of the house', () => {
    const { details, found, capabilities, state, at } = shown('points-f730');
    assert.deepEqual(state, {
      online: true,
      power_on: false,
      operation_state: 'Heating',
      temperature_milli_c: 21_200,
    });
    assert.deepEqual(capabilities, ['read_temperature', 'on_off', 'set_temperature']);
    assert.deepEqual(details.target, { by: 'point', id: '47398', min: 5, max: 35, step: 0.5 });
    assert.deepEqual(details.boost, { id: '50004', on: '1' });
    assert.equal(whyWithheld(found), undefined, 'it takes every command');
    assert.equal(at, Date.UTC(2024, 1, 9, 11, 11, 28));
  });

  it('recorded points of an S735: its own power and energy', () => {
    const { state, at, details } = shown('points-s735');
    assert.deepEqual(state, {
      online: true,
      power_on: true,
      operation_state: 'Hot water',
      power_w: 371,
      energy_wh: 2_801_300,
      temperature_milli_c: 22_400,
    });
    assert.equal(details.target?.id, '47751');
    assert.equal(at, Date.UTC(2026, 5, 18, 8, 1, 30));
  });

  it('recorded points of a CTC that has none of these: online, and why the rest is withheld', () => {
    const { capabilities, state, found } = shown('points-ctc');
    assert.deepEqual(state, { online: true });
    assert.deepEqual(capabilities, []);
    assert.match(whyWithheld(found) ?? '', /^it has no room sensor .*, and no hot-water boost/);
  });

  it('recorded points report units that are not recognized, of points by their id or by their mark', () => {
    const of = (...points: JsonObject[]) =>
      unrecognizedIn({
        connection: 'Hibernating',
        points: pointsIn(points.map((one) => ({ value: 20, ...one }))),
      });
    assert.deepEqual(
      of(
        { parameterId: '40033', parameterUnit: '°F' },
        { parameterId: '99', parameterUnit: 'K', smartHomeCategories: ['sh-indoorTemp'] },
        { parameterId: '98', parameterUnit: 'furlong' },
      ),
      ['connectionState "Hibernating"', 'unit of 40033 "°F"', 'unit of 99 "K"'],
    );
    const heater = of(
      { parameterId: '527', parameterUnit: '°F' },
      { parameterId: '528', parameterUnit: '°C' },
    );
    assert.deepEqual(heater.slice(1), ['unit of 527 "°F"']);
    for (const name of ['points-f730', 'points-s735', 'points-ctc'])
      assert.deepEqual(
        unrecognizedIn({ connection: 'Connected', points: pointsIn(recorded(name)) }),
        [],
        name,
      );
  });

  it('recorded points of an account that may only look have no controls', () => {
    const { capabilities, found } = shown('points-s735', 'viewer');
    assert.deepEqual(capabilities, ['read_power', 'read_energy', 'read_temperature']);
    assert.match(whyWithheld(found) ?? '', /may only look/);
  });

  it('recorded points leave out what has another unit or no value, and a target without a room sensor', () => {
    const [point] = pointsIn(recorded('points-s735')).filter(({ parameterId }) => parameterId === '22130');
    assert.ok(point !== undefined);
    const watts = (change: JsonObject) =>
      heatPump.reads.read_power?.({
        connection: 'Connected',
        points: [{ ...point, ...change }],
      });
    assert.equal(watts({ parameterUnit: 'kW', value: 0.4 }), 400);
    assert.equal(watts({ parameterUnit: 'hp' }), null);
    assert.equal(watts({ value: -32_768 }), null);
    const bare = pointsIn(recorded('points-f730')).filter(({ parameterId }) => parameterId !== '40033');
    assert.equal(detailsIn(bare, 'admin').target, null);
    const fixed = pointsIn(recorded('points-f730')).map((one) => ({ ...one, writable: false }));
    assert.deepEqual([detailsIn(fixed, 'admin').target, detailsIn(fixed, 'admin').boost], [null, null]);
  });
});

describe('myuplink', () => {
  it('myuplink sets a target by the point, by the zone, or by the heating offset', async () => {
    const here = await makeVendorWorld(myuplink);
    const { sent, languages } = listenTo(here);
    for (const [name, path, body] of [
      ['F730', '/points', { 47398: '22.5' }],
      ['S735', '/points', { 47751: '22.5' }],
      ['SMO', '/zones/3', { setpointHeat: 22.5 }],
      ['F1155', '/points', { 47011: '3' }],
    ] as const) {
      const pump = await here.device(name);
      await here.send(pump, { type: 'set_temperature', target_milli_c: 22_600 });
      assert.deepEqual(sent.pop(), [path, body], name);
      await here.pass(60);
    }
    assert.deepEqual([...languages], ['en-GB']);
  });

  it('myuplink sends nothing to a device that is not connected, where it would be lost', async () => {
    const here = await makeVendorWorld(myuplink);
    const { sent } = listenTo(here);
    for (const name of ['F730', 'SMO', 'F1155']) {
      const pump = await here.device(name);
      here.vendor.reach(pump, false);
      const command = { type: 'set_temperature', target_milli_c: 21_000 } as const;
      await assert.rejects(here.send(pump, command), { code: 'device.offline' }, name);
      await here.pass(60);
    }
    assert.deepEqual(sent, []);
  });

  it('myuplink makes the same target the same offset, and begins again where somebody else has set it', async () => {
    const here = await makeVendorWorld(myuplink);
    const pump = await here.device('F1155');
    const { sent } = listenTo(here);
    const set = async (target_milli_c: number) => {
      await here.send(pump, { type: 'set_temperature', target_milli_c });
      await here.pass(1_800);
      return sent.at(-1)?.[1];
    };
    assert.deepEqual(await set(22_000), { 47011: '2' });
    assert.deepEqual(await set(22_000), { 47011: '2' });
    assert.deepEqual(await set(18_000), { 47011: '-2' });
    await assert.rejects(set(5_000), { code: 'command.out_of_range' });
    here.vendor.arrange(pump, 'cold');
    assert.deepEqual(await set(20_000), { 47011: '-2' });
  });

  it('myuplink warms the house after a command', async () => {
    const here = await makeVendorWorld(myuplink);
    const pump = await here.device('S735');
    here.vendor.arrange(pump, 'cold');
    const before = await here.state(pump);
    await here.send(pump, { type: 'set_temperature', target_milli_c: 21_000 });
    await here.pass(12 * 3_600);
    const { temperature_milli_c, energy_wh } = await here.state(pump);
    assert.equal(temperature_milli_c, 21_000);
    assert.ok((energy_wh ?? 0) > (before.energy_wh ?? 0) + 3_000, 'it takes power to warm a house');
  });

  it('myuplink says what is needed where the subscription lacks, and goes on reading', async () => {
    const here = await makeVendorWorld(myuplink, { user: 'basic' });
    const pump = await here.device('F730');
    await assert.rejects(here.send(pump, { type: 'turn_on' }), {
      code: 'vendor.refused',
      message: /Premium Manage/,
    });
    assert.equal((await here.state(pump)).online, true);
    here.instead = ({ method }) => (method === 'PATCH' ? { status: 402 } : undefined);
    await assert.rejects(here.send(pump, { type: 'turn_on' }), { message: /402.*Premium Manage/ });
    here.instead = ({ method }) =>
      method === 'PATCH' ? { status: 200, json: { payload: { 50004: 'failed' } } } : undefined;
    await assert.rejects(here.send(pump, { type: 'turn_on' }), { code: 'vendor.refused' });
  });

  it('myuplink waits for as long as the vendor says once the calls of a minute are used up', async () => {
    const here = await makeVendorWorld(myuplink);
    const pump = await here.device('F730');
    const reads = async () => {
      for (let count = 0; count < 25; count += 1) await here.state(pump);
    };
    await assert.rejects(reads(), { code: 'vendor.rate_limited', retryAfterSeconds: 60 });
    await here.pass(60);
    assert.equal((await here.state(pump)).online, true);
  });

  it('myuplink asks eight devices of a large account what they can do, and the next eight in the next list', async () => {
    const here = await makeVendorWorld(myuplink, { user: 'large' });
    const { devices } = await here.link();
    const first = devices.filter(({ details }) => details?.has !== undefined).map(({ id }) => id);
    assert.equal(first.length, 8);
    await here.pass(60);
    const next = await myuplink.list(here.session(), devices.map(refOf));
    const now = next.filter(({ details }) => details?.has !== undefined).map(({ id }) => id);
    assert.equal(now.length, 16);
    assert.ok(
      first.every((id) => now.includes(id)),
      'what was stored stays',
    );
    const asked = next.find(({ details }) => details?.has !== undefined)?.details ?? {};
    here.asked.length = 0;
    await here.pass(86_400);
    const all = next.map((one) => refOf({ ...one, details: asked }));
    await myuplink.list(here.session(), all);
    const again = here.asked.filter((call) => call.endsWith('/points'));
    assert.equal(again.length, 8);
    assert.equal(
      first.some((id) => again.join().includes(id)),
      false,
      'others each day',
    );
  });

  it('myuplink simulates what other clients ask for', async () => {
    const here = await makeVendorWorld(myuplink);
    const { id } = await here.device('F730');
    const ask = async (
      method: string,
      target: string,
      language = 'en-US',
      body = '',
      type = 'application/json',
    ) => {
      const { pathname: path, searchParams: query } = new URL(target, 'http://simulator.test');
      const authorization = `Bearer ${here.tokens?.access}`;
      const headers = { authorization, 'accept-language': language, 'content-type': type };
      return here.vendor.handle({ method, path, query, headers, body: Buffer.from(body) });
    };
    const anonymous = { method: 'GET', query: new URLSearchParams(), headers: {}, body: new Uint8Array() };
    assert.equal((await here.vendor.handle({ ...anonymous, path: '/v2/ping' })).status, 204);
    assert.equal((await here.vendor.handle({ ...anonymous, path: '/v2/protected-ping' })).status, 401);
    assert.equal((await ask('GET', '/v2/protected-ping')).status, 204);
    const points = `/v2/devices/${id}/points`;
    const patched = await ask('PATCH', points, 'en-US', '{"47011":"3"}', 'application/json-patch+json');
    assert.deepEqual(patched.json, { status: 200, payload: { 47011: 'modified' } });
    const words = async (language: string) => {
      const { json } = await ask('GET', `${points}?parameters=47011,49994`, language);
      return (json as { parameterId: string; strVal: string }[]).map(
        (one) => `${one.parameterId} ${one.strVal}`,
      );
    };
    assert.deepEqual(await words('en-US'), ['49994 Heating', '47011 3']);
    assert.deepEqual(await words('sv-SE'), ['49994 Värme', '47011 3']);
    const { json } = await ask('GET', '/v2/systems/me');
    const { systems } = json as { systems: { systemId: string }[] };
    const system = `/v2/systems/${systems[0]?.systemId}`;
    assert.equal((await ask('GET', `${system}/notifications/active?page=1&itemsPerPage=10`)).status, 200);
    assert.equal((await ask('GET', `${system}/smart-home-mode`)).status, 200);
    assert.equal((await ask('PATCH', points, 'en-US', '{"47398":"36"}')).status, 400);
  });
});
