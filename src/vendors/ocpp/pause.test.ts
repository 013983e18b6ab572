import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turnedClock } from '../../core/clock.ts';
import { type BareStation, bare } from './test-bare-station.ts';
import { frames16, frames201, shown } from './test-frames.ts';
import { command, setCurrent } from './test-settled-station.ts';
import { until } from './test-world.ts';

/** Ampere of the profiles that were laid, in order. */
const limits = (station: BareStation): unknown[] =>
  station.calls('SetChargingProfile').map((params) => /"limit":(\d+)/.exec(JSON.stringify(params))?.[1]);

test('1.6: a station that goes on saying Charging is paused, and a start lifts the pause', async (t) => {
  const clock = turnedClock();
  const { world, station } = await bare(t, 'ocpp1.6', { clock });
  await station.connect();
  const tells = frames16(world, station);
  const transaction = await tells.start(1_000);
  await tells.status('Charging');
  await tells.meter(transaction, { power: 7_000, energy: 1_000 });
  await setCurrent(world, 10);
  station.answers.TriggerMessage = () => {
    setImmediate(() => void tells.meter(transaction, { power: 3 }));
    return { status: 'Accepted' };
  };
  const pausing = setCurrent(world, 0);
  await until('the pause was laid', () => limits(station).includes('0'));
  await until('nothing flows', async () => {
    clock.turn(100);
    return (await shown(world))[0] === false;
  });
  await pausing;
  assert.ok(clock.now() < turnedClock().now() + 5_000, 'it does not wait its whole time');
  assert.deepEqual(await shown(world), [false, 0, 1_000]);
  assert.deepEqual(station.calls('TriggerMessage'), [{ requestedMessage: 'MeterValues', connectorId: 1 }]);

  await command(world, 'start_charge');
  assert.equal(limits(station).at(-2), '10');
  assert.deepEqual(station.calls('RemoteStartTransaction'), []);
  assert.deepEqual((await shown(world)).slice(0, 2), [true, null]);
});

test('a pause of a station that tells nothing of it does not wait its whole time', async (t) => {
  const clock = turnedClock();
  const { world, station } = await bare(t, 'ocpp1.6', { clock });
  await station.connect();
  const tells = frames16(world, station);
  await tells.start(0);
  await tells.status('Charging');
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

test('2.0.1: a start lifts our pause where the plug says no more than Occupied', async (t) => {
  const { world, station } = await bare(t, 'ocpp2.0.1', { options: { settleMs: 50 } });
  await station.connect();
  const tells = frames201(world, station);
  await tells.status('Occupied');
  await tells.started('tx', { card: 'C' });
  await setCurrent(world, 8);
  await setCurrent(world, 0);
  await tells.updated('tx', { power: 0 });
  await command(world, 'start_charge');
  assert.equal(limits(station).at(-1), '8');
  assert.deepEqual(station.calls('RequestStartTransaction'), []);
});

test('2.0.1: no second transaction is asked for while one runs', async (t) => {
  const { world, station } = await bare(t, 'ocpp2.0.1', { options: { settleMs: 50 } });
  await station.connect();
  const tells = frames201(world, station);
  await tells.status('Occupied');
  await tells.started('tx', { card: 'C' });
  await command(world, 'start_charge');
  await tells.updated('tx', { info: { chargingState: 'SuspendedEV' } });
  await command(world, 'start_charge');
  assert.deepEqual(station.received, []);
});

test('2.0.1: a transaction that began with the cable waits for a card, and a start is one', async (t) => {
  const { world, station } = await bare(t, 'ocpp2.0.1', { options: { settleMs: 50 } });
  await station.connect();
  const tells = frames201(world, station);
  await tells.started('tx', { info: { chargingState: 'EVConnected' } });
  await command(world, 'start_charge');
  assert.equal(station.calls('RequestStartTransaction').length, 1);
  const { remoteStartId } = station.calls('RequestStartTransaction')[0] ?? {};
  await tells.updated('tx', { info: { chargingState: 'EVConnected', remoteStartId } });
  assert.equal(world.link.starts[0]?.idTag, world.options.idTag);
  await command(world, 'start_charge');
  assert.equal(station.calls('RequestStartTransaction').length, 1);
});

for (const protocol of ['ocpp1.6', 'ocpp2.0.1'] as const) {
  test(`${protocol}: a pause without a transaction ends at the limit before it`, async (t) => {
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

  test(`${protocol}: a pause before which there was no limit ends without one`, async (t) => {
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

  test(`${protocol}: a station that cannot clear a limit gets one that limits nothing`, async (t) => {
    const { world, station } = await bare(t, protocol, { options: { settleMs: 50 } });
    await station.connect();
    delete station.answers.ClearChargingProfile;
    await setCurrent(world, 0);
    await command(world, 'start_charge');
    assert.deepEqual(limits(station), ['0', '32']);
  });

  test(`${protocol}: a limit of ours is laid again once after a boot`, async (t) => {
    const { world, station } = await bare(t, protocol, { options: { settleMs: 50 } });
    await station.connect();
    const { boot } = (protocol === 'ocpp1.6' ? frames16 : frames201)(world, station);
    const asked = () => station.received.filter(({ action }) => action.startsWith('Get')).length;
    await boot();
    await until('it was asked', () => asked() === 1);
    await setCurrent(world, 8);
    await station.disconnect();
    await station.connect();
    await boot();
    await until('it was laid again', () => limits(station).length === 2);
    await station.disconnect();
    await station.connect();
    await setCurrent(world, 9);
    assert.deepEqual(limits(station), ['8', '8', '9']);
  });
}

test('a pause of the running transaction outlives the connection and the service', async (t) => {
  const { world, station } = await bare(t, 'ocpp1.6', { options: { settleMs: 50 } });
  await station.connect();
  const tells = frames16(world, station);
  const transaction = await tells.start(0);
  await tells.status('Charging');
  await setCurrent(world, 12);
  await setCurrent(world, 0);
  await station.disconnect();
  await world.restart();
  await station.connect();
  await tells.meter(transaction, { power: 0 });
  assert.deepEqual((await shown(world)).slice(0, 2), [false, 0]);
  await command(world, 'start_charge');
  assert.equal(limits(station).at(-1), '12');
});
