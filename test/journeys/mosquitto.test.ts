import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { MqttClient } from 'mqtt';
import { objectIn } from '../../src/adapter/kit/index.ts';
import { systemRandom } from '../../src/core/ids.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { createKeptConnections } from '../../src/outbound/kept-connections.ts';
import { ferroamp } from '../../src/vendors/ferroamp/index.ts';
import { mqtt } from '../../src/vendors/mqtt/index.ts';
import { EXPIRED, simulatedCertificate, simulatedRoot } from '../kit/certificates.ts';
import { type CoreWorld, makeCoreWorld } from '../kit/core-world.ts';
import { LOOPBACK } from '../kit/loopback.ts';
import { type Mosquitto, startMosquitto, withoutMosquitto } from '../kit/mosquitto-process.ts';
import { runningClock } from '../kit/running-clock.ts';
import { until } from '../kit/until.ts';

const HOST = '127.0.0.1';
const USER = { username: 'anna', password: 'right-password-of-anna' };
const USERS = { [USER.username]: USER.password };
const authority = simulatedRoot('An authority that this process knows');
const stranger = simulatedRoot('An authority that it does not know');
const ofHost = (root = authority, until?: string) =>
  simulatedCertificate('broker', root, { ip: HOST, ...(until === undefined ? {} : { until }) });

const PRESS = {
  id: 'press-1',
  type: 'industrial',
  reads: {
    read_power: { topic: 'press/power' },
    power_on: { topic: 'press/running', on: '1', off: '0' },
  },
  controls: { on_off: { topic: 'press/run', on: '1', off: '0' } },
  ask: [{ topic: 'press/ask', payload: '' }],
  availability: [{ topic: 'press/online', online: 'true', offline: 'false' }],
};
/** One that cannot be asked: what it does not publish again is known from before. */
const { ask: _, ...SILENT } = PRESS;
const RETAINED = { qos: 1, retain: true } as const;

describe('devices at a broker with password and TLS', { skip: withoutMosquitto, timeout: 600_000 }, () => {
  const publicAuthorities = getCACertificates('default');
  let broker: Mosquitto;
  let kept: ReturnType<typeof createKeptConnections>;
  let world: CoreWorld;
  let account: number;
  const devices: MqttClient[] = [];

  beforeEach(async () => {
    setDefaultCACertificates([...publicAuthorities, authority.cert]);
    const clock = runningClock();
    kept = createKeptConnections({ localNetworks: LOOPBACK, clock, random: systemRandom });
    world = await makeCoreWorld('sqlite', [mqtt, ferroamp], { clock, connections: kept });
    account = await world.newAccount();
  });
  afterEach(async () => {
    await Promise.all(devices.splice(0).map((device) => device.endAsync(true)));
    await world.remove();
    await kept.close();
    await broker.stop();
    setDefaultCACertificates(publicAuthorities);
  });

  const device = async () => {
    const client = await broker.device(USER);
    client.on('error', () => {});
    devices.push(client);
    return client;
  };
  const link = (more: JsonObject = {}) =>
    world.link(account, 'mqtt', {
      ...{ host: HOST, port: broker.port, tls: true, devices: [PRESS] },
      ...USER,
      ...more,
    });
  const found = async () => (await world.devices.find(account, 'press-1'))?.snapshot;
  /** What the device says now: what was read a moment ago is old enough. */
  const read = async () => {
    world.clock.turn(60_000);
    return objectIn((await world.read(account, 'press-1')).state);
  };
  const status = async () => (await world.links.list(account))[0]?.status;
  /** What a machine does: it says how it is, which the broker retains, obeys, and says it again when it is asked. */
  async function press(): Promise<MqttClient> {
    const client = await device();
    let [running, power] = ['1', '12'];
    client.on('message', (topic, payload) => {
      if (topic === 'press/run') [running, power] = String(payload) === '1' ? ['1', '40'] : ['0', '0'];
      client.publish('press/running', running, { qos: 1 });
      client.publish('press/power', power, { qos: 1 });
    });
    await client.subscribeAsync(['press/run', 'press/ask'], { qos: 1 });
    await client.publishAsync('press/online', 'true', RETAINED);
    await client.publishAsync('press/running', '1', RETAINED);
    await client.publishAsync('press/power', '12', RETAINED);
    return client;
  }

  it('devices at a broker with password and TLS are linked with a certificate that an authority has signed for the address, and commanded', async () => {
    broker = await startMosquitto({ users: USERS, certificate: ofHost() });
    await press();
    await link();
    assert.equal((await read()).power_w, 12);
    await world.send(account, 'press-1', { type: 'turn_off' });
    assert.equal((await found())?.state.power_on, false);
  });

  it('devices at a broker with password and TLS are not linked with a wrong password, and say so', async () => {
    broker = await startMosquitto({ users: USERS, certificate: ofHost() });
    for (const wrong of [{ password: 'wrong' }, { username: 'bert' }])
      await assert.rejects(link(wrong), {
        code: 'link.credentials_refused',
        message: /^MQTT at 127\.0\.0\.1:\d+ refuses the user name or the password; check both/,
      });
  });

  it('devices at a broker with password and TLS have to be linked again once the password is another', async () => {
    broker = await startMosquitto({ users: USERS, certificate: ofHost() });
    await link();
    await broker.stop();
    await broker.start({ users: { [USER.username]: 'another-password' } });
    await until('the link says so', async () => {
      await read().catch(() => {});
      return (await status()) === 'needs_relink';
    });
    await link({ password: 'another-password' });
    assert.equal(await status(), 'active');
  });

  it('devices at a broker with password and TLS are not linked with a certificate that has expired, is for another address, or is signed by nobody known', async () => {
    const faults = [
      [ofHost(authority, EXPIRED), /its certificate has expired \(CERT_HAS_EXPIRED\)/],
      [simulatedCertificate('broker', authority, { ip: '192.0.2.1' }), /its certificate is for another name/],
      [ofHost(stranger), /its certificate is not signed by an authority that is known here/],
      [simulatedCertificate('broker'), /its certificate is not signed by an authority that is known here/],
    ] as const;
    broker = await startMosquitto({ users: USERS, certificate: ofHost() });
    for (const [certificate, message] of faults) {
      await broker.stop();
      await broker.start({ certificate });
      await assert.rejects(link(), { code: 'vendor.unreachable', message });
    }
  });

  it('devices at a broker with password and TLS are unreachable once the certificate has expired, until it is renewed', async () => {
    broker = await startMosquitto({ users: USERS, certificate: ofHost() });
    await press();
    await link();
    await broker.stop();
    await broker.start({ certificate: ofHost(authority, EXPIRED) });
    await assert.rejects(read(), { code: 'vendor.unreachable', message: /its certificate has expired/ });
    assert.equal(await status(), 'unreachable');
    await broker.stop();
    await broker.start({ certificate: ofHost() });
    assert.equal((await read()).power_w, 12);
    assert.equal(await status(), 'active');
  });

  it('devices at a broker with password and TLS are linked with a certificate of the broker itself, and with no other afterwards', async () => {
    const own = simulatedCertificate('broker');
    broker = await startMosquitto({ users: USERS, certificate: own });
    await press();
    await link({ own_certificate: true });
    assert.equal((await read()).power_w, 12);

    await broker.stop();
    // Anybody who answers there, even with a certificate that an authority has signed for the address.
    await broker.start({ certificate: ofHost() });
    await assert.rejects(read(), {
      code: 'vendor.unreachable',
      message: /MQTT shows another certificate than when it was linked, so nothing is sent to it/,
    });
    assert.equal(await status(), 'unreachable');

    await broker.stop();
    await broker.start({ certificate: own });
    assert.equal((await read()).power_w, 12);
    await broker.stop();
    await broker.start({ certificate: simulatedCertificate('broker') });
    await link({ own_certificate: true });
    assert.equal(await status(), 'active');
    assert.equal((await read()).power_w, 12);
  });

  it('devices at a broker with password and TLS keep the certificate of the broker itself beyond its date', async () => {
    broker = await startMosquitto({
      ...{ users: USERS, certificate: simulatedCertificate('broker', undefined, { until: EXPIRED }) },
    });
    await press();
    await link({ own_certificate: true });
    assert.equal((await read()).power_w, 12);
  });

  it('devices at a broker with password and TLS are not linked without TLS at a port that has it, nor with a certificate of their own without TLS', async () => {
    broker = await startMosquitto({ users: USERS, certificate: ofHost() });
    await assert.rejects(link({ tls: false }), { code: 'vendor.unreachable' });
    await assert.rejects(link({ tls: false, own_certificate: true }), {
      code: 'link.credentials_invalid',
      message: /credentials\.own_certificate is for brokers with TLS/,
    });
  });

  it('devices at a broker with password and TLS are heard again after the broker was started again, with what it retained', async () => {
    broker = await startMosquitto({ users: USERS, certificate: ofHost() });
    const machine = await press();
    await link({ devices: [SILENT] });
    world.streams.start();
    const isOpen = () => {
      world.clock.turn(1_000);
      return world.streams.counts()[0]?.count === 1;
    };
    await until('its stream is open', isOpen);
    await machine.publishAsync('press/power', '20');
    await until('what it publishes is heard', async () => (await found())?.state.power_w === 20);

    await broker.stop();
    await until('the stream has ended', () => !isOpen());
    await broker.start();
    await until('the machine is back', () => machine.connected);
    await until('its stream is open again', isOpen);
    // The broker says 12, from before: what the machine has published is newer.
    await machine.publishAsync('press/running', '0', { qos: 1 });
    await until('it is heard again', async () => (await found())?.state.power_on === false);
    assert.equal((await found())?.state.power_w, 20);
    await world.send(account, 'press-1', { type: 'turn_on' });
    await until('its power is heard', async () => (await found())?.state.power_w === 40);
  });

  it('devices at a broker with password and TLS do not become newer by what the broker retains of them', async () => {
    broker = await startMosquitto({ users: USERS, certificate: ofHost() });
    const gone = await device();
    await gone.publishAsync('press/power', '9000', RETAINED);
    await gone.publishAsync('press/running', '1', RETAINED);
    await gone.publishAsync('press/online', 'false', RETAINED);
    await link();
    const { state, observed_at } = await world.read(account, 'press-1');
    assert.deepEqual(
      [objectIn(state).online, objectIn(state).power_w, observed_at],
      [false, 9_000, '1970-01-01T00:00:00.000Z'],
    );
  });
});
