import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turnedClock } from '../../core/clock.ts';
import { bare } from './test-bare-station.ts';
import { frames16, frames201, reconnect, shown } from './test-frames.ts';
import { until, type World } from './test-world.ts';
import { statusOf } from './translate.ts';

const FRAMES = { 'ocpp1.6': frames16, 'ocpp2.0.1': frames201 } as const;
/** What a station of either protocol says of a car that is plugged in and does not charge. */
const PLUGGED = { 'ocpp1.6': 'Preparing', 'ocpp2.0.1': 'Occupied' } as const;

/** What the platform was last told of the charger without asking. */
const observed = (world: World) => world.link.observed.at(-1)?.raw;

for (const protocol of ['ocpp1.6', 'ocpp2.0.1'] as const) {
  for (const restarts of [false, true]) {
    const event = restarts ? 'a restart of the service' : 'a lost line';

    test(`${protocol}: a car that waits is shown after ${event}, as old as the word of it`, async (t) => {
      const clock = turnedClock();
      const { world, station } = await bare(t, protocol, { clock });
      await station.connect();
      const tells = FRAMES[protocol](world, station);
      await tells.status(PLUGGED[protocol]);
      const told = clock.now();
      clock.turn(600_000);
      await reconnect(world, station, restarts);
      const state = { online: true, connected: true, charging: false, operation_state: PLUGGED[protocol] };
      const raw = await world.read();
      assert.deepEqual(statusOf(raw), state);
      assert.equal(raw.at, told);
      assert.deepEqual(observed(world), raw, 'the platform is told without being asked');
      await tells.status('Available');
      const now = await world.read();
      assert.deepEqual(statusOf(now), { ...state, connected: false, operation_state: 'Available' });
      assert.equal(now.at, clock.now());
    });

    test(`${protocol}: after an end that left the word Charging nothing charges, also after ${event}`, async (t) => {
      const { world, station } = await bare(t, protocol);
      await station.connect();
      if (protocol === 'ocpp1.6') {
        const tells = frames16(world, station);
        const transaction = await tells.start(0, { at: -60 });
        await tells.status('Charging', -60);
        await tells.meter(transaction, { power: 5_520, energy: 40 }, -30);
        await tells.stop(transaction, 50, -20);
      } else {
        const tells = frames201(world, station);
        await tells.status('Occupied', -60);
        await tells.started('tx', { at: -60, card: 'C', energy: 0, info: { chargingState: 'Charging' } });
        await tells.updated('tx', { at: -30, power: 5_520, energy: 40 });
        await tells.ended('tx', { at: -20, energy: 50 });
      }
      const before = await shown(world);
      assert.deepEqual(before, [false, 0, 50]);
      await reconnect(world, station, restarts);
      assert.deepEqual(await shown(world), before);
    });
  }
}

test('what is measured counts as told: the state of a reading is as old as the reading', async (t) => {
  const clock = turnedClock();
  const { world, station } = await bare(t, 'ocpp1.6', { clock });
  await station.connect();
  const tells = frames16(world, station);
  await tells.status('Preparing');
  clock.turn(60_000);
  await tells.meter(null, { energy: 1_000 });
  const told = clock.now();
  clock.turn(600_000);
  await reconnect(world, station, true);
  assert.equal((await world.read()).at, told);
});

test('a sample is no news: what is kept of a connector is not written for each', async (t) => {
  const { world, station } = await bare(t, 'ocpp1.6');
  await station.connect();
  const tells = frames16(world, station);
  await tells.status('Preparing');
  await tells.meter(null, { power: 4, energy: 1_000 }, 1);
  const kept = world.link.documents.get('connectors');
  assert.ok(kept !== undefined);
  await tells.meter(null, { power: 5, energy: 1_001 }, 2);
  // The host stores a copy each time: the same object has not been written again.
  assert.equal(world.link.documents.get('connectors'), kept);
});

test('2.0.1: the plug in use goes on speaking for its EVSE, until a boot tells of every plug anew', async (t) => {
  const { world, station } = await bare(t, 'ocpp2.0.1');
  await station.connect();
  const tells = frames201(world, station);
  const plug = (connectorId: number, status: string) => tells.status(status, 0, connectorId);
  await plug(1, 'Occupied');
  await plug(2, 'Available');
  await reconnect(world, station, true);
  await plug(2, 'Available');
  assert.equal((await world.read()).word, 'Occupied');
  await tells.boot();
  await plug(2, 'Available');
  assert.equal((await world.read()).word, 'Available');
});

test('2.0.1: a status of an earlier connection is asked for again, of every plug', async (t) => {
  const clock = turnedClock();
  const { world, station } = await bare(t, 'ocpp2.0.1', { clock });
  station.answers.TriggerMessage = { status: 'Accepted' };
  await station.connect();
  const tells = frames201(world, station);
  await tells.status('Occupied', 0, 1);
  await tells.status('Available', 0, 2);
  await reconnect(world, station, false);
  clock.turn(world.options.bootMs);
  const asked = (message: string) =>
    station.calls('TriggerMessage').filter(({ requestedMessage }) => requestedMessage === message);
  await until('it was asked to measure', () => asked('MeterValues').length > 0);
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

test('a word of an earlier connection begins no transaction that nobody saw begin', async (t) => {
  const { world, station } = await bare(t, 'ocpp1.6');
  await station.connect();
  const tells = frames16(world, station);
  await tells.status('Charging', -5);
  await reconnect(world, station, false);
  await tells.meter(77, { energy: 500 }, -4);
  assert.equal((await world.read()).in_transaction, false);
  await tells.status('Charging', -3);
  await tells.meter(77, { energy: 600 }, -2);
  assert.equal((await world.read()).in_transaction, true);
});
