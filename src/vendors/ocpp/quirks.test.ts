import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stateOf } from '../../adapter/derive.ts';
import { send } from '../../adapter/send.ts';
import { charger } from './charger.ts';
import { command, setCurrent, settle } from './test-settled-station.ts';
import { until, World } from './test-world.ts';

test('a limit on the whole station changes with the one on the transaction', async (t) => {
  const { world, station } = await settle(t, { station: { quirks: { rejects: ['TxDefaultProfile'] } } });
  await setCurrent(world, 8);
  await station.plugIn();
  await command(world, 'start_charge');
  assert.equal(station.plug(1).amperes, 8);
  await setCurrent(world, 14);
  assert.equal(station.plug(1).amperes, 14);
});

test('a repeated start finds its transaction, whatever the clock of the station', async (t) => {
  const { world, station } = await settle(t);
  const start = { connectorId: 1, idTag: 'A', meterStart: 5, timestamp: '1970-01-01T00:00:09Z' };
  const first = await station.call('StartTransaction', start);
  await station.disconnect();
  await world.restart();
  await station.connect({ boots: false });
  assert.deepEqual(await station.call('StartTransaction', start), first);
  assert.ok(Date.now() - (world.link.starts[0]?.startedAt ?? 0) < 60_000);
});

test('a 2.0.1 station that has not booted is asked for its EVSEs', async (t) => {
  const world = await new World().open();
  t.after(() => world.close());
  await world.station({ protocol: 'ocpp2.0.1', connectors: 2 }).connect({ boots: false });
  await until('two are announced', () => world.link.discovered?.length === 2);
});

test('the end of an unknown transaction is accepted', async (t) => {
  const { world, station } = await settle(t);
  const stop = { transactionId: -1, meterStop: 9, timestamp: station.now };
  assert.deepEqual(await station.call('StopTransaction', stop), {});
  assert.equal(world.link.ends[0]?.transactionId, '-1');
});

test('a transaction that began under another central system can be stopped', async (t) => {
  const { world, station } = await settle(t);
  const plug = station.plug(1);
  plug.plugged = true;
  plug.transaction = { id: '777', idTag: 'A', seqNo: 0 };
  station.reportStatus();
  station.reportMeters();
  await station.idle();
  await command(world, 'stop_charge');
  assert.equal(world.link.ends[0]?.transactionId, '777');
});

test('no connector with an impossible number is created', async (t) => {
  const { world, station } = await settle(t);
  const status = { connectorId: 65, errorCode: 'NoError', status: 'Available' };
  await assert.rejects(station.call('StatusNotification', status), /there is no connector 65/);
  assert.equal(world.link.discovered?.length, 1);
});

test('a disconnected station is offline and refuses commands', async (t) => {
  const { world, station } = await settle(t);
  await station.plugIn();
  await command(world, 'start_charge');
  const session = world.session();
  await station.disconnect();
  await until('it is disconnected', () => world.server.count() === 0);
  const last = world.link.observed.at(-1);
  const state = stateOf(charger, last?.raw, ['read_power', 'read_energy']);
  assert.deepEqual([state.online, state.charging, state.power_w], [false, null, null]);
  assert.equal(typeof state.energy_wh, 'number');
  await assert.rejects(world.read(), { code: 'device.offline' });
  await assert.rejects(send(charger, session, world.device(), { type: 'start_charge' }), {
    code: 'device.offline',
  });
});
