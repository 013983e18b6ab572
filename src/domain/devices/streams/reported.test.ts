import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { type CoreWorld, makeCoreWorld } from '../../../../test/kit/core-world.ts';
import { onEachEngine } from '../../../../test/kit/databases.ts';
import { until } from '../../../../test/kit/until.ts';
import { type TestVendor, testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import type { Adapter } from '../../../adapter/adapter.ts';
import type { StreamSession } from '../../../adapter/stream.ts';
import { createLog } from '../../../core/log.ts';

/** A vendor that reports fields, one by one, and is asked for nothing but the first reading. */
onEachEngine('fields that a stream reports', (engine) => {
  let vendor: TestVendor;
  let world: CoreWorld;
  let account: number;
  let session: StreamSession | undefined;
  let lists: number;
  let logged: string[];

  beforeEach(async () => {
    vendor = testVendor({ pollSeconds: 10 });
    lists = 0;
    logged = [];
    session = undefined;
    const adapter: Adapter = {
      ...vendor.adapter,
      async list() {
        lists += 1;
        return [{ id: 'light-1', type: 'light' }];
      },
      stream: {
        silenceSeconds: 86_400,
        run(opened, _devices, told) {
          session = opened;
          told();
          return new Promise((resolve) => {
            opened.signal.addEventListener('abort', () => resolve(), { once: true });
          });
        },
      },
    };
    const log = createLog('warn', { write: (line) => void logged.push(line) });
    world = await makeCoreWorld(engine, [adapter], { log });
    account = await world.newAccount();
    await world.link(account, 'testvendor');
  });
  afterEach(() => world.remove());

  const snapshot = async () => (await world.devices.find(account, 'light-1')).snapshot;
  async function pass(seconds: number, step = 5): Promise<void> {
    for (let second = 0; second < seconds; second += step) {
      world.clock.turn(step * 1_000);
      await world.streams.settled();
      await world.polling.settled();
      await world.discovery.settled();
    }
  }
  async function opened(): Promise<StreamSession> {
    world.streams.start();
    await until('the stream is open', async () => {
      await pass(5);
      return session !== undefined;
    });
    return session ?? assert.fail();
  }
  const told = async (field: 'power_w' | 'power_on', value: number | boolean) =>
    until(`${field} is ${value}`, async () => (await snapshot())?.state[field] === value);

  it('fields that a stream reports begin with one reading, and no other follows', async () => {
    world.polling.start();
    await pass(60);
    assert.equal(vendor.count('read'), 1, 'linking has it read');
    const stream = await opened();
    await pass(3_600);
    const reads = vendor.count('read');
    assert.ok(reads <= 2, 'once more when the stream is open');
    stream.reported('light-1', { state: { power_w: 44 } });
    await told('power_w', 44);
    await pass(3_600);
    assert.equal(vendor.count('read'), reads);
  });

  it('fields that a stream reports are merged, each with a moment of its own: one that is older than what is known of its field is dropped', async () => {
    const stream = await opened();
    await world.read(account, 'light-1');
    world.clock.turn(60_000);
    const now = world.clock.now();
    stream.reported('light-1', { state: { power_w: 80 }, at: now - 10_000 });
    await told('power_w', 80);
    stream.reported('light-1', { state: { power_on: true }, at: now - 20_000 });
    await told('power_on', true);
    assert.equal((await snapshot())?.observedAt, now - 10_000, 'the newest of all fields');
    stream.reported('light-1', { state: { power_w: 7, power_on: false }, at: now - 15_000 });
    await told('power_on', false);
    assert.equal((await snapshot())?.state.power_w, 80);
    stream.reported('light-1', { state: { power_w: 9 }, at: now - 3_600_000 });
    stream.reported('light-1', { state: { battery_soc: 3 } });
    stream.reported('light-1', { state: { power_on: true }, at: now + 3_600_000 });
    await told('power_on', true);
    const { state, observedAt } = (await snapshot()) ?? assert.fail();
    assert.deepEqual(state, { online: true, power_on: true, power_w: 80 });
    assert.equal(observedAt, now, 'nothing is measured in the future');
    const counted = await world.metrics.registry.metrics();
    assert.match(counted, /^elnav_stream_reports_total\{vendor="testvendor"\} 4$/m, 'what is dropped is not');
  });

  it('fields that a stream reports keep their moments when nothing is in memory any more, and a whole reading ends them', async () => {
    const stream = await opened();
    await world.read(account, 'light-1');
    world.clock.turn(60_000);
    const now = world.clock.now();
    stream.reported('light-1', { state: { power_w: 80 }, at: now });
    await told('power_w', 80);
    await world.devices.flush();
    await world.devices.changed(account, [{ id: 'light-1' }]);
    stream.reported('light-1', { state: { power_w: 5, power_on: true }, at: now - 30_000 });
    await told('power_on', true);
    assert.equal((await snapshot())?.state.power_w, 80);
    await world.read(account, 'light-1');
    assert.deepEqual((await snapshot())?.reported, undefined);
    assert.deepEqual((await snapshot())?.state, { online: true, power_on: false, power_w: 10 });
  });

  it('fields that a stream reports are no state while nothing else is known: the device is read first', async () => {
    const stream = await opened();
    assert.equal(await snapshot(), null);
    // Linking and the opening of the stream call for it as well.
    await pass(30);
    await world.database.queries.deleteFrom('device_polls').execute();
    stream.reported('light-1', { state: { power_w: 80 } });
    world.polling.start();
    await until('it is read', async () => {
      await pass(5);
      return vendor.count('read') > 0;
    });
    await until('it is known', async () => (await snapshot())?.state.power_w === 10);
  });

  it('fields that a stream reports are logged once where a value of them is not recognized, and the others are taken', async () => {
    const stream = await opened();
    await world.read(account, 'light-1');
    for (const power_w of [80, 81])
      stream.reported('light-1', { state: { power_w }, unrecognized: ['mode "HOLIDAY"'] });
    await told('power_w', 81);
    const values = logged.map((line) => JSON.parse(line)).flatMap(({ value }) => value ?? []);
    assert.deepEqual(values, ['mode "HOLIDAY"']);
  });

  it('fields that a stream reports that are of devices nobody knows have the account listed, as does the word that there are others', async () => {
    world.discovery.start();
    const stream = await opened();
    stream.listChanged();
    await until('it is listed', async () => {
      await pass(30);
      return lists === 1;
    });
    stream.reported('light-9', { state: { power_w: 1 } });
    stream.observed('light-9', vendor.reading);
    await pass(3_600, 60);
    assert.equal(lists, 1, 'not each time');
    for (let hours = 0; hours < 8 && lists < 2; hours += 1) await pass(3_600, 60);
    assert.equal(lists, 2, 'it is listed in some hours');
  });
});
