import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recordedIn, refOf } from '../../../test/kit/vendor-world.ts';
import type { Found } from '../../adapter/adapter.ts';
import type { MqttMessage } from '../../adapter/connections.ts';
import { capabilitiesOf, stateOf } from '../../adapter/derive.ts';
import type { DeviceRef } from '../../adapter/session.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { mqtt } from './index.ts';
import { hear, heardOf, observedAt } from './reading.ts';
import type { Mapping } from './schemas.ts';
import { tasmotaPlug } from './tasmota.ts';
import { zigbeeDevices } from './zigbee2mqtt.ts';

const recorded = recordedIn(import.meta.dirname);
const NOW = Date.UTC(2026, 10, 22, 12);
let links = 0;

/** A device of a link of its own: what was heard of others is not its. */
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

describe('a plug with Tasmota', () => {
  it('is what its recorded messages say', () => {
    const plug = deviceOf(tasmotaPlug('test-device'));
    for (const [topic, content] of Object.entries(recorded('tasmota') as JsonObject))
      hear(plug, message(topic, content), NOW);
    assert.deepEqual(shown(plug), { online: true, power_on: true, power_w: 15, energy_wh: 12 });
    hear(plug, message('tele/test-device/LWT', 'Offline', true), NOW);
    assert.equal(shown(plug).online, false);
  });

  it('has its topics where its full topic puts them', () => {
    const { ask, reads } = tasmotaPlug('fridge', 'home/%topic%/%prefix%').details as Mapping;
    assert.equal(reads.power_on?.topic, 'home/fridge/stat/POWER');
    assert.equal(ask?.[0]?.topic, 'home/fridge/cmnd/POWER');
  });

  it('with a meter of three phases draws the sum of them', () => {
    const plug = deviceOf(tasmotaPlug('oven'));
    hear(plug, message('tele/oven/SENSOR', { ENERGY: { Power: [1_000, 200, 30] } }), NOW);
    assert.equal(shown(plug).power_w, 1_230);
  });
});

describe('devices of Zigbee2MQTT', () => {
  it('are found in its recorded list, with what their exposes permit', () => {
    const [lamp, thermometer, ...more] = zigbeeDevices('zigbee2mqtt', recorded('bridge-devices'));
    assert.deepEqual(more, []);
    assert.deepEqual([lamp?.type, lamp?.id, lamp?.name], ['light', '0x00178d0009876543', 'test_light']);
    assert.deepEqual(capabilitiesOf(mqtt.kinds.light, lamp ?? assert.fail()), ['on_off', 'set_light']);
    assert.ok(thermometer !== undefined);
    assert.equal(thermometer.type, 'thermostat');
    assert.equal(thermometer.details?.ask, undefined, 'what sleeps is not asked');
  });

  it('take the words of their own exposes, and names with slashes', () => {
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

  it('that are odd cost the others nothing', () => {
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
  it('that were retained are of unknown age, and never newer than what was published', () => {
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
    it(`with ${title} for a number give none, and are reported`, () => {
      const device = meter({ topic: 'm' });
      const { unrecognized } = hear(device, message('m', content), NOW);
      assert.equal(shown(device).power_w, null);
      assert.equal(unrecognized.length, 1);
    });

  it('that are no JSON, or have no such field, change nothing', () => {
    const device = meter({ topic: 'm', pointer: '/a/constructor' });
    for (const content of ['{', '[]', { a: {} }, { a: null }, 'null'])
      assert.equal(hear(device, message('m', content), NOW), heardOf(device));
    assert.equal(heardOf(device).values.size, 0);
  });

  it('are read by their pointer, unit and scale', () => {
    const device = meter({ topic: 'm', pointer: '/a~1b/0/~0', unit: 'kW', scale: -0.5 });
    hear(device, message('m', { 'a/b': [{ '~': '3' }] }), NOW);
    assert.equal(shown(device).power_w, -1_500);
  });
});
