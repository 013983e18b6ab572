import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { makeVendorWorld, recordedIn, type VendorWorld } from '../../../test/kit/vendor-world.ts';
import { capabilitiesOf, stateOf } from '../../adapter/adapters.ts';
import { MINUTE_MS } from '../../core/durations.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { readingIn } from './bridge/resources.ts';
import { hue } from './index.ts';
import type { HueSimulator } from './simulator.ts';

const recorded = recordedIn(import.meta.dirname);
const { light: kind } = hue.kinds;

async function makeWorld() {
  const here = await makeVendorWorld(hue);
  const { lamp: at, unplugged } = here.vendor as HueSimulator;
  return Object.assign(here, { at, unplugged });
}

/** The bodies of commands. */
function listenTo(here: VendorWorld) {
  const sent: Json[] = [];
  here.instead = ({ method, path, body }) => {
    if (method === 'PUT' && path.includes('/light/'))
      sent.push(JSON.parse(Buffer.from(body).toString()) as Json);
    return undefined;
  };
  return sent;
}

describe('a recorded bridge', () => {
  it('a recorded bridge is read: lamps with the names of their devices; rooms, zones and groups are not devices', async () => {
    const here = await makeWorld();
    here.instead = ({ path }) =>
      path === '/route/clip/v2/resource' ? { status: 200, json: recorded('resources') } : undefined;
    const { vendorAccount, devices } = await here.link();
    assert.equal(vendorAccount, '001788fffe000000');
    const { data } = recorded('resources') as { data: Json[] };
    const shown = devices.map((found) => {
      const reading = readingIn(data, found.id);
      const { online, power_on, operation_state } = stateOf(kind, reading, capabilitiesOf(kind, found));
      assert.deepEqual(kind.unrecognized?.(reading), []);
      return [found.name, online, power_on, operation_state];
    });
    assert.deepEqual(shown, [
      ['Device 36', true, false, 'dim 81, color 255,76,12'],
      ['Device 17', true, true, 'dim 62, 2710 K'],
      ['Device 9', true, true, 'dim 20, color 0,128,255'],
      ['Device 6', false, undefined, undefined],
      ['Device 14', true, false, 'dim 81, color 255,134,31'],
      ['Device 15', true, true, 'dim 100, 2237 K'],
      ['Device 1', true, true, 'dim 62, 2710 K'],
      ['Device 26', true, true, 'dim 20, color 48,0,255'],
    ]);
  });

  it('a recorded bridge loses nothing to a connection or a mode that is not recognized, and reports it', () => {
    const light = {
      id: 'l',
      type: 'light',
      owner: { rid: 'd', rtype: 'device' },
      on: { on: true },
      mode: 'party',
    };
    const path = { type: 'zigbee_connectivity', owner: { rid: 'd', rtype: 'device' }, status: 'sleeping' };
    const reading = readingIn([light, path], 'l');
    assert.deepEqual(kind.unrecognized?.(reading), [
      'mode of the light "party"',
      'status of the connection "sleeping"',
    ]);
    assert.deepEqual(kind.status(reading), { online: true, power_on: true, operation_state: null });
  });
});

describe('linking', () => {
  it('linking gets a key of the bridge, sends it with each call, and shows it nowhere', async () => {
    const here = await makeWorld();
    const key = String(here.tokens?.extra?.application_key);
    assert.match(key, /^simulated-home-\w{24}$/);
    assert.ok(here.cloud.secrets().includes(key), 'the conformance looks for it in errors and logs');
    const carried: unknown[] = [];
    here.instead = ({ headers }) => {
      carried.push(headers['hue-application-key']);
      return undefined;
    };
    const { devices } = await here.link();
    assert.deepEqual(carried, [key]);
    assert.doesNotMatch(inspect(devices, { depth: 9 }), new RegExp(key));
    here.vendor.expireTokens();
    await here.state(await here.device('Sofa'));
    assert.equal(here.tokens?.extra?.application_key, key, 'a renewal keeps it');
  });

  it('linking says that a bridge is unreachable, or does not accept elnav', async () => {
    const here = await makeWorld();
    const onBridge = async (answer: { readonly status: number; readonly json: Json }) => {
      here.instead = ({ path }) => (path.startsWith('/route/api') ? answer : undefined);
      return here.signIn();
    };
    await assert.rejects(onBridge({ status: 504, json: {} }), {
      code: 'vendor.unreachable',
      message: /without internet/,
    });
    await assert.rejects(onBridge({ status: 200, json: [{ error: { type: 101 } }] }), {
      code: 'vendor.answer_invalid',
    });
    here.instead = undefined;
    await here.signIn();
    here.tokens = here.tokens && { ...here.tokens, extra: { application_key: 'removed-by-its-user' } };
    await assert.rejects(here.link(), { code: 'vendor.refused', message: /link the account again/ });
  });

  it('linking finds lamps, a plug, and two lights of one device', async () => {
    const here = await makeWorld();
    const { devices } = await here.link();
    assert.deepEqual(
      devices.map((one) => [one.name, capabilitiesOf(kind, one)]),
      [
        ['Sofa (simulated)', ['on_off', 'set_light']],
        ['Kitchen (simulated)', ['on_off', 'set_light']],
        ['Hall (simulated)', ['on_off', 'set_light']],
        ['Christmas tree (simulated)', ['on_off']],
        ['Wall (simulated) (Up (simulated))', ['on_off', 'set_light']],
        ['Wall (simulated) (Down (simulated))', ['on_off', 'set_light']],
      ],
    );
    const tree = await here.device('Christmas');
    assert.equal(kind.whyWithheld?.(tree), 'it can only be switched on and off');
    assert.deepEqual(await here.state(tree), { online: true, power_on: true, operation_state: null });
  });
});

describe('reading', () => {
  it('reading takes one call for the whole bridge', async () => {
    const here = await makeWorld();
    const devices = await Promise.all(['Sofa', 'Kitchen', 'Hall'].map(here.device));
    here.asked.length = 0;
    assert.equal((await hue.sweep(here.session(), devices)).size, 3);
    assert.deepEqual(here.asked, ['GET /route/clip/v2/resource']);
  });
});

describe('set_light', () => {
  const colour = (body: Json | undefined) => (body as { color: { xy: { x: number; y: number } } }).color.xy;

  it('set_light sets a colour within the gamut of the lamp, with or without a brightness', async () => {
    const here = await makeWorld();
    const sofa = await here.device('Sofa');
    const sent = listenTo(here);
    await here.send(sofa, { type: 'set_light', color: [255, 120, 0] });
    await here.send(sofa, { type: 'set_light', dim: 40, color: [0, 0, 255] });
    assert.deepEqual(sent, [
      { color: { xy: { x: 0.5523, y: 0.3996 } } },
      { on: { on: true }, dimming: { brightness: 40 }, color: { xy: colour(sent[1]) } },
    ]);
    // sRGB's blue is outside of gamut C: 0.15, 0.06.
    assert.deepEqual(colour(sent[1]), { x: 0.1535, y: 0.0599 });
    assert.equal((await here.state(sofa)).operation_state, 'dim 40, color 34,0,255');
  });

  it('set_light sets the temperature of a lamp that has white light alone, and refuses it colours', async () => {
    const here = await makeWorld();
    const kitchen = await here.device('Kitchen');
    const sent = listenTo(here);
    await here.send(kitchen, { type: 'set_light', color: [255, 147, 41] });
    await here.send(kitchen, { type: 'set_light', color: [255, 255, 255] });
    assert.deepEqual(sent, [{ color_temperature: { mirek: 454 } }, { color_temperature: { mirek: 154 } }]);
    assert.equal((await here.state(kitchen)).operation_state, 'dim 100, 6494 K');
    await assert.rejects(here.send(kitchen, { type: 'set_light', color: [255, 0, 0] }), {
      code: 'command.out_of_range',
      message: /white light alone, from 2203 to 6536 K; color 255,0,0 is no white/,
    });
  });

  it('set_light switches off with dim 0 and on with any other; a colour alone does neither', async () => {
    const here = await makeWorld();
    const hall = await here.device('Hall');
    const sofa = await here.device('Sofa');
    await here.send(hall, { type: 'set_light', dim: 0 });
    assert.equal((await here.state(hall)).power_on, false);
    await here.send(hall, { type: 'set_light', dim: 30 });
    assert.deepEqual(await here.state(hall), { online: true, power_on: true, operation_state: 'dim 30' });
    await here.send(sofa, { type: 'turn_off' });
    await assert.rejects(here.send(sofa, { type: 'set_light', color: [255, 0, 0] }), {
      code: 'vendor.refused',
      message: /it is off, and dim switches it on/,
    });
  });

  it('set_light refuses what a lamp cannot show', async () => {
    const here = await makeWorld();
    const [hall, sofa] = [await here.device('Hall'), await here.device('Sofa')];
    const rejects = (command: JsonObject, device = sofa) =>
      assert.rejects(here.send(device, { type: 'set_light', ...command } as never), {
        code: 'command.out_of_range',
      });
    await rejects({});
    await rejects({ dim: 101 });
    await rejects({ color: [0, 0, 256] });
    await rejects({ color: [0, 0, 0] });
    await rejects({ color: [255, 255, 255] }, hall);
  });
});

describe('a bridge without power', () => {
  it('a bridge without power has lamps that are offline, also in a sweep, and a command says so', async () => {
    const here = await makeWorld();
    const [sofa, tree] = [await here.device('Sofa'), await here.device('Christmas')];
    here.unplugged.add('home');
    for (const device of [sofa, tree]) assert.deepEqual(await here.state(device), { online: false });
    const swept = await hue.sweep(here.session(), [sofa, tree]);
    assert.deepEqual([...swept.keys()], [sofa.id, tree.id]);
    for (const reading of swept.values()) assert.deepEqual(kind.status(reading), { online: false });
    assert.deepEqual(kind.unrecognized?.(swept.get(sofa.id)), []);
    await assert.rejects(here.send(sofa, { type: 'turn_on' }), {
      code: 'device.offline',
      message: /without internet/,
    });
    await assert.rejects(here.link(), { code: 'vendor.unreachable', message: /without internet/ });
    here.unplugged.clear();
    assert.equal((await here.state(sofa)).online, true);
  });

  it('a bridge without power is a response, which is not repeated and says nothing of the cloud; an outage of the cloud is none', async () => {
    const here = await makeWorld();
    const sofa = await here.device('Sofa');
    const session = here.session();
    const expected: unknown[] = [];
    const http: typeof session.http = {
      ...session.http,
      send(request) {
        expected.push(request.expect);
        return session.http.send(request);
      },
    };
    await here.state(sofa, { ...session, http });
    await here.send(sofa, { type: 'turn_on' }, { ...session, http });
    assert.deepEqual(expected, Array(2).fill([403, 504]));
    here.instead = () => ({ status: 503, json: {} });
    await assert.rejects(here.state(sofa), { code: 'vendor.unreachable' });
    await assert.rejects(here.send(sofa, { type: 'turn_on' }), { code: 'command.outcome_unknown' });
  });
});

describe('a lamp without power', () => {
  it('a lamp without power is offline, and a command says so', async () => {
    const here = await makeWorld();
    const sofa = await here.device('Sofa');
    here.vendor.reach(sofa, false);
    assert.deepEqual(await here.state(sofa), { online: false });
    await assert.rejects(here.send(sofa, { type: 'turn_on' }), { code: 'device.offline' });
  });

  it('a lamp without power is not confused with one that streams', async () => {
    const here = await makeWorld();
    const sofa = await here.device('Sofa');
    here.at(sofa.id).isStreaming = true;
    assert.equal((await here.state(sofa)).operation_state, 'streaming, dim 100, 2732 K');
  });
});

describe('the button of the bridge', () => {
  it('the button of the bridge is released after a while', async () => {
    const here = await makeWorld();
    const headers = {
      authorization: `Bearer ${here.tokens?.access ?? ''}`,
      'content-type': 'application/json',
    };
    const ask = async (method: string, path: string, json: Json) => {
      const body = Buffer.from(JSON.stringify(json));
      return (await here.vendor.handle({ method, path, headers, query: new URLSearchParams(), body })).json;
    };
    await ask('PUT', '/route/api/0/config', { linkbutton: true });
    here.clock.turn(MINUTE_MS);
    assert.match(
      JSON.stringify(await ask('POST', '/route/api', { devicetype: 'x#y' })),
      /link button not pressed/,
    );
  });
});
