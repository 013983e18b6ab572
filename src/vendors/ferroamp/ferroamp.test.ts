import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type LocalVendor, openLocalVendor } from '../../../test/kit/local-vendor.ts';
import { until } from '../../../test/kit/until.ts';
import { recordedIn, refOf } from '../../../test/kit/vendor-world.ts';
import { send } from '../../adapter/adapters.ts';
import type { MqttMessage } from '../../adapter/connections.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import type { StreamSession } from '../../adapter/stream.ts';
import { turnedClock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { type Reading, readingOf } from './client.ts';
import { ferroamp } from './index.ts';
import { type Heard, hear, nothingHeard, ratedWOf, serialOf, socOf } from './translate.ts';

const REQUEST = 'extapi/control/request';
/** As a hub said it that an aggregator had for frequency control (henricm/ha-ferroamp#555). */
const TAINT = 'failed to execute command: "ext-api-set (): Ongoing" taint present; fcr-event: Ongoing';

describe('a Ferroamp EnergyHub', { timeout: 600_000 }, () => {
  let vendor: LocalVendor;
  let battery: DeviceRef;
  /** Lets time pass, slowly as sockets go, until the work has given up waiting. */
  const waitedFor = async (work: Promise<void>) => {
    let isOver = false;
    const over = work
      .catch(() => {})
      .then(() => {
        isOver = true;
      });
    await until('it is over', () => {
      vendor.clock.turn(10);
      return isOver;
    });
    await over;
    return work;
  };
  const session = (credentials: JsonObject = {}): Session => {
    const one = vendor.simulator.session();
    return { ...one, credentials: { ...one.credentials, ...credentials } };
  };
  const broker = () => {
    const { host, port, username, password } = session().credentials as Record<string, string>;
    return session().connections.mqtt({
      host: String(host),
      port: Number(port),
      username: String(username),
      password: String(password),
    });
  };
  const setPower = (power_w: number) =>
    send(ferroamp.kinds.battery, session(), battery, { type: 'set_battery_power', power_w });

  beforeEach(async () => {
    vendor = await openLocalVendor(ferroamp);
    const { devices } = await ferroamp.link(session());
    const found = devices.find(({ type }) => type === 'battery');
    assert.ok(found !== undefined);
    battery = refOf(found);
  });
  afterEach(async () => {
    await vendor.close();
  });

  it('a Ferroamp EnergyHub keeps its devices when its address changes', async () => {
    const first = await ferroamp.link(session());
    const second = await ferroamp.link(session({ host: 'localhost' }));
    assert.equal(first.vendorAccount, '20120476');
    assert.deepEqual(second, first);
    assert.deepEqual(await ferroamp.list(session(), first.devices.map(refOf)), first.devices);
  });

  it('a Ferroamp EnergyHub tells a wrong password on linking from one that has changed', async () => {
    await assert.rejects(ferroamp.link(session({ username: 'nobody' })), {
      code: 'link.credentials_refused',
    });
    // What could not be opened is left alone for a second.
    vendor.clock.turn(2_000);
    await assert.rejects(ferroamp.kinds.battery.read(session({ username: 'nobody' }), battery), {
      code: 'vendor.login_expired',
    });
  });

  it('a Ferroamp EnergyHub gets its orders in watt and a direction, and is given back by auto', async () => {
    await setPower(1_500);
    await setPower(-2_000);
    await setPower(0);
    await ferroamp.kinds.battery.setPoints?.set_battery_power?.release(session(), battery);
    assert.deepEqual(vendor.served.device.commands(), ['charge 1500', 'discharge 2000', 'charge 0', 'auto']);
  });

  it('a Ferroamp EnergyHub says why it refuses an order', async () => {
    await assert.rejects(setPower(60_000), {
      code: 'vendor.refused',
      message: /Max allowed power is 14000 W/,
    });
  });

  it('a Ferroamp EnergyHub takes no reply to another for its own, and waits for what comes of an order', async () => {
    await vendor.served.close();
    const replies: ((transId: string) => readonly [topic: string, reply: object][])[] = [];
    const { createBroker } = await import('../../proof/simulation/index.ts');
    const own = await createBroker({
      onPublish(topic, payload) {
        if (topic !== REQUEST) return;
        const { transId } = JSON.parse(payload) as { transId: string };
        for (const [to, reply] of replies.shift()?.(transId) ?? [])
          own.publish(`extapi/control/${to}`, JSON.stringify(reply));
      },
    });
    const { serveLocal } = await import('../../proof/simulation/serve-local.ts');
    const served = await serveLocal({
      module: {
        createLocalSimulator: () => ({ ...vendor.served.device, accept: own.accept, close: own.close }),
      },
      clock: vendor.clock,
      random: (bytes) => Buffer.alloc(bytes),
    });
    const order = (power_w: number) =>
      send(ferroamp.kinds.battery, session({ ...served.address }), battery, {
        type: 'set_battery_power',
        power_w,
      });
    try {
      replies.push(
        (transId) => [
          ['response', { transId: 'of another', status: 'nak', msg: 'no' }],
          ['response', { transId, status: 'ack', msg: 'sending cmd to ESOs' }],
        ],
        (transId) => [
          ['response', { transId, status: 'ack', msg: 'sending cmd to ESOs' }],
          ['result', { transId, status: 'nak', msg: 'ESO 1 is in fault' }],
        ],
        (transId) => [['response', { transId, status: 'nak', msg: TAINT }]],
        (transId) => [['result', { transId, status: 'perhaps' }]],
        () => [],
      );
      await waitedFor(order(1_000));
      await assert.rejects(order(1_000), { code: 'vendor.refused', message: /ESO 1 is in fault/ });
      await assert.rejects(order(1_000), { code: 'vendor.refused', message: /fcr-event: Ongoing/ });
      await assert.rejects(order(1_000), { code: 'command.outcome_unknown' });
      await assert.rejects(waitedFor(order(1_000)), { code: 'command.outcome_unknown' });
    } finally {
      await served.close();
    }
  });

  it('a Ferroamp EnergyHub obeys the requests of another client', async () => {
    // As henricm/ha-ferroamp sends them: a number, and an id of its own.
    const reply = await broker().request({
      topic: REQUEST,
      payload:
        '{"transId": "0c58b9a8-11f1-11f0-8d2c-0242ac120002", "cmd": {"name": "discharge", "arg": 1000}}',
      replyTopic: 'extapi/control/response',
      isReply: (message) => message.text().includes('0c58b9a8'),
    });
    assert.match(reply.text(), /"ack"/);
    const { hub } = (await ferroamp.kinds.battery.read(session(), battery)) as Reading;
    assert.equal(hub.batteryW, -1_000);
  });

  describe('on its stream', () => {
    const observed: { readonly id: string; readonly reading: Reading }[] = [];
    let ended: Promise<unknown>;
    beforeEach(async () => {
      observed.length = 0;
      const { promise, resolve } = Promise.withResolvers<void>();
      const listening: StreamSession = {
        ...session(),
        events: () => assert.fail('it has no events'),
        observed: (id, raw) => void observed.push({ id, reading: raw as Reading }),
        reported: () => assert.fail('it reports whole readings'),
        listChanged: () => {},
        tell: () => {},
      };
      ended = ferroamp.stream.run(listening, [battery], resolve).catch((error: unknown) => error);
      await promise;
    });

    it('a Ferroamp EnergyHub on its stream reports with what its batteries may do, once in five seconds', async () => {
      const began = vendor.clock.now();
      await until('the batteries have reported, and some more came', () => {
        vendor.clock.turn(20);
        return observed.length >= 10 && observed.some(({ reading }) => reading.ratedW === 14_000);
      });
      const seconds = (vendor.clock.now() - began) / 1_000;
      assert.ok(observed.length <= seconds / 5 + 1, `${observed.length} in ${seconds} s`);
      assert.ok(
        observed.every(({ reading }) => reading.soc !== null),
        'the converters were waited for',
      );
      assert.deepEqual(ferroamp.kinds.battery.limits?.(observed.at(-1)?.reading), {
        min_a: null,
        max_a: null,
        min_w: -14_000,
        max_w: 14_000,
      });
    });

    it('a Ferroamp EnergyHub on its stream ends when the hub has stopped and only its broker lives', async () => {
      await vendor.served.fault('hang');
      vendor.clock.turn(31_000);
      const error = await ended;
      assert.ok(error instanceof AppError);
      assert.deepEqual(
        [error.code, error.message],
        ['vendor.timeout', 'the EnergyHub has published nothing for 30 s'],
      );
    });
  });
});

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
  it('recorded messages of an EnergyHub say what the sun gives, and that the battery charges', () => {
    const { hub } = heardOf(['ehub', recorded('ehub')]);
    assert.deepEqual(hub, {
      hasPanels: true,
      hasBattery: true,
      productionW: 10_107.51,
      solarWh: 4_422_089_590_383 / 3_600_000,
      batteryW: 3_218.99,
      soc: 79.9,
      grid: { powerW: -5_311.35, energyWh: 22_761_371_021_594 / 3_600_000 },
      house: { powerW: 1_411.28, energyWh: 24_263_570_225_403 / 3_600_000 },
      time: '2021-03-08T08:43:12UTC',
    });
    assert.equal(Math.round(hub?.solarWh ?? 0), 1_228_358);
  });

  it('recorded messages of an EnergyHub are as old as its time, which does not go on', () => {
    const clock = turnedClock();
    const observed = () =>
      ferroamp.kinds.battery.observedAt?.(
        readingOf({ account: 1, link: 'recorded', clock }, heardOf(['ehub', recorded('ehub')])),
      );
    assert.equal(observed(), Date.UTC(2021, 2, 8, 8, 43, 12));
    clock.turn(600_000);
    assert.equal(observed(), Date.UTC(2021, 2, 8, 8, 43, 12));
  });

  it('recorded messages of an EnergyHub name their units, whose numbers and text mean the same', () => {
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
  it('messages of an EnergyHub give no number where its units count from 1', () => {
    assert.equal(serialOf(heardOf(['eso', { id: { val: '1' }, soc: { val: '40' } }])), undefined);
  });

  it('messages of an EnergyHub weigh batteries by what they hold', () => {
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
    it(`messages of an EnergyHub say nothing ${title}`, () => {
      const heard = nothingHeard();
      assert.equal(hear(heard, message('ehub', text, isRetained)), false);
      assert.equal(heard.hub, undefined);
    });

  it('messages of an EnergyHub have no value for what is no number of this world', () => {
    for (const val of ['NaN', 'Infinity', '1e300', '', ' ', 'n/a', null, true, [5], 1e300])
      assert.equal(heardOf(['ehub', { ppv: { val } }]).hub?.productionW, null, JSON.stringify(val));
  });

  it('messages of an EnergyHub of ever new units take no more memory', () => {
    const units = Array.from({ length: 1_000 }, (_, id) => ['sso', { id: { val: `S${id}` } }] as const);
    assert.equal(heardOf(...units).strings.size, 32);
  });

  it('messages of an EnergyHub are recorded with their origin', () => {
    const origins = readFileSync(`${import.meta.dirname}/README.md`, 'utf8');
    for (const name of ['ehub', 'eso', 'esm', 'sso']) assert.ok(origins.includes(`\`${name}\``), name);
  });
});
