import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turnedClock } from '../../core/clock.ts';
import { bare } from './test-bare-station.ts';
import { frames16, frames201, reconnect, shown } from './test-frames.ts';
import { command } from './test-settled-station.ts';
import { until } from './test-world.ts';

for (const restarts of [false, true]) {
  const event = restarts ? 'a restart of the service' : 'a lost line';

  test(`2.0.1: a car that charges is shown to charge after ${event}`, async (t) => {
    const { world, station } = await bare(t, 'ocpp2.0.1');
    await station.connect();
    const tells = frames201(world, station);
    await tells.status('Occupied');
    await tells.started('tx', { card: 'C', energy: 1_000, info: { chargingState: 'Charging' } });
    await tells.updated('tx', { power: 5_520, energy: 1_097 });
    await reconnect(world, station, restarts);
    assert.deepEqual(await shown(world), [true, 5_520, 1_097]);
    await tells.status('Occupied');
    await tells.updated('tx', { at: 5, power: 5_530, energy: 1_098 });
    assert.deepEqual(await shown(world), [true, 5_530, 1_098]);
    await tells.ended('tx', { at: 6 });
    assert.deepEqual(await shown(world), [false, 0, 1_098]);
  });

  test(`2.0.1: a car that does not want to charge is not shown to after ${event}`, async (t) => {
    const { world, station } = await bare(t, 'ocpp2.0.1');
    await station.connect();
    const tells = frames201(world, station);
    await tells.started('tx', { at: -60, power: 5_000, info: { chargingState: 'Charging' } });
    await tells.updated('tx', { at: -40, info: { chargingState: 'SuspendedEV' } });
    await reconnect(world, station, restarts);
    assert.deepEqual((await shown(world)).slice(0, 2), [false, 0]);
    await tells.updated('tx', { at: -50, power: 4_900 });
    assert.deepEqual((await shown(world)).slice(0, 2), [false, 0], 'a sample from before says nothing');
  });

  test(`1.6: energy does not run backwards after ${event}`, async (t) => {
    const { world, station } = await bare(t, 'ocpp1.6');
    await station.connect();
    const tells = frames16(world, station);
    const transaction = await tells.start(1_000, { at: -60 });
    await tells.status('Charging', -59);
    await tells.meter(transaction, { power: 7_000, energy: 5_000 }, -30);
    await reconnect(world, station, restarts);
    assert.deepEqual(await shown(world), [true, 7_000, 5_000]);
    await tells.meter(transaction, { power: 6_000, energy: 4_700 }, -45);
    assert.deepEqual(await shown(world), [true, 7_000, 5_000], 'a queued sample is older');
    await tells.meter(transaction, { energy: 0 }, -20);
    assert.deepEqual((await shown(world))[2], 5_000, 'no meter falls in a transaction');
    await tells.stop(transaction, 5_100, -10);
    await reconnect(world, station, restarts);
    assert.equal((await shown(world))[2], 5_100, 'what the transaction ended with stays');
  });
}

test('2.0.1: Occupied in a transaction tells nothing, what is measured does', async (t) => {
  const { world, station } = await bare(t, 'ocpp2.0.1');
  await station.connect();
  const tells = frames201(world, station);
  await tells.status('Occupied');
  assert.deepEqual(await shown(world), [false, 0, null]);
  await tells.started('tx', { card: 'C' });
  assert.deepEqual(await shown(world), [null, null, null]);
  await tells.updated('tx', { power: 11_001 });
  assert.deepEqual(await shown(world), [true, 11_001, null]);
  await tells.updated('tx', { power: 12 });
  assert.deepEqual(await shown(world), [false, 0, null]);
  await tells.updated('tx', { info: { chargingState: 'SuspendedEV' } });
  await tells.updated('tx', { at: 1, power: 4_000 });
  assert.deepEqual(await shown(world), [true, 4_000, null], 'no word overrides what is measured');
});

test('a meter that counts each transaction from 0 is followed, a start at 0 alone is not believed', async (t) => {
  const { world, station } = await bare(t, 'ocpp1.6');
  await station.connect();
  const tells = frames16(world, station);
  await tells.meter(null, { energy: 3_500 }, -50);
  const first = await tells.start(0, { at: -40 });
  assert.equal((await shown(world))[2], 3_500);
  await tells.meter(first, { energy: 10 }, -30);
  assert.equal((await shown(world))[2], 10);
  await tells.stop(first, 20, -25);
  const second = await tells.start(0, { at: -20 });
  await tells.meter(second, { energy: 3_600 }, -10);
  assert.equal((await shown(world))[2], 3_600);
});

test('a transaction of yesterday that arrives late changes nothing of now', async (t) => {
  const { world, station } = await bare(t, 'ocpp1.6');
  await station.connect();
  const tells = frames16(world, station);
  const DAY = -86_400;
  const today = await tells.start(3_000, { at: -60 });
  await tells.status('Charging', -60);
  await tells.meter(today, { power: 7_000, energy: 3_500 }, -1);
  const yesterday = await tells.start(500, { at: DAY, idTag: 'OTHER' });
  await tells.meter(yesterday, { power: 2_000, energy: 800 }, DAY + 60);
  assert.deepEqual(await shown(world), [true, 7_000, 3_500]);
  await tells.stop(yesterday, 1_000, DAY + 120);
  assert.deepEqual(await shown(world), [true, 7_000, 3_500]);
  assert.deepEqual(
    world.link.ends.map(({ transactionId }) => transactionId),
    [String(yesterday)],
  );
  await tells.stop(today, 3_600);
  assert.deepEqual(await shown(world), [false, 0, 3_600]);
});

test('1.6: an end that comes from offline ends the power too', async (t) => {
  const { world, station } = await bare(t, 'ocpp1.6');
  await station.connect();
  const tells = frames16(world, station);
  const transaction = await tells.start(0, { at: -60 });
  await tells.status('Charging', -60);
  await tells.meter(transaction, { power: 5_520, energy: 40 }, -30);
  await reconnect(world, station, false);
  await tells.stop(transaction, 50, -20);
  assert.deepEqual(await shown(world), [false, 0, 50]);
  await tells.meter(transaction, { power: 5_520, energy: 45 }, -25);
  assert.deepEqual(await shown(world), [false, 0, 50]);
});

test('the next start on the connector ends a transaction whose end was lost', async (t) => {
  const { world, station } = await bare(t, 'ocpp1.6', { clock: turnedClock() });
  await station.connect();
  const tells = frames16(world, station);
  const lost = await tells.start(100, { at: -600 });
  await tells.meter(lost, { energy: 150 }, -500);
  const next = await tells.start(170, { at: -60 });
  assert.deepEqual(world.link.ends, [
    {
      transactionId: String(lost),
      endedAt: world.link.readings[0]?.at,
      meterStopWh: 150,
      reason: 'Unknown',
      givenUp: true,
    },
  ]);
  assert.equal((await world.read()).in_transaction, true);
  await tells.stop(lost, 165, -100);
  assert.deepEqual(
    [world.link.ends.length, world.link.ends[0]?.meterStopWh],
    [1, 165],
    'the real end counts',
  );
  await tells.start(170, { at: -60 });
  assert.equal((await world.read()).in_transaction, true, 'a start that is sent again ends nothing');
  await tells.stop(next, 200);
  assert.equal((await world.read()).in_transaction, false);
});

for (const [then, ends] of [
  ['Available', 1],
  ['Preparing', 1],
  ['Charging', 0],
] as const) {
  test(`a station that boots and says ${then} for minutes has ${ends === 1 ? '' : 'not '}forgotten`, async (t) => {
    const clock = turnedClock();
    const { world, station } = await bare(t, 'ocpp1.6', { clock });
    await station.connect();
    const tells = frames16(world, station);
    const lost = await tells.start(100);
    await tells.meter(lost, { energy: 150 });
    await reconnect(world, station, true);
    clock.turn(1_000);
    await tells.boot();
    await tells.status('Available');
    clock.turn(world.options.forgottenMs - 1);
    assert.deepEqual(world.link.ends, []);
    await tells.status(then);
    clock.turn(1);
    await until('it is known', () => world.link.ends.length === ends);
    assert.equal((await world.read()).in_transaction, ends === 0);
    assert.deepEqual(
      world.link.ends.map(({ reason, meterStopWh }) => [reason, meterStopWh]),
      ends === 0 ? [] : [['PowerLoss', 150]],
    );
  });
}

test('2.0.1: a card that is shown after the cable is kept, the one that stops is not', async (t) => {
  const { world, station } = await bare(t, 'ocpp2.0.1');
  await station.connect();
  const tells = frames201(world, station);
  await tells.started('a', { trigger: 'CablePluggedIn', info: { chargingState: 'EVConnected' } });
  await tells.updated('a', { trigger: 'Authorized', card: 'CARD' });
  await tells.updated('a', { trigger: 'StopAuthorized', card: 'OTHER' });
  await tells.ended('a');
  await tells.started('b', { trigger: 'CablePluggedIn' });
  await tells.updated('b', { trigger: 'StopAuthorized', card: 'OTHER' });
  assert.deepEqual(
    world.link.starts.map(({ idTag }) => idTag),
    ['CARD', null],
  );
});

test('2.0.1: a transaction that only names our remote start has its tag, also after a lost line', async (t) => {
  const { world, station } = await bare(t, 'ocpp2.0.1', { options: { settleMs: 20 } });
  await station.connect();
  const tells = frames201(world, station);
  await command(world, 'start_charge');
  const { remoteStartId } = station.calls('RequestStartTransaction')[0] ?? {};
  await reconnect(world, station, true);
  await tells.started('a', { trigger: 'RemoteStart', info: { remoteStartId } });
  await tells.started('b', { at: 1, trigger: 'RemoteStart', info: { remoteStartId: 7 } });
  assert.deepEqual(
    world.link.starts.map(({ idTag }) => idTag),
    [world.options.idTag, null],
  );
});
