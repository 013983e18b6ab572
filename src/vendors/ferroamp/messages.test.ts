import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { recordedIn } from '../../../test/kit/vendor-world.ts';
import type { MqttMessage } from '../../adapter/connections.ts';
import { type Heard, hear, nothingHeard, ratedWOf, serialOf, socOf } from './messages.ts';

const recorded = recordedIn(import.meta.dirname);

function message(topic: string, text: string, isRetained = false): MqttMessage {
  return { topic: `extapi/data/${topic}`, payload: Buffer.from(text), isRetained, text: () => text };
}

function heardOf(...messages: readonly (readonly [topic: string, content: unknown])[]): Heard {
  const heard = nothingHeard();
  for (const [topic, content] of messages)
    assert.ok(hear(heard, message(topic, JSON.stringify(content))), `${topic} is understood`);
  return heard;
}

describe('recorded messages of an EnergyHub', () => {
  it('say what the sun gives, and that the battery charges', () => {
    const { hub } = heardOf(['ehub', recorded('ehub')]);
    assert.deepEqual(hub, {
      hasPanels: true,
      hasBattery: true,
      productionW: 10_107.51,
      solarWh: 4_422_089_590_383 / 3_600_000,
      batteryW: 3_218.99,
      soc: 79.9,
    });
    assert.equal(Math.round(hub?.solarWh ?? 0), 1_228_358);
  });

  it('name their units, whose numbers and text mean the same', () => {
    const heard = heardOf(['eso', recorded('eso')], ['esm', recorded('esm')], ['sso', recorded('sso')]);
    assert.deepEqual([...heard.strings.keys()], ['12345678']);
    assert.deepEqual([...heard.batteries.keys()], ['ES01Z000012345678']);
    assert.deepEqual([...heard.converters], [['1', 48.100004]]);
    assert.equal(serialOf(heard), '12345678');
    assert.equal(ratedWOf(heard), 7_000);
    assert.equal(socOf(heard), 45.5);
  });
});

describe('messages of an EnergyHub', () => {
  it('give no number where its units count from 1', () => {
    assert.equal(serialOf(heardOf(['eso', { id: { val: '1' }, soc: { val: '40' } }])), undefined);
  });

  it('weigh batteries by what they hold', () => {
    const battery = (id: string, soc: number, ratedCapacity: number) =>
      ['esm', { id: { val: id }, soc: { val: soc }, ratedCapacity: { val: ratedCapacity } }] as const;
    assert.equal(socOf(heardOf(battery('a', 20, 10_000), battery('b', 80, 30_000))), 65);
  });

  for (const [title, text, isRetained] of [
    ['that were retained', '{"ppv": {"val": "1"}}', true],
    ['that are no JSON', '{"ppv": ', false],
    ['that are no object', '[1]', false],
    ['that would change prototypes', '{"__proto__": {"ppv": {"val": "1"}}}', false],
  ] as const)
    it(`say nothing ${title}`, () => {
      const heard = nothingHeard();
      assert.equal(hear(heard, message('ehub', text, isRetained)), false);
      assert.equal(heard.hub, undefined);
    });

  it('have no value for what is no number of this world', () => {
    for (const val of ['NaN', 'Infinity', '1e300', '', ' ', 'n/a', null, true, [5], 1e300])
      assert.equal(heardOf(['ehub', { ppv: { val } }]).hub?.productionW, null, JSON.stringify(val));
  });

  it('of ever new units take no more memory', () => {
    const units = Array.from({ length: 1_000 }, (_, id) => ['sso', { id: { val: `S${id}` } }] as const);
    assert.equal(heardOf(...units).strings.size, 32);
  });

  it('are recorded with their origin', () => {
    const origins = readFileSync(`${import.meta.dirname}/recorded/README.md`, 'utf8');
    for (const name of ['ehub', 'eso', 'esm', 'sso']) assert.ok(origins.includes(`\`${name}.json\``), name);
  });
});
