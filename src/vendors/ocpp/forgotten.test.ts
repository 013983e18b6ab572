import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bare } from './test-bare-station.ts';
import { chargerState, frames16, frames201, reconnect } from './test-frames.ts';
import { command } from './test-settled-station.ts';
import { until } from './test-world.ts';
import { statusOf } from './translate.ts';

const QUICKLY = { options: { settleMs: 50 } };

for (const word of ['Available', 'Preparing']) {
  for (const reconnects of [false, true]) {
    const after = reconnects ? ', then lost its connection,' : '';

    test(`1.6: a station that booted${after} and says ${word} is sent a start, whatever ran before`, async (t) => {
      const { world, station } = await bare(t, 'ocpp1.6', QUICKLY);
      await station.connect();
      const frames = frames16(world, station);
      const lost = await frames.start(100, { at: -60 });
      await frames.status('Charging', -59);
      await frames.meter(lost, { power: 7_000, energy: 150 }, -30);
      await reconnect(world, station, false);
      await frames.boot();
      await frames.status(word);
      if (reconnects) await reconnect(world, station, true);
      assert.deepEqual(await chargerState(world), [false, 0, 150]);
      await command(world, 'start_charge');
      assert.equal(station.calls('RemoteStartTransaction').length, 1);
      const next = await frames.start(150);
      assert.equal((await world.read()).in_transaction, true);
      assert.deepEqual(
        world.link.ends.map(({ transactionId, reason }) => [transactionId, reason]),
        [[String(lost), reconnects ? 'Unknown' : 'PowerLoss']],
      );
      await command(world, 'start_charge');
      assert.equal(station.calls('RemoteStartTransaction').length, 1, 'one is running');
      await frames.stop(next, 160);
    });
  }
}

test('1.6: a station that booted and continues its transaction is not sent another start', async (t) => {
  const { world, station } = await bare(t, 'ocpp1.6', QUICKLY);
  await station.connect();
  const frames = frames16(world, station);
  const transaction = await frames.start(100, { at: -60 });
  await frames.status('Charging', -59);
  for (const goesOn of [
    () => frames.status('SuspendedEV'),
    () => frames.meter(transaction, { power: 5_000 }),
  ]) {
    await frames.boot();
    await goesOn();
    await command(world, 'start_charge');
  }
  assert.deepEqual(await chargerState(world), [true, 5_000, 100]);
  assert.deepEqual(station.calls('RemoteStartTransaction'), []);
});

test('2.0.1: a station that booted has the state that it reported since, and is sent a start', async (t) => {
  const { world, station } = await bare(t, 'ocpp2.0.1', QUICKLY);
  await station.connect();
  const frames = frames201(world, station);
  await frames.status('Occupied', -60);
  await frames.started('lost', { at: -60, card: 'C', energy: 100, info: { chargingState: 'Charging' } });
  await frames.updated('lost', { at: -30, power: 5_520, energy: 150 });
  await frames.boot();
  await frames.status('Occupied');
  assert.deepEqual(await chargerState(world), [null, null, 150], 'the transaction may or may not continue');
  await frames.status('Available');
  const state = { online: true, connected: false, charging: false, operation_state: 'Available' };
  assert.deepEqual(statusOf(await world.read()), state);
  assert.deepEqual(await chargerState(world), [false, 0, 150]);
  await frames.status('Occupied');
  await command(world, 'start_charge');
  assert.equal(station.calls('RequestStartTransaction').length, 1);
  await frames.started('next', { energy: 150, info: { chargingState: 'Charging' } });
  assert.deepEqual(
    world.link.ends.map(({ transactionId, reason }) => [transactionId, reason]),
    [['lost', 'PowerLoss']],
  );
});

test('2.0.1: a station that booted and continues its transaction is not sent another start', async (t) => {
  const { world, station } = await bare(t, 'ocpp2.0.1', QUICKLY);
  await station.connect();
  const frames = frames201(world, station);
  await frames.started('tx', { at: -60, card: 'C', energy: 100, info: { chargingState: 'Charging' } });
  await frames.boot();
  await frames.status('Occupied');
  await frames.updated('tx', { power: 5_000, energy: 150 });
  await command(world, 'start_charge');
  assert.deepEqual(await chargerState(world), [true, 5_000, 150]);
  assert.equal((await world.read()).word, 'Charging');
  assert.deepEqual(station.calls('RequestStartTransaction'), []);
});

test('1.6: a start that a station refuses after its boot is reported as refused', async (t) => {
  const { world, station } = await bare(t, 'ocpp1.6', QUICKLY);
  station.answers.RemoteStartTransaction = { status: 'Rejected' };
  await station.connect();
  const frames = frames16(world, station);
  await frames.start(100);
  await frames.boot();
  await frames.status('Preparing');
  await until('the status has arrived', async () => (await world.read()).word === 'Preparing');
  await assert.rejects(command(world, 'start_charge'), { code: 'vendor.refused' });
});
