import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bare } from './test-bare-station.ts';
import { frames16, frames201, reconnect, shown } from './test-frames.ts';
import { command } from './test-settled-station.ts';
import { until } from './test-world.ts';
import { statusOf } from './translate.ts';

const QUICKLY = { options: { settleMs: 50 } };

for (const word of ['Available', 'Preparing']) {
  for (const reconnects of [false, true]) {
    const after = reconnects ? ', and then lost its line,' : '';

    test(`1.6: a station that booted${after} and says ${word} is asked to start, whatever ran before`, async (t) => {
      const { world, station } = await bare(t, 'ocpp1.6', QUICKLY);
      await station.connect();
      const tells = frames16(world, station);
      const lost = await tells.start(100, { at: -60 });
      await tells.status('Charging', -59);
      await tells.meter(lost, { power: 7_000, energy: 150 }, -30);
      await reconnect(world, station, false);
      await tells.boot();
      await tells.status(word);
      if (reconnects) await reconnect(world, station, true);
      assert.deepEqual(await shown(world), [false, 0, 150]);
      await command(world, 'start_charge');
      assert.equal(station.calls('RemoteStartTransaction').length, 1);
      const next = await tells.start(150);
      assert.equal((await world.read()).in_transaction, true);
      assert.deepEqual(
        world.link.ends.map(({ transactionId, reason }) => [transactionId, reason]),
        [[String(lost), reconnects ? 'Unknown' : 'PowerLoss']],
      );
      await command(world, 'start_charge');
      assert.equal(station.calls('RemoteStartTransaction').length, 1, 'there is one that runs');
      await tells.stop(next, 160);
    });
  }
}

test('1.6: a station that booted and goes on with its transaction is not asked to start another', async (t) => {
  const { world, station } = await bare(t, 'ocpp1.6', QUICKLY);
  await station.connect();
  const tells = frames16(world, station);
  const transaction = await tells.start(100, { at: -60 });
  await tells.status('Charging', -59);
  for (const goesOn of [
    () => tells.status('SuspendedEV'),
    () => tells.meter(transaction, { power: 5_000 }),
  ]) {
    await tells.boot();
    await goesOn();
    await command(world, 'start_charge');
  }
  assert.deepEqual(await shown(world), [true, 5_000, 100]);
  assert.deepEqual(station.calls('RemoteStartTransaction'), []);
});

test('2.0.1: a station that booted is shown by what it says since, and is asked to start', async (t) => {
  const { world, station } = await bare(t, 'ocpp2.0.1', QUICKLY);
  await station.connect();
  const tells = frames201(world, station);
  await tells.status('Occupied', -60);
  await tells.started('lost', { at: -60, card: 'C', energy: 100, info: { chargingState: 'Charging' } });
  await tells.updated('lost', { at: -30, power: 5_520, energy: 150 });
  await tells.boot();
  await tells.status('Occupied');
  assert.deepEqual(await shown(world), [null, null, 150], 'it may go on, or not');
  await tells.status('Available');
  const state = { online: true, connected: false, charging: false, operation_state: 'Available' };
  assert.deepEqual(statusOf(await world.read()), state);
  assert.deepEqual(await shown(world), [false, 0, 150]);
  await tells.status('Occupied');
  await command(world, 'start_charge');
  assert.equal(station.calls('RequestStartTransaction').length, 1);
  await tells.started('next', { energy: 150, info: { chargingState: 'Charging' } });
  assert.deepEqual(
    world.link.ends.map(({ transactionId, reason }) => [transactionId, reason]),
    [['lost', 'PowerLoss']],
  );
});

test('2.0.1: a station that booted and goes on with its transaction is not asked to start another', async (t) => {
  const { world, station } = await bare(t, 'ocpp2.0.1', QUICKLY);
  await station.connect();
  const tells = frames201(world, station);
  await tells.started('tx', { at: -60, card: 'C', energy: 100, info: { chargingState: 'Charging' } });
  await tells.boot();
  await tells.status('Occupied');
  await tells.updated('tx', { power: 5_000, energy: 150 });
  await command(world, 'start_charge');
  assert.deepEqual(await shown(world), [true, 5_000, 150]);
  assert.equal((await world.read()).word, 'Charging');
  assert.deepEqual(station.calls('RequestStartTransaction'), []);
});

test('1.6: a start that a station refuses after its boot is not passed over', async (t) => {
  const { world, station } = await bare(t, 'ocpp1.6', QUICKLY);
  station.answers.RemoteStartTransaction = { status: 'Rejected' };
  await station.connect();
  const tells = frames16(world, station);
  await tells.start(100);
  await tells.boot();
  await tells.status('Preparing');
  await until('it is known', async () => (await world.read()).word === 'Preparing');
  await assert.rejects(command(world, 'start_charge'), { code: 'vendor.refused' });
});
