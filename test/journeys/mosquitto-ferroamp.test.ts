import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { MqttClient } from 'mqtt';
import { systemRandom } from '../../src/core/ids.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { createKeptConnections } from '../../src/outbound/kept-connections.ts';
import { ferroamp } from '../../src/vendors/ferroamp/index.ts';
import { createHub } from '../../src/vendors/ferroamp/simulator.ts';
import { type CoreWorld, makeCoreWorld } from '../kit/core-world.ts';
import { LOOPBACK } from '../kit/loopback.ts';
import { type Mosquitto, startMosquitto, withoutMosquitto } from '../kit/mosquitto-process.ts';
import { runningClock } from '../kit/running-clock.ts';
import { until } from '../kit/until.ts';

const USER = { username: 'extapi', password: 'right-password-of-the-hub' };
const USERS = { [USER.username]: USER.password };
/** A real hub reports every second. */
const REPORT_MS = 20;
const RETAINED = { qos: 1, retain: true } as const;

describe('an EnergyHub whose broker is Mosquitto', { skip: withoutMosquitto, timeout: 600_000 }, () => {
  let broker: Mosquitto;
  let hub: ReturnType<typeof createHub>;
  let client: MqttClient;
  let reports: NodeJS.Timeout;
  let kept: ReturnType<typeof createKeptConnections>;
  let world: CoreWorld;
  let account: number;

  beforeEach(async () => {
    broker = await startMosquitto({ users: USERS });
    client = await broker.device(USER);
    client.on('error', () => {});
    const clock = runningClock();
    hub = createHub({
      clock,
      publish: (topic, message) => client.publish(topic, JSON.stringify(message)),
    });
    hub.arrange('battery_automatic');
    client.on('message', (topic, payload) => hub.take(topic, payload.toString()));
    await client.subscribeAsync('extapi/control/request');
    // Nobody but the device reports: what nobody hears is gone.
    reports = setInterval(() => {
      if (!client.connected) return;
      hub.reportHub();
      hub.reportUnits();
    }, REPORT_MS);
    kept = createKeptConnections({ localNetworks: LOOPBACK, clock, random: systemRandom });
    world = await makeCoreWorld('sqlite', [ferroamp], { clock, connections: kept });
    account = await world.newAccount();
  });
  afterEach(async () => {
    clearInterval(reports);
    await client.endAsync(true);
    await world.remove();
    await kept.close();
    await broker.stop();
  });

  const link = (more: JsonObject = {}) =>
    world.link(account, 'ferroamp', { host: broker.host, port: broker.port, ...USER, ...more });
  const idOf = async (type: string) =>
    (await world.list(account)).find(({ device_type }) => device_type === type)?.id as string;
  const seen = async (type: string) => (await world.devices.find(account, await idOf(type)))?.snapshot?.state;
  const status = async () => (await world.links.list(account))[0]?.status;

  it('an EnergyHub whose broker is Mosquitto is linked with its password, read and commanded', async () => {
    const devices = await link();
    assert.deepEqual(devices.map(({ device_type }) => device_type).toSorted(), [
      ...['battery', 'industrial', 'industrial', 'solar_inverter'],
    ]);
    await world.send(account, await idOf('battery'), { type: 'set_battery_power', power_w: 1_500 });
    assert.deepEqual(hub.commands(), ['charge 1500']);
    assert.equal((await seen('battery'))?.power_w, 1_500);
  });

  it('an EnergyHub whose broker is Mosquitto is not linked with a wrong password, and says so', async () => {
    await assert.rejects(link({ password: 'wrong' }), {
      code: 'link.credentials_refused',
      message: /^Ferroamp at 127\.0\.0\.1:\d+ refuses the user name or the password; check both/,
    });
  });

  it('an EnergyHub whose broker is Mosquitto has to be linked again once the password is another', async () => {
    await link();
    await broker.stop();
    await broker.start({ users: { [USER.username]: 'another-password' } });
    const battery = await idOf('battery');
    await until('the link says so', async () => {
      world.clock.turn(60_000);
      await world.read(account, battery).catch(() => {});
      return (await status()) === 'needs_relink';
    });
  });

  it('an EnergyHub whose broker is Mosquitto is heard again after its broker was started again, and not by what somebody retained', async () => {
    // Nothing of an EnergyHub is retained: somebody else has published this.
    const lie = { ppv: { val: '99999' }, pbat: { val: '99999' }, soc: { val: '1' } };
    await client.publishAsync('extapi/data/ehub', JSON.stringify(lie), RETAINED);
    await link();
    const powers = new Set<unknown>();
    world.streams.start();
    const isOpen = async () => {
      world.clock.turn(1_000);
      powers.add((await seen('solar_inverter'))?.production_w);
      return world.streams.counts()[0]?.count === 1;
    };
    await until('its stream is open', isOpen);
    await broker.stop();
    await until('the stream has ended', async () => !(await isOpen()));
    await broker.start();
    await until('the hub is back', () => client.connected);
    await until('its stream is open again', isOpen);
    await world.send(account, await idOf('battery'), { type: 'set_battery_power', power_w: -2_000 });
    assert.deepEqual(hub.commands(), ['discharge 2000']);
    await until('it is heard', async () => {
      await isOpen();
      return (await seen('battery'))?.power_w === -2_000;
    });
    assert.ok(powers.has(4_000), [...powers].join());
    assert.ok(!powers.has(99_999), [...powers].join());
  });
});
