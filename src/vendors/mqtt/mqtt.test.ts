import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type LocalVendor, openLocalVendor } from '../../../test/kit/local-vendor.ts';
import { until } from '../../../test/kit/until.ts';
import { recordedIn, refOf } from '../../../test/kit/vendor-world.ts';
import { capabilitiesOf, checkCommand, send, stateOf } from '../../adapter/adapters.ts';
import type { MqttMessage } from '../../adapter/connections.ts';
import type { Found } from '../../adapter/device.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import type { StreamSession } from '../../adapter/stream.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { validator } from '../../core/validate.ts';
import { mqtt } from './index.ts';
import { hear, heardOf, observedAt, type Reading } from './reading.ts';
import { Credentials, type Mapping } from './schemas.ts';
import { MAPPED } from './simulator.ts';
import { knownOfTasmota, tasmotaDevices } from './tasmota.ts';
import { zigbeeDevices } from './zigbee.ts';

const PRESS = MAPPED[0] ?? assert.fail();

describe('devices at a broker', { timeout: 600_000 }, () => {
  let vendor: LocalVendor;
  const session = (credentials: JsonObject = {}): Session => {
    const one = vendor.simulator.session();
    return { ...one, credentials: { ...one.credentials, ...credentials } };
  };
  beforeEach(async () => {
    vendor = await openLocalVendor(mqtt);
  });
  afterEach(() => vendor.close());

  it('devices at a broker are those of the map, of Tasmota and of Zigbee2MQTT together', async () => {
    const { devices } = await mqtt.link(session());
    assert.deepEqual(devices.map(({ id, type }) => `${type} ${id}`).toSorted(), [
      'industrial press-1',
      'light 0x00178d0009876543',
      'light tasmota-strip-1:2',
      'smart_home_appliance oven',
      'smart_home_appliance tasmota-plug-1',
      'smart_home_appliance tasmota-strip-1',
      'solar_inverter roof',
      'thermostat 0x00158d0001234567',
      'thermostat 0x003c84fffe123456',
    ]);
  });

  for (const [sentence, change] of [
    [/devices\.0\.reads\.power_on is missing: .*on_off needs it/, { reads: { read_power: { topic: 'a' } } }],
    [/devices\.0\.controls\.set_limit is not possible for the type light/, { type: 'light' }],
    [/devices\.0\.reads is empty/, { reads: {} }],
    [
      /devices\.0\.measures is for an industrial with reads\.read_power/,
      { measures: 'grid', type: 'smart_home_appliance', controls: {}, reads: { read_power: { topic: 'a' } } },
    ],
    [
      /devices\.0\.measures is for an industrial with reads\.read_power/,
      { measures: 'house', controls: {}, reads: { read_energy: { topic: 'a' } } },
    ],
    [
      /devices\.0\.reads\.read_production is not possible for the type industrial, which has read_power, read_energy/,
      { reads: { ...PRESS.reads, read_production: { topic: 'a' } } },
    ],
    [
      /devices\.0\.reads\.read_power is not possible for the type thermostat, which has read_temperature, target; leave it out/,
      { type: 'thermostat', controls: {}, reads: { read_power: { topic: 'a' } } },
    ],
    [
      /power_on\.on and \.off must be different/,
      { reads: { ...PRESS.reads, power_on: { topic: 'a', on: 1, off: '1' } } },
    ],
    [
      /set_temperature\.min_c must be below max_c/,
      {
        type: 'thermostat',
        reads: { target: { topic: 'a' } },
        controls: { set_temperature: { topic: 'a', min_c: 30, max_c: 5 } },
      },
    ],
    [/set_limit\.min_w must be below max_w/, { controls: { set_limit: { topic: 'a', min_w: 5, max_w: 5 } } }],
  ] as const)
    it(`devices at a broker are refused with a sentence: ${sentence.source}`, async () => {
      const devices = [{ ...PRESS, ...change }] as unknown as JsonObject[];
      await assert.rejects(mqtt.link(session({ devices })), {
        code: 'link.credentials_invalid',
        message: sentence,
      });
    });

  it('devices at a broker are refused where two have an id, and where none is named', async () => {
    const twice = { devices: [PRESS, PRESS] as unknown as JsonObject[] };
    await assert.rejects(mqtt.link(session(twice)), { message: /two devices have the id press-1/ });
    const { host, port } = session().credentials;
    const none = { ...session(), credentials: { host, port } as JsonObject };
    await assert.rejects(mqtt.link(none), { code: 'link.credentials_invalid', message: /name no device/ });
  });

  it('devices at a broker may be mapped to no wildcard, and no pointer that is none', () => {
    const check = validator(Credentials, { name: 'credentials', code: 'link.credentials_invalid' });
    const withPower = (read_power: JsonObject) => () =>
      check({ host: 'broker', devices: [{ ...PRESS, reads: { ...PRESS.reads, read_power } }] });
    assert.doesNotThrow(withPower({ topic: 'a/b' }));
    assert.throws(withPower({ topic: 'a/#' }), {
      message:
        'credentials.devices.0.reads.read_power.topic does not have the right form: A topic, without the wildcards + and #',
    });
    assert.throws(
      withPower({ topic: 'a', pointer: 'b' }),
      /credentials\.devices\.0\.reads\.read_power\.pointer does not have the right form: Where the value is in the JSON .*\/ENERGY\/Power/,
    );
    assert.throws(
      () => check({ host: 'mqtt://broker', devices: [PRESS] }),
      /credentials\.host does not have the right form: A name or an IP address, without mqtt:/,
    );
  });

  it('devices at a broker whose broker refuses the password are not linked', async () => {
    await assert.rejects(mqtt.link(session({ password: 'wrong' })), { code: 'link.credentials_refused' });
  });

  it('devices at a broker have been read once they have answered, also within the millisecond of the question', async () => {
    const { devices } = await mqtt.link(session());
    const plug = refOf(devices.find(({ id }) => id === 'tasmota-plug-1') ?? assert.fail());
    const now = vendor.clock.now();
    // The clock stands: a read that waits for its time to be over never ends.
    const standing = { ...session(), clock: { now: () => now, after: () => () => {} } };
    for (let count = 0; count < 3; count += 1) {
      const reading = (await mqtt.kinds.smart_home_appliance.read(standing, plug)) as Reading;
      assert.equal(reading.values.get('read_power')?.value, 1_200);
    }
  });

  it('devices at a broker have obeyed only when they say so', async () => {
    const { devices } = await mqtt.link(session());
    const silent = refOf({
      ...PRESS,
      details: {
        reads: PRESS.reads,
        controls: { on_off: { topic: 'nobody', on: 1, off: 0 } },
      } as unknown as JsonObject,
    });
    assert.ok(devices.length > 0);
    let code: string | undefined;
    const sent = send(mqtt.kinds.industrial, session(), silent, { type: 'turn_off' }).catch(
      (error: unknown) => {
        code = (error as { code: string }).code;
      },
    );
    await until('it is given up', () => {
      vendor.clock.turn(10);
      return code !== undefined;
    });
    await sent;
    assert.equal(code, 'command.outcome_unknown');
  });

  it('devices at a broker tell on the stream, and what is not understood ends nothing', async () => {
    const { devices } = await mqtt.link(session());
    const observed: { readonly id: string; readonly reading: Reading }[] = [];
    const opened = Promise.withResolvers<void>();
    const one = session();
    const listening: StreamSession = {
      ...one,
      events: () => assert.fail('it has no events'),
      observed: (id, raw) => void observed.push({ id, reading: raw as Reading }),
      reported: () => assert.fail('it reports whole readings'),
      listChanged: () => {},
      tell: () => {},
    };
    const running = mqtt.stream.run(listening, devices.map(refOf), opened.resolve).catch(() => {});
    await opened.promise;
    const { host, port, username, password } = one.credentials as Record<string, string>;
    const broker = one.connections.mqtt({
      host: String(host),
      port: Number(port),
      username: String(username),
      password: String(password),
    });
    const topic = 'tele/plug-1/SENSOR';
    const last = () =>
      observed.findLast(({ id }) => id === 'tasmota-plug-1')?.reading.values.get('read_power')?.value;
    await until('it is whole', () => last() === 1_200);
    await broker.publish({ topic, payload: '{"ENERGY":' });
    await broker.publish({ topic, payload: Uint8Array.of(0xff) });
    await broker.publish({ topic, payload: '{"ENERGY":{"Power":77}}' });
    await until('it is told', () => last() === 77);
    await vendor.close();
    await running;
  });
});

const recorded = recordedIn(import.meta.dirname);
const NOW = Date.UTC(2026, 10, 22, 12);
let links = 0;

/** A device of a link of its own: messages of other links do not belong to it. */
function deviceOf(found: Found): DeviceRef & Found {
  links += 1;
  return { ...refOf(found), link: `link-${links}` };
}

function message(topic: string, content: Json | Uint8Array, isRetained = false): MqttMessage {
  const payload = Buffer.from(
    content instanceof Uint8Array ? content : typeof content === 'string' ? content : JSON.stringify(content),
  );
  return { topic, payload, isRetained, text: () => payload.toString() };
}

function shown(device: DeviceRef & Found) {
  const kind = mqtt.kinds.smart_home_appliance;
  return stateOf(kind, heardOf(device), capabilitiesOf(kind, device));
}

const meter = (read_power: Mapping['reads']['read_power']) =>
  deviceOf({ id: 'meter', type: 'smart_home_appliance', details: { reads: { read_power } } as JsonObject });

/** One relay, of which nothing but its topic is known. */
function plugOf(topic: string, fullTopic?: string): Found {
  const [plug, ...more] = tasmotaDevices(topic, fullTopic, {});
  assert.deepEqual(more, []);
  return plug ?? assert.fail();
}

/** The state of a relay, by the kind of its type. */
function shownAs(type: 'light' | 'thermostat' | 'smart_home_appliance', device: DeviceRef & Found) {
  assert.equal(device.type, type);
  return stateOf(mqtt.kinds[type], heardOf(device), capabilitiesOf(mqtt.kinds[type], device));
}

describe('a device with Tasmota', () => {
  it('a plug with Tasmota is what its recorded messages say', () => {
    const plug = deviceOf(plugOf('test-device'));
    for (const [topic, content] of Object.entries(recorded('tasmota') as JsonObject))
      hear(plug, message(topic, content), NOW);
    assert.deepEqual(shown(plug), { online: true, power_on: true, power_w: 15, energy_wh: 12 });
    hear(plug, message('tele/test-device/LWT', 'Offline', true), NOW);
    assert.equal(shown(plug).online, false);
  });

  it('a plug with Tasmota has its topics where its full topic puts them', () => {
    const { ask, reads } = plugOf('fridge', 'home/%topic%/%prefix%').details as Mapping;
    assert.equal(reads.power_on?.topic, 'home/fridge/stat/POWER');
    assert.equal(ask?.[0]?.topic, 'home/fridge/cmnd/POWER');
  });

  it('a device with Tasmota is as many devices as it has relays, and the last one dims', () => {
    const found = tasmotaDevices('tuya', undefined, {
      state: {
        Time: '2019-10-25T19:54:18',
        POWER1: 'ON',
        POWER10: 'OFF',
        POWER2: 'OFF',
        Dimmer: 70,
        Wifi: {},
      },
      sensors: { ENERGY: { Power: [12, 0, 3], Total: 4.5 } },
    });
    assert.deepEqual(
      found.map(({ id, type, name }) => `${id} ${type} ${name}`),
      [
        'tasmota-tuya smart_home_appliance tuya 1',
        'tasmota-tuya:2 smart_home_appliance tuya 2',
        'tasmota-tuya:10 light tuya 10',
      ],
    );
    const [first, second, last] = found.map(deviceOf);
    assert.ok(first !== undefined && second !== undefined && last !== undefined);
    const messages = [
      message('stat/tuya/RESULT', { POWER10: 'ON', Dimmer: 40 }),
      message('stat/tuya/POWER10', 'ON'),
      message('stat/tuya/POWER1', 'ON'),
      message('stat/tuya/POWER2', 'OFF'),
      message('tele/tuya/SENSOR', { ENERGY: { Power: [12, 0, 3], Total: 4.5 } }),
    ];
    for (const device of [first, second, last]) for (const one of messages) hear(device, one, NOW);
    // One counter for three relays belongs to none of them.
    assert.deepEqual(shownAs('smart_home_appliance', first), { online: true, power_on: true, power_w: 12 });
    assert.deepEqual(shownAs('smart_home_appliance', second), { online: true, power_on: false, power_w: 0 });
    assert.deepEqual(shownAs('light', last), {
      online: true,
      power_on: true,
      power_w: 3,
      operation_state: '40 %',
    });
  });

  it('a device with Tasmota whose relays move a shutter is none that is switched', () => {
    const state = { POWER1: 'ON', POWER2: 'OFF' };
    const sensors = { Shutter1: { Position: 16, Direction: 0, Target: 16 } };
    assert.deepEqual(tasmotaDevices('blind', undefined, { state, sensors }), []);
  });

  it('a device with Tasmota that does not answer stays what it was', () => {
    const found = tasmotaDevices('strip', undefined, { state: { POWER1: 'ON', POWER2: 'OFF' }, sensors: {} });
    const other = plugOf('strip-2');
    assert.deepEqual(knownOfTasmota('strip', [...found, other].map(refOf)), found);
    assert.deepEqual(knownOfTasmota('strip-2', [...found, other].map(refOf)), [other]);
  });

  it('a plug with Tasmota with a meter of three phases draws the sum of them', () => {
    const plug = deviceOf(plugOf('oven'));
    hear(plug, message('tele/oven/SENSOR', { ENERGY: { Power: [1_000, 200, 30] } }), NOW);
    assert.equal(shown(plug).power_w, 1_230);
  });
});

describe('devices of Zigbee2MQTT', () => {
  it('devices of Zigbee2MQTT are found in its recorded list, with what their exposes permit', () => {
    const [lamp, thermometer, ...more] = zigbeeDevices('zigbee2mqtt', recorded('bridge-devices'));
    assert.deepEqual(more, []);
    assert.deepEqual([lamp?.type, lamp?.id, lamp?.name], ['light', '0x00178d0009876543', 'test_light']);
    assert.deepEqual(capabilitiesOf(mqtt.kinds.light, lamp ?? assert.fail()), ['on_off', 'set_light']);
    assert.ok(thermometer !== undefined);
    assert.equal(thermometer.type, 'thermostat');
    assert.equal(thermometer.details?.ask, undefined, 'what sleeps is not asked');
  });

  it('devices of Zigbee2MQTT take the words of their own exposes, and names with slashes', () => {
    const [device] = recorded('bridge-devices') as JsonObject[];
    const exposes = recorded('exposes-plug') as { features?: { value_on?: string; value_off?: string }[] }[];
    Object.assign(exposes[0]?.features?.[0] ?? assert.fail(), { value_on: 'open', value_off: 'closed' });
    const list = [{ ...device, friendly_name: 'kök/plugg', definition: { exposes } }] as Json;
    const [plug] = zigbeeDevices('base', list).map(deviceOf);
    assert.ok(plug !== undefined);
    assert.deepEqual((plug.details as Mapping).controls?.on_off, {
      topic: 'base/kök/plugg/set',
      property: 'state',
      on: 'open',
      off: 'closed',
    });
    hear(plug, message('base/kök/plugg', { state: 'closed', power: 7.4, energy: 1.5 }), NOW);
    assert.deepEqual(shown(plug), { online: true, power_on: false, power_w: 7, energy_wh: 1_500 });
    hear(plug, message('base/bridge/state', { state: 'offline' }), NOW);
    assert.equal(shown(plug).online, false);
  });

  it('devices of Zigbee2MQTT are asked for what is shown of them, and for nothing else', () => {
    const [device] = recorded('bridge-devices') as JsonObject[];
    const asked = (exposes: Json) => {
      const [one = assert.fail()] = zigbeeDevices('z', [{ ...device, definition: { exposes } }] as Json);
      return (one.details as Mapping).ask?.map(({ payload }) => payload);
    };
    assert.deepEqual(asked(recorded('exposes-plug')), ['{"state":""}']);
  });

  it('devices of Zigbee2MQTT with a valve of a radiator are thermostats with a target', () => {
    const [device] = recorded('bridge-devices') as JsonObject[];
    const figureOf = (name: string, more: object) => ({ type: 'numeric', name, property: name, ...more });
    const exposes = [
      figureOf('battery', { access: 5, unit: '%' }),
      {
        type: 'climate',
        features: [
          figureOf('occupied_heating_setpoint', { access: 7, value_min: 5, value_max: 35, value_step: 0.5 }),
          figureOf('local_temperature', { access: 5 }),
          { type: 'enum', name: 'system_mode', property: 'system_mode', access: 7, values: ['heat'] },
        ],
      },
    ];
    const [valve] = zigbeeDevices('z', [
      { ...device, friendly_name: 'hall', definition: { exposes } },
    ] as Json).map(deviceOf);
    assert.ok(valve !== undefined);
    assert.deepEqual(capabilitiesOf(mqtt.kinds.thermostat, valve), ['read_temperature', 'set_temperature']);
    const { ask, controls } = valve.details as Mapping;
    assert.deepEqual(controls, {
      set_temperature: { topic: 'z/hall/set', property: 'occupied_heating_setpoint', min_c: 5, max_c: 35 },
    });
    assert.deepEqual(ask, [
      { topic: 'z/hall/get', payload: '{"local_temperature":"","occupied_heating_setpoint":""}' },
    ]);
    hear(valve, message('z/hall', { local_temperature: 20.47, occupied_heating_setpoint: 21.5 }), NOW);
    assert.deepEqual(shownAs('thermostat', valve), { online: true, temperature_milli_c: 20_470 });
    assert.throws(
      () => checkCommand(mqtt.kinds.thermostat, valve, { type: 'set_temperature', target_milli_c: 36_000 }),
      { code: 'command.out_of_range', message: /5000 to 35000/ },
    );
  });

  it('devices of Zigbee2MQTT with several switches are one for each, with its own power', () => {
    const [device] = recorded('bridge-devices') as JsonObject[];
    const switchOf = (endpoint: string) => ({
      type: 'switch',
      endpoint,
      features: [{ name: 'state', property: `state_${endpoint}`, access: 7, endpoint }],
    });
    const powerOf = (endpoint: string) => ({
      name: 'power',
      property: `power_${endpoint}`,
      access: 5,
      endpoint,
    });
    const exposes = [switchOf('l1'), switchOf('l2'), powerOf('l1'), powerOf('l2')];
    const found = zigbeeDevices('z', [{ ...device, friendly_name: 'box', definition: { exposes } }] as Json);
    assert.deepEqual(
      found.map(({ id, name }) => `${id} ${name}`),
      ['0x00178d0009876543 box l1', '0x00178d0009876543:l2 box l2'],
    );
    const [, second] = found.map(deviceOf);
    assert.ok(second !== undefined);
    hear(second, message('z/box', { state_l1: 'ON', state_l2: 'OFF', power_l1: 5, power_l2: 0 }), NOW);
    assert.deepEqual(shown(second), { online: true, power_on: false, power_w: 0 });
    assert.equal((second.details as Mapping).controls?.on_off?.property, 'state_l2');
  });

  it('devices of Zigbee2MQTT that are odd cost the others nothing', () => {
    const [device] = recorded('bridge-devices') as JsonObject[];
    const odd = [
      null,
      5,
      {},
      { ...device, friendly_name: 'a/#' },
      { ...device, disabled: true },
      { ...device, definition: null },
    ];
    assert.equal(zigbeeDevices('z', [...odd, device] as Json).length, 1);
  });
});

describe('messages', () => {
  it('messages that were retained are of unknown age, and never newer than what was published', () => {
    const device = meter({ topic: 'm' });
    assert.equal(observedAt(hear(device, message('m', '5', true), NOW)), 0);
    hear(device, message('m', '7'), NOW);
    hear(device, message('m', '5', true), NOW + 1);
    assert.deepEqual([shown(device).power_w, observedAt(heardOf(device))], [7, NOW]);
  });

  for (const [title, content] of [
    ['text', 'high'],
    ['NaN', 'NaN'],
    ['beyond what a number holds', '1e999'],
    ['hexadecimal', '0x10'],
    ['invalid UTF-8', Uint8Array.of(0xff, 0xfe)],
    ['nothing', ''],
  ] as const)
    it(`messages with ${title} for a number give none, and are reported`, () => {
      const device = meter({ topic: 'm' });
      const { unrecognized } = hear(device, message('m', content), NOW);
      assert.equal(shown(device).power_w, null);
      assert.equal(unrecognized.length, 1);
    });

  it('messages that are no JSON, or have no such field, change nothing', () => {
    const device = meter({ topic: 'm', pointer: '/a/constructor' });
    for (const content of ['{', '[]', { a: {} }, { a: null }, 'null'])
      assert.equal(hear(device, message('m', content), NOW), heardOf(device));
    assert.equal(heardOf(device).values.size, 0);
  });

  it('messages are read by their pointer, unit and scale', () => {
    const device = meter({ topic: 'm', pointer: '/a~1b/0/~0', unit: 'kW', scale: -0.5 });
    hear(device, message('m', { 'a/b': [{ '~': '3' }] }), NOW);
    assert.equal(shown(device).power_w, -1_500);
  });
});
