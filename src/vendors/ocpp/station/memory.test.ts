import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turnedClock } from '../../../core/clock.ts';
import { bare } from '../test-bare-station.ts';
import { chargerState, frames16, frames201, reconnect } from '../test-frames.ts';
import { until, type World } from '../test-world.ts';
import { statusOf } from '../translate.ts';

const FRAMES = { 'ocpp1.6': frames16, 'ocpp2.0.1': frames201 } as const;
/** The status that a station of either protocol reports while a car is plugged in and not charging. */
const PLUGGED = { 'ocpp1.6': 'Preparing', 'ocpp2.0.1': 'Occupied' } as const;

/** The last state of the charger that was published to the platform. */
const observed = (world: World) => world.link.observed.at(-1)?.raw;

for (const protocol of ['ocpp1.6', 'ocpp2.0.1'] as const) {
  for (const restarts of [false, true]) {
    const event = restarts ? 'a restart of the service' : 'a lost connection';

    test(`${protocol}: a waiting car is reported after ${event}, with the time of its last status`, async (t) => {
      const clock = turnedClock();
      const { world, station } = await bare(t, protocol, { clock });
      await station.connect();
      const frames = FRAMES[protocol](world, station);
      await frames.status(PLUGGED[protocol]);
      const reportedAt = clock.now();
      clock.turn(600_000);
      await reconnect(world, station, restarts);
      const state = { online: true, connected: true, charging: false, operation_state: PLUGGED[protocol] };
      const raw = await world.read();
      assert.deepEqual(statusOf(raw), state);
      assert.equal(raw.at, reportedAt);
      assert.deepEqual(observed(world), raw, 'it is published to the platform');
      await frames.status('Available');
      const now = await world.read();
      assert.deepEqual(statusOf(now), { ...state, connected: false, operation_state: 'Available' });
      assert.equal(now.at, clock.now());
    });

    test(`${protocol}: after an end that left the status Charging nothing charges, also after ${event}`, async (t) => {
      const { world, station } = await bare(t, protocol);
      await station.connect();
      if (protocol === 'ocpp1.6') {
        const frames = frames16(world, station);
        const transaction = await frames.start(0, { at: -60 });
        await frames.status('Charging', -60);
        await frames.meter(transaction, { power: 5_520, energy: 40 }, -30);
        await frames.stop(transaction, 50, -20);
      } else {
        const frames = frames201(world, station);
        await frames.status('Occupied', -60);
        await frames.started('tx', { at: -60, card: 'C', energy: 0, info: { chargingState: 'Charging' } });
        await frames.updated('tx', { at: -30, power: 5_520, energy: 40 });
        await frames.ended('tx', { at: -20, energy: 50 });
      }
      const before = await chargerState(world);
      assert.deepEqual(before, [false, 0, 50]);
      await reconnect(world, station, restarts);
      assert.deepEqual(await chargerState(world), before);
    });
  }
}

test('a measurement counts as a report: the state has the time of the reading', async (t) => {
  const clock = turnedClock();
  const { world, station } = await bare(t, 'ocpp1.6', { clock });
  await station.connect();
  const frames = frames16(world, station);
  await frames.status('Preparing');
  clock.turn(60_000);
  await frames.meter(null, { energy: 1_000 });
  const reportedAt = clock.now();
  clock.turn(600_000);
  await reconnect(world, station, true);
  assert.equal((await world.read()).at, reportedAt);
});

test('a sample alone does not write the stored state of a connector', async (t) => {
  const { world, station } = await bare(t, 'ocpp1.6');
  await station.connect();
  const frames = frames16(world, station);
  await frames.status('Preparing');
  await frames.meter(null, { power: 4, energy: 1_000 }, 1);
  const kept = world.link.documents.get('connectors');
  assert.ok(kept !== undefined);
  await frames.meter(null, { power: 5, energy: 1_001 }, 2);
  // The host stores a copy each time, so the same object means that nothing was written.
  assert.equal(world.link.documents.get('connectors'), kept);
});

test('2.0.1: the EVSE keeps the status of the plug in use until a boot reports every plug again', async (t) => {
  const { world, station } = await bare(t, 'ocpp2.0.1');
  await station.connect();
  const frames = frames201(world, station);
  const plug = (connectorId: number, status: string) => frames.status(status, 0, connectorId);
  await plug(1, 'Occupied');
  await plug(2, 'Available');
  await reconnect(world, station, true);
  await plug(2, 'Available');
  assert.equal((await world.read()).word, 'Occupied');
  await frames.boot();
  await plug(2, 'Available');
  assert.equal((await world.read()).word, 'Available');
});

test('2.0.1: the status of every plug is requested again after a reconnect', async (t) => {
  const clock = turnedClock();
  const { world, station } = await bare(t, 'ocpp2.0.1', { clock });
  station.answers.TriggerMessage = { status: 'Accepted' };
  await station.connect();
  const frames = frames201(world, station);
  await frames.status('Occupied', 0, 1);
  await frames.status('Available', 0, 2);
  await reconnect(world, station, false);
  clock.turn(world.options.bootMs);
  const asked = (message: string) =>
    station.calls('TriggerMessage').filter(({ requestedMessage }) => requestedMessage === message);
  await until('a measurement was requested', () => asked('MeterValues').length > 0);
  assert.deepEqual(
    asked('StatusNotification')
      .map(({ evse }) => evse)
      .slice(0, 2),
    [
      { id: 1, connectorId: 1 },
      { id: 1, connectorId: 2 },
    ],
  );
});

test('the status of an earlier connection does not begin a transaction that was never started', async (t) => {
  const { world, station } = await bare(t, 'ocpp1.6');
  await station.connect();
  const frames = frames16(world, station);
  await frames.status('Charging', -5);
  await reconnect(world, station, false);
  await frames.meter(77, { energy: 500 }, -4);
  assert.equal((await world.read()).in_transaction, false);
  await frames.status('Charging', -3);
  await frames.meter(77, { energy: 600 }, -2);
  assert.equal((await world.read()).in_transaction, true);
});
