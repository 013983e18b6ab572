import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type LocalVendor, openLocalVendor } from '../../../test/kit/local-vendor.ts';
import { until } from '../../../test/kit/until.ts';
import { refOf } from '../../../test/kit/vendor-world.ts';
import { send } from '../../adapter/send.ts';
import type { Session } from '../../adapter/session.ts';
import type { StreamSession } from '../../adapter/stream.ts';
import type { JsonObject } from '../../core/json.ts';
import { validator } from '../../core/validate.ts';
import { mqtt } from './index.ts';
import type { Reading } from './reading.ts';
import { Credentials } from './schemas.ts';
import { MAPPED } from './simulated-devices.ts';

const PRESS = MAPPED[0] ?? assert.fail();

describe('devices at a broker', { timeout: 60_000 }, () => {
  let vendor: LocalVendor;
  const session = (credentials: JsonObject = {}): Session => {
    const one = vendor.simulator.session();
    return { ...one, credentials: { ...one.credentials, ...credentials } };
  };
  beforeEach(async () => {
    vendor = await openLocalVendor(mqtt);
  });
  afterEach(() => vendor.close());

  it('are those of the map, of Tasmota and of Zigbee2MQTT together', async () => {
    const { devices } = await mqtt.link(session());
    assert.deepEqual(devices.map(({ id, type }) => `${type} ${id}`).toSorted(), [
      'industrial press-1',
      'light 0x00178d0009876543',
      'smart_home_appliance oven',
      'smart_home_appliance tasmota-plug-1',
      'solar_inverter roof',
      'thermostat 0x00158d0001234567',
    ]);
  });

  for (const [sentence, change] of [
    [/devices\.0\.reads\.power_on is missing: .*on_off needs it/, { reads: { read_power: { topic: 'a' } } }],
    [/devices\.0\.controls\.set_limit is not possible for the type light/, { type: 'light' }],
    [/devices\.0\.reads is empty/, { reads: {} }],
    [
      /devices\.0\.reads\.read_production is not possible for the type industrial, which has read_power, read_energy/,
      { reads: { ...PRESS.reads, read_production: { topic: 'a' } } },
    ],
    [
      /devices\.0\.reads\.read_power is not possible for the type thermostat, which has read_temperature; leave it out/,
      { type: 'thermostat', controls: {}, reads: { read_power: { topic: 'a' } } },
    ],
    [
      /power_on\.on and \.off must be different/,
      { reads: { ...PRESS.reads, power_on: { topic: 'a', on: 1, off: '1' } } },
    ],
    [/set_limit\.min_w must be below max_w/, { controls: { set_limit: { topic: 'a', min_w: 5, max_w: 5 } } }],
  ] as const)
    it(`are refused with a sentence: ${sentence.source}`, async () => {
      const devices = [{ ...PRESS, ...change }] as unknown as JsonObject[];
      await assert.rejects(mqtt.link(session({ devices })), {
        code: 'link.credentials_invalid',
        message: sentence,
      });
    });

  it('are refused where two have an id, and where none is named', async () => {
    const twice = { devices: [PRESS, PRESS] as unknown as JsonObject[] };
    await assert.rejects(mqtt.link(session(twice)), { message: /two devices have the id press-1/ });
    const { host, port } = session().credentials;
    const none = { ...session(), credentials: { host, port } as JsonObject };
    await assert.rejects(mqtt.link(none), { code: 'link.credentials_invalid', message: /name no device/ });
  });

  it('may be mapped to no wildcard, and no pointer that is none', () => {
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

  it('whose broker refuses the password are not linked', async () => {
    await assert.rejects(mqtt.link(session({ password: 'wrong' })), { code: 'link.credentials_refused' });
  });

  it('have been read once they have answered, also within the millisecond of the question', async () => {
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

  it('have obeyed only when they say so', async () => {
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

  it('tell on the stream, and what is not understood ends nothing', async () => {
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
