import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import WebSocket from 'ws';
import { type ServedVendor, serveVendor } from '../../../test/kit/served-vendor.ts';
import { makeVendorWorld, recordedIn, refOf } from '../../../test/kit/vendor-world.ts';
import { capabilitiesOf, stateOf } from '../../adapter/adapters.ts';
import { turnedClock } from '../../core/clock.ts';
import type { JsonObject } from '../../core/json.ts';
import { identityIn } from './client.ts';
import { shelly } from './index.ts';
import type { ShellySimulator } from './simulator.ts';
import { merged } from './stream.ts';
import { partsIn, readingIn } from './translate.ts';

const recorded = recordedIn(import.meta.dirname);
const { smart_home_appliance: kind } = shelly.kinds;
type Recorded = Readonly<Record<'shelly' | 'status' | 'config', JsonObject>>;
const devices = recorded('devices') as Readonly<Record<string, Recorded>>;

/** What a recorded device is: its parts, what each can do, and its state. */
function shownOf(name: string) {
  const { shelly: identity, status, config } = devices[name] ?? assert.fail(name);
  return partsIn({ ...identityIn(identity), status, config }).map((found) => {
    const capabilities = capabilitiesOf(kind, found);
    const reading = readingIn(status, String(found.details?.part));
    return { name: found.name, capabilities, state: stateOf(kind, reading, capabilities) };
  });
}

const ALL = ['read_power', 'read_energy', 'on_off'];

describe('recorded devices', () => {
  it('recorded devices are one device for each relay, with the name that its owner gave it', () => {
    assert.deepEqual(shownOf('Shelly Plus Plug S'), [
      {
        name: 'Switch Test Name 0',
        capabilities: ALL,
        state: { online: true, power_on: true, operation_state: null, power_w: 3, energy_wh: 7_259 },
      },
    ]);
    const relays = shownOf('Shelly Pro 4PM');
    assert.deepEqual(
      relays.map(({ capabilities }) => capabilities),
      [ALL, ALL, ALL, ALL],
    );
    assert.equal(new Set(relays.map(({ name }) => name)).size, 4);
  });

  it('recorded devices without a meter are switched, and have no power', () => {
    for (const name of ['Shelly Pro 3', 'shellymini1gen4', 'Shelly Wall Display'])
      for (const { capabilities, state } of shownOf(name)) {
        assert.deepEqual(capabilities, ['on_off'], name);
        assert.equal(typeof state.power_on, 'boolean');
      }
  });

  it('recorded devices that measure three phases are a meter, which is not switched', () => {
    const [meter, ...others] = shownOf('Shelly Pro 3EM');
    assert.deepEqual(others, []);
    assert.deepEqual(meter, {
      name: 'Energy Monitor Test Name 0',
      capabilities: ['read_power', 'read_energy'],
      state: { online: true, power_on: null, operation_state: null, power_w: 559, energy_wh: 2_589_773 },
    });
    const [found] = partsIn({ id: 'a', name: null, status: { 'em1:1': { act_power: -40.4 } }, config: {} });
    assert.ok(found !== undefined);
    assert.match(kind.whyWithheld?.(found) ?? '', /measures/);
    assert.equal(kind.reads.read_power?.(readingIn({ 'em1:1': { act_power: -40.4 } }, 'em1:1')), -40.4);
  });

  it('recorded devices with none of these parts are no device', () => {
    for (const name of ['Shelly BLU Gateway', 'shellyblugatewaygen3', 'shellyplus2pm'])
      assert.deepEqual(shownOf(name), [], name);
    const { status } = devices.shelly2pmg3 ?? assert.fail();
    assert.ok('cover:0' in status);
    assert.deepEqual(partsIn({ id: 'a', name: null, status, config: {} }), []);
  });

  it('recorded devices of the first generation are told apart, all four', () => {
    const first = Object.keys(devices).filter((name) => name.startsWith('first generation'));
    assert.equal(first.length, 4);
    for (const name of first)
      assert.throws(() => shownOf(name), { code: 'vendor.refused', message: /first generation/ }, name);
    assert.throws(() => identityIn({}), { code: 'vendor.refused', message: /no Shelly/ });
  });
});

describe('what a part reports', () => {
  it('what a part reports is its energy in watt-hours, and not the milliwatt-hours of the last minutes', () => {
    const own = { output: true, apower: 60, aenergy: { total: 1.5, by_minute: [1_000, 1_000, 1_000] } };
    assert.equal(kind.reads.read_energy?.(readingIn({ 'switch:0': own }, 'switch:0')), 1.5);
  });

  it('what a part reports is what is wrong with it, and a word that is not recognized', () => {
    const reading = readingIn(
      { 'switch:0': { output: false, errors: ['overpower', 'overtemp', 'bored'] } },
      'switch:0',
    );
    assert.equal(kind.status(reading).operation_state, 'overpower, overtemp, bored');
    assert.deepEqual(kind.unrecognized?.(reading), ['errors "bored"']);
  });
});

async function makeWorld() {
  const here = await makeVendorWorld(shelly);
  const { device: box, press } = here.vendor as ShellySimulator;
  const [heater] = (await here.link()).devices;
  assert.ok(heater !== undefined);
  return { here, box, press, heater: refOf(heater) };
}

describe('signing in', () => {
  it('signing in sends a digest that is another one for each call, and never the password', async () => {
    const { here, heater } = await makeWorld();
    const sent: string[] = [];
    here.instead = ({ headers }) => void sent.push(headers.authorization ?? '');
    await here.state(heater);
    await here.state(heater);
    const counts = sent.map((one) => Number.parseInt(/nc=([0-9a-f]{8}),/.exec(one)?.[1] ?? '', 16));
    assert.equal(new Set(sent).size, 2);
    assert.equal((counts[1] ?? 0) - (counts[0] ?? 0), 1);
    assert.equal(sent.join().includes('simulated-password'), false);
    assert.equal(here.renewals, 0);
  });

  it('signing in answers the challenge anew once a device wants another', async () => {
    const { here, heater } = await makeWorld();
    here.vendor.expireTokens();
    await Promise.all([here.state(heater), here.state(heater)]);
    assert.equal(here.renewals, 1);
  });

  it('signing in needs no password where none is set, and tells where one is missing or wrong', async () => {
    const { here, box } = await makeWorld();
    const signIn = async (credentials: JsonObject) =>
      shelly.login.signIn?.(here.loginSession(), { host: here.credentials.host ?? null, ...credentials });
    await assert.rejects(signIn({ password: 'wrong' }), {
      code: 'link.credentials_refused',
      message: /password is wrong/,
    });
    await assert.rejects(signIn({}), { code: 'link.credentials_refused', message: /none was given/ });
    box.password = null;
    assert.equal((await signIn({}))?.access, '');
    assert.equal((await signIn({ password: 'unneeded' }))?.access, '');
  });

  it('signing in tells a device of the first generation before its password is used', async () => {
    const { here, box } = await makeWorld();
    box.isFirstGeneration = true;
    here.asked.length = 0;
    await assert.rejects(here.signIn(), { code: 'vendor.refused', message: /first generation/ });
    assert.deepEqual(here.asked, ['GET /shelly']);
  });
});

describe('a relay', () => {
  it('a relay is switched by its number, and no other one is', async () => {
    const { here, box, heater } = await makeWorld();
    await here.send(heater, { type: 'turn_on' });
    assert.deepEqual(
      box.relays.map(({ output }) => output),
      [true, false],
    );
    const { power_on, power_w } = await here.state(heater);
    assert.deepEqual([power_on, power_w], [true, 1_200]);
  });

  it('a relay that draws too much opens by itself, and says why', async () => {
    const { here, box, heater } = await makeWorld();
    Object.assign(box.relays[0] ?? {}, { loadW: 3_000 });
    await here.send(heater, { type: 'turn_on' });
    const { power_on, operation_state } = await here.state(heater);
    assert.deepEqual([power_on, operation_state], [false, 'overpower']);
  });

  it('a relay that the device no longer has, after another profile was chosen, is refused', async () => {
    const { here, heater } = await makeWorld();
    const gone = { ...heater, details: { ...heater.details, part: 'switch:7' } };
    await assert.rejects(here.state(gone), { code: 'vendor.refused', message: /no longer reports/ });
    await assert.rejects(here.send(gone, { type: 'turn_on' }), { code: 'vendor.refused', message: /-105/ });
  });

  it('a relay whose device answers with an error later is unreachable, or refused for good', async () => {
    for (const [code, expected] of [
      [-114, 'vendor.unreachable'],
      [-104, 'vendor.unreachable'],
      [-103, 'vendor.refused'],
      [-109, 'vendor.refused'],
    ] as const) {
      const { here, heater } = await makeWorld();
      for (const status of [200, 500]) {
        const error = { code, message: 'no' };
        here.instead = () => ({ status, json: status === 200 ? { id: 1, error } : error });
        await assert.rejects(here.state(heater), { code: expected }, `${code} with ${status}`);
      }
    }
  });
});

describe('the stream', () => {
  it('the stream tells of a button at the device, with the fields that the report lacks', async () => {
    const { here, press, heater } = await makeWorld();
    const open = here.cloud.openStream([heater]);
    await open.settle();
    assert.equal(open.isOpen(), true);
    press(0);
    await open.settle();
    const [last] = open.observed.slice(-1);
    assert.ok(last !== undefined && 'raw' in last);
    const { power_on, energy_wh } = stateOf(kind, last.raw, capabilitiesOf(kind, heater));
    assert.deepEqual([power_on, energy_wh], [true, 7_259]);
    const count = open.observed.length;
    press(1);
    await open.settle();
    assert.equal(open.observed.length, count, 'of another relay');
    await open.close();
  });

  it('the stream signs its frames, and ends where they are refused again and again', async () => {
    const { here, box, heater } = await makeWorld();
    const { auth_failure: refusal } = recorded('frames') as JsonObject;
    assert.match(JSON.stringify(refusal), /auth_type/, 'as a device refuses');
    const result = { 'switch:0': { id: 0, output: false } };
    here.instead = ({ method }) => (method === 'POST' ? { status: 200, json: { id: 1, result } } : undefined);
    box.password = 'another one';
    const open = here.cloud.openStream([heater]);
    await open.settle();
    assert.equal(open.isOpen(), false);
    assert.equal(open.outcome()?.error?.code, 'vendor.refused');
    await open.close();
  });

  it('the stream keeps what a report does not name', () => {
    const before = { 'switch:0': { output: true, aenergy: { total: 5, minute_ts: 1 } }, sys: { uptime: 1 } };
    assert.deepEqual(merged(before, { 'switch:0': { apower: 3, aenergy: { total: 6 } }, ts: 9 }), {
      'switch:0': { output: true, apower: 3, aenergy: { total: 6, minute_ts: 1 } },
      sys: { uptime: 1 },
      ts: 9,
    });
  });
});

/*
 * What clients of others ask of a Shelly, at the simulator on a port: it must be one as they know it, not as we read it. Requests, and what is
 * read of the responses, are as in the examples of Shelly's documents (curl) and in aioshelly (Apache-2.0).
 */

let served: ServedVendor;
let box: ShellySimulator;

before(async () => {
  served = await serveVendor(shelly, turnedClock());
  box = served.vendor as ShellySimulator;
  box.device.password = null;
});
after(() => served.close());

describe('curl', () => {
  it('curl asks which device it is, and switches a relay, by addresses alone', async () => {
    const ask = async (path: string) => (await (await fetch(`${served.url}${path}`)).json()) as JsonObject;
    const { gen, auth_en, id } = await ask('/shelly');
    assert.deepEqual([gen, auth_en, id], [2, false, box.device.id]);
    assert.deepEqual(await ask('/rpc/Switch.Set?id=0&on=true'), { was_on: false });
    const { output, aenergy } = await ask('/rpc/Switch.GetStatus?id=0');
    assert.equal(output, true);
    assert.deepEqual(Object.keys(aenergy as JsonObject), ['total', 'by_minute', 'minute_ts']);
    assert.equal((await ask('/rpc/Switch.Set?id=9&on=true')).code, -105);
  });

  it('curl is asked for a digest where a password is set', async () => {
    box.device.password = 'simulated-password';
    const response = await fetch(`${served.url}/rpc`, { method: 'POST', body: '{}' });
    box.device.password = null;
    assert.equal(response.status, 401);
    const challenge = response.headers.get('www-authenticate') ?? '';
    assert.match(
      challenge,
      /^Digest qop="auth", realm="shellyplus2pm-[0-9a-f]{12}", nonce="[^"]+", algorithm=SHA-256$/,
    );
  });
});

describe('aioshelly', () => {
  it('aioshelly calls over a WebSocket, and is told what changes from then on', async () => {
    const socket = new WebSocket(`${served.url.replace('http', 'ws')}/rpc`);
    const frames: JsonObject[] = [];
    let arrived = () => {};
    socket.on('message', (data) => {
      frames.push(JSON.parse(String(data)) as JsonObject);
      arrived();
    });
    const next = async () => {
      if (frames.length === 0)
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      return frames.shift();
    };
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send(JSON.stringify({ id: 1, method: 'Shelly.GetDeviceInfo', src: 'aios-1' }));
    const answer = await next();
    assert.deepEqual([answer?.id, answer?.src, answer?.dst], [1, box.device.id, 'aios-1']);
    box.press(1);
    const told = await next();
    assert.equal(told?.method, 'NotifyStatus');
    const { ts, 'switch:1': changed } = (told?.params ?? {}) as JsonObject;
    assert.equal(typeof ts, 'number');
    assert.equal((changed as JsonObject).output, true);
    socket.close();
  });
});
