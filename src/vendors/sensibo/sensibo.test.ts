import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeVendorWorld, recordedIn, type VendorWorld } from '../../../test/kit/vendor-world.ts';
import { capabilitiesOf, stateOf } from '../../adapter/adapters.ts';
import { CONTROLS } from '../../adapter/fields.ts';
import { each } from '../../adapter/kit/index.ts';
import { MINUTE_MS } from '../../core/durations.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { foundIn, ListedPod } from './client.ts';
import { sensibo } from './index.ts';
import { CLIMATE_REACT, type SensiboSimulator } from './simulator.ts';

import { Pod } from './translate.ts';

const recorded = recordedIn(import.meta.dirname);
const { heat_pump: kind } = sensibo.kinds;

const resultIn = (name: string): Json => (recorded(name) as JsonObject).result ?? null;

/** What is shown of the recorded controllers that are air conditioners. */
const shownIn = (name: string) => {
  const pods = each(resultIn(name), Pod);
  return foundIn(each(resultIn(name), ListedPod)).map((found) => {
    const pod = pods.find(({ id }) => id === found.id);
    const { online, power_on, operation_state, temperature_milli_c } = stateOf(
      kind,
      pod,
      capabilitiesOf(kind, found),
    );
    return {
      name: found.name,
      state: { online, power_on, operation_state, temperature_milli_c },
      at: kind.observedAt?.(pod),
      ranges:
        typeof kind.ranges === 'function' ? kind.ranges({ id: found.id, details: found.details ?? {} }) : {},
      unrecognized: kind.unrecognized?.(pod),
    };
  });
};

describe('recorded controllers', () => {
  it('recorded controllers are read where they control an air conditioner; purifiers and air monitors are left out', () => {
    assert.deepEqual(shownIn('pods-three-models'), [
      {
        name: 'Hall (Home)',
        state: {
          online: true,
          power_on: false,
          operation_state: 'off',
          temperature_milli_c: 20_200,
        },
        at: Date.parse('2024-12-08T17:16:13.197Z'),
        ranges: { min_milli_c: 17_000, max_milli_c: 30_000 },
        unrecognized: [],
      },
    ]);
    assert.deepEqual(shownIn('pods-hallway'), [
      {
        name: 'Hallway',
        state: { online: true, power_on: true, operation_state: 'heat', temperature_milli_c: 21_200 },
        at: Date.parse('2022-04-30T11:22:57.894Z'),
        ranges: { min_milli_c: 10_000, max_milli_c: 20_000 },
        unrecognized: [],
      },
    ]);
  });

  it('recorded controllers lose one field to a mode or unit that is not recognized, and report it', () => {
    const [pod] = each(resultIn('pods-hallway'), Pod);
    const odd = { ...pod, acState: { on: true, mode: 'HOLIDAY', temperatureUnit: 'K' } };
    assert.deepEqual(kind.unrecognized?.(odd), ['mode "HOLIDAY"', 'temperatureUnit "K"']);
    assert.equal(kind.status(odd).power_on, true);
    assert.equal(kind.reads.read_temperature?.(odd), 21_200);
  });

  it('recorded controllers of an unknown model are air conditioners where a mode heats or cools', () => {
    const [listed] = each(resultIn('pods-hallway'), ListedPod);
    const ids = (change: JsonObject) => foundIn(each([{ ...listed, ...change }], ListedPod)).length;
    assert.equal(ids({ productModel: 'horizon9' }), 1);
    assert.equal(ids({ productModel: 'horizon9', remoteCapabilities: { modes: { fan: {} } } }), 0);
    assert.equal(ids({ productModel: 'airq', remoteCapabilities: null }), 1);
  });
});

async function makeWorld() {
  const here = await makeVendorWorld(sensibo);
  return Object.assign(here, { at: (here.vendor as SensiboSimulator).pod });
}

/** What commands send: the path and the body. */
function listenTo(here: VendorWorld) {
  const sent: [string, Json][] = [];
  here.instead = ({ method, path, body }) => {
    if (method === 'PATCH')
      sent.push([path.replace('/api/v2/pods/', ''), JSON.parse(Buffer.from(body).toString()) as Json]);
    return undefined;
  };
  return sent;
}

describe('linking', () => {
  it('linking finds the air conditioners of every home, and what each can do', async () => {
    const here = await makeWorld();
    const { vendorAccount, devices } = await here.link();
    assert.equal(vendorAccount, 'simulated-home');
    assert.deepEqual(
      devices.map((one) => [one.name, capabilitiesOf(kind, one).filter((can) => can in CONTROLS)]),
      [
        ['Living room (simulated) (House)', ['on_off', 'set_temperature']],
        ['Bedroom (simulated) (House)', ['on_off', 'set_temperature']],
        ['Cabin (simulated) (Summer house)', ['on_off', 'set_temperature']],
        ['Attic (simulated) (House)', []],
      ],
    );
    assert.ok(devices.every((one) => capabilitiesOf(kind, one).includes('read_temperature')));
    assert.deepEqual(
      devices.map((one) => kind.whyWithheld?.(one)?.slice(0, 20)),
      [undefined, undefined, undefined, 'no remote control is'],
    );
  });

  it('linking sends the key in the query and nowhere else, and a wrong one is no outage', async () => {
    const here = await makeWorld();
    const carried: (readonly [string | null, boolean])[] = [];
    here.instead = ({ query, headers }) => {
      carried.push([query.get('apiKey'), JSON.stringify(headers).includes('simulated-key')]);
      return undefined;
    };
    await here.link();
    assert.deepEqual(carried, Array(2).fill(['simulated-key-of-home', false]));
    const signIn = (api_key: string) => sensibo.login.signIn?.(here.loginSession(), { api_key });
    await assert.rejects(async () => signIn('wrong'), { code: 'link.credentials_refused' });
    here.instead = () => ({ status: 403, json: { status: 403 } });
    await assert.rejects(async () => signIn('simulated-key-of-home'), { code: 'vendor.refused' });
  });
});

describe('reading', () => {
  it('reading takes one call for all controllers', async () => {
    const here = await makeWorld();
    const devices = await Promise.all(['Living', 'Bedroom', 'Cabin'].map(here.device));
    here.asked.length = 0;
    assert.equal((await sensibo.sweep(here.session(), devices)).size, 3);
    assert.deepEqual(here.asked, ['GET /api/v2/users/me/pods']);
  });

  it('reading takes the room sensor that the user has chosen', async () => {
    const here = await makeWorld();
    const cabin = await here.device('Cabin');
    assert.equal(
      (await here.state(cabin)).temperature_milli_c,
      20_000,
      'and not the 18 °C of the controller',
    );
  });

  it('reading says when the room was measured, and that a controller is offline', async () => {
    const here = await makeWorld();
    const living = await here.device('Living');
    here.clock.turn(10 * MINUTE_MS + 40_000);
    const pod = await kind.read(here.session(), living);
    assert.equal(kind.observedAt?.(pod), here.clock.now() - 10_000, 'it measures every 90 s');
    here.vendor.reach(living, false);
    const { online, temperature_milli_c } = await here.state(living);
    assert.deepEqual([online, temperature_milli_c], [false, null]);
    assert.equal(kind.observedAt?.(await kind.read(here.session(), living)), null);
  });
});

describe('commands', () => {
  it('commands change one property, and keep mode and fan', async () => {
    const here = await makeWorld();
    const living = await here.device('Living');
    const pod = here.at(living.id);
    pod.ac = { ...pod.ac, mode: 'cool', fanLevel: 'quiet' };
    const sent = listenTo(here);
    await here.send(living, { type: 'turn_off' });
    await here.send(living, { type: 'set_temperature', target_milli_c: 22_400 });
    assert.equal((await here.state(living)).power_on, false, 'one that is off stays off');
    await here.send(living, { type: 'turn_on' });
    assert.deepEqual(sent, [
      ['sim00001/acStates/on', { newValue: false }],
      ['sim00001/acStates/targetTemperature', { newValue: 22 }],
      ['sim00001/acStates/on', { newValue: true }],
    ]);
    assert.deepEqual(
      [pod.ac.on, pod.ac.mode, pod.ac.fanLevel, pod.ac.targetTemperature],
      [true, 'cool', 'quiet', 22],
    );
  });

  it('commands set the target in the unit of the air conditioner', async () => {
    const here = await makeWorld();
    const bedroom = await here.device('Bedroom');
    const sent = listenTo(here);
    await here.send(bedroom, { type: 'set_temperature', target_milli_c: 21_000 });
    await here.send(bedroom, { type: 'set_temperature', target_milli_c: 16_000 });
    assert.deepEqual(
      sent.map(([, json]) => json),
      [{ newValue: 70 }, { newValue: 61 }],
    );
  });

  it('commands are refused where the mode takes no target, or not that one', async () => {
    const here = await makeWorld();
    const living = await here.device('Living');
    const set = (target_milli_c: number) => here.send(living, { type: 'set_temperature', target_milli_c });
    await assert.rejects(set(31_000), {
      code: 'command.out_of_range',
      message: /at most|from 16000 to 30000/,
    });
    const narrow: Json = { modes: { heat: { temperatures: { C: { values: [18, 19, 24] } } } } };
    here.instead = ({ method, path }) =>
      method === 'GET' && path.endsWith(living.id)
        ? {
            status: 200,
            json: {
              status: 'success',
              result: { id: living.id, acState: { mode: 'heat' }, remoteCapabilities: narrow },
            },
          }
        : undefined;
    await assert.rejects(set(27_000), { code: 'command.out_of_range', message: /18 to 24 °C/ });
    here.instead = undefined;
    here.at(living.id).ac = { ...here.at(living.id).ac, mode: 'fan' };
    await assert.rejects(set(20_000), {
      code: 'vendor.refused',
      message: /no target temperature in mode "fan"/,
    });
    here.vendor.reach(living, false);
    await assert.rejects(set(20_000), { code: 'device.offline' });
    await assert.rejects(here.send(living, { type: 'turn_on' }), { message: /No connection/ });
  });
});

describe('Climate React', () => {
  it('Climate React is said, since it undoes commands', async () => {
    const here = await makeWorld();
    const living = await here.device('Living');
    Object.assign(here.at(living.id), { smart: CLIMATE_REACT, celsius: 18 });
    await here.send(living, { type: 'turn_off' });
    assert.equal((await here.state(living)).operation_state, 'off, Climate React');
    here.clock.turn(3 * MINUTE_MS);
    assert.deepEqual((await here.state(living)).operation_state, 'heat, Climate React');
    const { devices } = await here.link();
    assert.deepEqual(
      sensibo.nextSteps(devices).map((step) => [step.id, step.devices]),
      [['turn_off_climate_react', [living.id]]],
    );
    here.at(living.id).smart = null;
    assert.deepEqual(sensibo.nextSteps((await here.link()).devices), []);
  });
});

describe('the limit', () => {
  it('the limit is twice as long for those who accept gzip', async () => {
    const here = await makeWorld();
    const query = new URLSearchParams({ apiKey: 'simulated-key-of-large' });
    const ask = async (headers: Record<string, string>) => {
      const request = { method: 'GET', path: '/api/v1/users/me', query, headers, body: new Uint8Array() };
      const { status, json } = await here.vendor.handle(request);
      return status === 200 ? null : String((json as JsonObject).message);
    };
    const plain = [];
    for (let count = 0; count < 6; count += 1) plain.push(await ask({}));
    assert.match(String(plain[5]), /Use "Accept-Encoding: gzip"/);
    assert.deepEqual(plain.slice(0, 5), Array(5).fill(null));
    here.clock.turn(10_000);
    const compressed = [];
    for (let count = 0; count < 11; count += 1) compressed.push(await ask({ 'accept-encoding': 'gzip, br' }));
    assert.match(String(compressed[10]), /Lower the request rate/);
    assert.deepEqual(compressed.slice(0, 10), Array(10).fill(null));
  });
});
