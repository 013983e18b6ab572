import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type LocalVendor, openLocalVendor } from '../../../test/kit/local-vendor.ts';
import { until } from '../../../test/kit/until.ts';
import { refOf } from '../../../test/kit/vendor-world.ts';
import { send } from '../../adapter/send.ts';
import type { DeviceRef, Session } from '../../adapter/session.ts';
import type { StreamSession } from '../../adapter/stream.ts';
import { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Reading } from './hub.ts';
import { ferroamp } from './index.ts';

const REQUEST = 'extapi/control/request';
/** As a hub said it that an aggregator had for frequency control (henricm/ha-ferroamp#555). */
const TAINT = 'failed to execute command: "ext-api-set (): Ongoing" taint present; fcr-event: Ongoing';

describe('a Ferroamp EnergyHub', { timeout: 60_000 }, () => {
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

  it('keeps its devices when its address changes', async () => {
    const first = await ferroamp.link(session());
    const second = await ferroamp.link(session({ host: 'localhost' }));
    assert.equal(first.vendorAccount, '20120476');
    assert.deepEqual(second, first);
    assert.deepEqual(await ferroamp.list(session(), first.devices.map(refOf)), first.devices);
  });

  it('tells a wrong password on linking from one that has changed', async () => {
    await assert.rejects(ferroamp.link(session({ username: 'nobody' })), {
      code: 'link.credentials_refused',
    });
    // What could not be opened is left alone for a second.
    vendor.clock.turn(2_000);
    await assert.rejects(ferroamp.kinds.battery.read(session({ username: 'nobody' }), battery), {
      code: 'vendor.login_expired',
    });
  });

  it('gets its orders in watt and a direction, and is given back by auto', async () => {
    await setPower(1_500);
    await setPower(-2_000);
    await setPower(0);
    await ferroamp.kinds.battery.setPoints?.set_battery_power?.release(session(), battery);
    assert.deepEqual(vendor.served.device.commands(), ['charge 1500', 'discharge 2000', 'charge 0', 'auto']);
  });

  it('says why it refuses an order', async () => {
    await assert.rejects(setPower(60_000), {
      code: 'vendor.refused',
      message: /Max allowed power is 14000 W/,
    });
  });

  it('takes no reply to another for its own, and waits for what comes of an order', async () => {
    await vendor.served.close();
    const replies: ((transId: string) => readonly [topic: string, reply: object][])[] = [];
    const { createBroker } = await import('../../simulation/index.ts');
    const own = await createBroker({
      onPublish(topic, payload) {
        if (topic !== REQUEST) return;
        const { transId } = JSON.parse(payload) as { transId: string };
        for (const [to, reply] of replies.shift()?.(transId) ?? [])
          own.publish(`extapi/control/${to}`, JSON.stringify(reply));
      },
    });
    const { serveLocal } = await import('../../simulation/serve-local.ts');
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

  it('obeys the requests of another client', async () => {
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

    it('reports with what its batteries may do, once in five seconds', async () => {
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

    it('ends when the hub has stopped and only its broker lives', async () => {
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
