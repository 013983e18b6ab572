import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turnedClock } from '../../core/clock.ts';
import { type BareStation, bare } from './test-bare-station.ts';
import { chargerState, frames16, frames201 } from './test-frames.ts';
import { command, setCurrent } from './test-settled-station.ts';
import { until } from './test-world.ts';

/** Limits of the profiles that were sent, in order, ampere. */
const limits = (station: BareStation): unknown[] =>
  station.calls('SetChargingProfile').map((params) => /"limit":(\d+)/.exec(JSON.stringify(params))?.[1]);

test('1.6: a station that keeps reporting Charging can be paused, and a start ends the pause', async (t) => {
  const clock = turnedClock();
  const { world, station } = await bare(t, 'ocpp1.6', { clock });
  await station.connect();
  const frames = frames16(world, station);
  const transaction = await frames.start(1_000);
  await frames.status('Charging');
  await frames.meter(transaction, { power: 7_000, energy: 1_000 });
  await setCurrent(world, 10);
  station.answers.TriggerMessage = () => {
    setImmediate(() => void frames.meter(transaction, { power: 3 }));
    return { status: 'Accepted' };
  };
  const pausing = setCurrent(world, 0);
  await until('the pause was sent', () => limits(station).includes('0'));
  await until('nothing flows', async () => {
    clock.turn(100);
    return (await chargerState(world))[0] === false;
  });
  await pausing;
  assert.ok(clock.now() < turnedClock().now() + 5_000, 'it does not wait for the whole time limit');
  assert.deepEqual(await chargerState(world), [false, 0, 1_000]);
  assert.deepEqual(station.calls('TriggerMessage'), [{ requestedMessage: 'MeterValues', connectorId: 1 }]);

  await command(world, 'start_charge');
  assert.equal(limits(station).at(-2), '10');
  assert.deepEqual(station.calls('RemoteStartTransaction'), []);
  assert.deepEqual((await chargerState(world)).slice(0, 2), [true, null]);
});

test('a pause that the station does not confirm does not wait for the whole time limit', async (t) => {
  const clock = turnedClock();
  const { world, station } = await bare(t, 'ocpp1.6', { clock });
  await station.connect();
  const frames = frames16(world, station);
  await frames.start(0);
  await frames.status('Charging');
  const started = clock.now();
  let paused = false;
  const pausing = setCurrent(world, 0).then(() => {
    paused = true;
  });
  await until('it is paused', () => {
    clock.turn(50);
    return paused;
  });
  await pausing;
  assert.ok(clock.now() - started < world.options.settleMs, `${clock.now() - started} ms`);
});

test('2.0.1: a start ends our pause when the plug only reports Occupied', async (t) => {
  const { world, station } = await bare(t, 'ocpp2.0.1', { options: { settleMs: 50 } });
  await station.connect();
  const frames = frames201(world, station);
  await frames.status('Occupied');
  await frames.started('tx', { card: 'C' });
  await setCurrent(world, 8);
  await setCurrent(world, 0);
  await frames.updated('tx', { power: 0 });
  await command(world, 'start_charge');
  assert.equal(limits(station).at(-1), '8');
  assert.deepEqual(station.calls('RequestStartTransaction'), []);
});

test('2.0.1: no second transaction is requested while one runs', async (t) => {
  const { world, station } = await bare(t, 'ocpp2.0.1', { options: { settleMs: 50 } });
  await station.connect();
  const frames = frames201(world, station);
  await frames.status('Occupied');
  await frames.started('tx', { card: 'C' });
  await command(world, 'start_charge');
  await frames.updated('tx', { info: { chargingState: 'SuspendedEV' } });
  await command(world, 'start_charge');
  assert.deepEqual(station.received, []);
});

test('2.0.1: a transaction that began with the cable waits for a card, and a start counts as one', async (t) => {
  const { world, station } = await bare(t, 'ocpp2.0.1', { options: { settleMs: 50 } });
  await station.connect();
  const frames = frames201(world, station);
  await frames.started('tx', { info: { chargingState: 'EVConnected' } });
  await command(world, 'start_charge');
  assert.equal(station.calls('RequestStartTransaction').length, 1);
  const { remoteStartId } = station.calls('RequestStartTransaction')[0] ?? {};
  await frames.updated('tx', { info: { chargingState: 'EVConnected', remoteStartId } });
  assert.equal(world.link.starts[0]?.idTag, world.options.idTag);
  await command(world, 'start_charge');
  assert.equal(station.calls('RequestStartTransaction').length, 1);
});

for (const protocol of ['ocpp1.6', 'ocpp2.0.1'] as const) {
  test(`${protocol}: after a pause without a transaction the previous limit applies`, async (t) => {
    const { world, station } = await bare(t, protocol, { options: { settleMs: 50 } });
    await station.connect();
    await setCurrent(world, 10);
    await setCurrent(world, 0);
    await station.disconnect();
    await world.restart();
    await station.connect();
    await command(world, 'start_charge');
    assert.deepEqual(limits(station), ['10', '0', '10']);
  });

  test(`${protocol}: after a pause without a previous limit there is none`, async (t) => {
    const { world, station } = await bare(t, protocol, { options: { settleMs: 50 } });
    await station.connect();
    await setCurrent(world, 0);
    await command(world, 'start_charge');
    assert.deepEqual(limits(station), ['0']);
    const name = protocol === 'ocpp1.6' ? 'id' : 'chargingProfileId';
    assert.deepEqual(station.calls('ClearChargingProfile'), [{ [name]: 11 }]);
    assert.equal((await world.read()).limit_a, null);
    assert.deepEqual(station.received.at(-1)?.action.endsWith('StartTransaction'), true);
  });

  test(`${protocol}: a station that cannot clear a limit gets the maximum instead`, async (t) => {
    const { world, station } = await bare(t, protocol, { options: { settleMs: 50 } });
    await station.connect();
    delete station.answers.ClearChargingProfile;
    await setCurrent(world, 0);
    await command(world, 'start_charge');
    assert.deepEqual(limits(station), ['0', '32']);
  });

  test(`${protocol}: our limit is sent again, once, after a boot`, async (t) => {
    const { world, station } = await bare(t, protocol, { options: { settleMs: 50 } });
    await station.connect();
    const { boot } = (protocol === 'ocpp1.6' ? frames16 : frames201)(world, station);
    const asked = () => station.received.filter(({ action }) => action.startsWith('Get')).length;
    await boot();
    await until('the configuration was requested', () => asked() === 1);
    await setCurrent(world, 8);
    await station.disconnect();
    await station.connect();
    await boot();
    await until('the limit was sent again', () => limits(station).length === 2);
    await station.disconnect();
    await station.connect();
    await setCurrent(world, 9);
    assert.deepEqual(limits(station), ['8', '8', '9']);
  });
}

test('a pause of the running transaction survives a reconnect and a restart of the service', async (t) => {
  const { world, station } = await bare(t, 'ocpp1.6', { options: { settleMs: 50 } });
  await station.connect();
  const frames = frames16(world, station);
  const transaction = await frames.start(0);
  await frames.status('Charging');
  await setCurrent(world, 12);
  await setCurrent(world, 0);
  await station.disconnect();
  await world.restart();
  await station.connect();
  await frames.meter(transaction, { power: 0 });
  assert.deepEqual((await chargerState(world)).slice(0, 2), [false, 0]);
  await command(world, 'start_charge');
  assert.equal(limits(station).at(-1), '12');
});
