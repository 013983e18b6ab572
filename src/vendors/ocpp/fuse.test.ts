import assert from 'node:assert/strict';
import { test } from 'node:test';
import { send } from '../../adapter/adapters.ts';
import { NeedsUser, saidByReading } from '../../adapter/interventions.ts';
import { turnedClock } from '../../core/clock.ts';
import { charger } from './charger.ts';
import type { Quirks } from './simulator/simulated-plug.ts';
import type { SimulatedStation } from './simulator/simulator.ts';
import { shareOf } from './station/fuse.ts';
import { operations } from './station/operations.ts';
import { command, IDENTITY, type Installed, KEY, PASSWORD, settle, until, type World } from './test-world.ts';

const WHOLE = { 'ocpp1.6': 'ChargePointMaxProfile', 'ocpp2.0.1': 'ChargingStationMaxProfile' } as const;

const heldBy = async (world: World) => (await world.read()).held_by ?? null;
const maxOf = async (world: World, connector = 1) => charger.limits?.(await world.read(connector)).max_a;
const set = (world: World, current_a: number, connector = 1) =>
  send(charger, world.session(), world.device(connector), { type: 'set_current', current_a });
const installation = async (world: World) =>
  (await operations.describe(world.session(), world.device())).installation;

/** Links the station with other credentials, as its owner does, and lets it connect again. */
async function relink(world: World, station: SimulatedStation, credentials: Installed) {
  await world.host.link(KEY, { identity: IDENTITY, password: PASSWORD, ...credentials });
  const left = new Promise<void>((resolve) => station.rpc.once('close', () => resolve()));
  world.server.drop(KEY, 'credentials_changed');
  await left;
  await station.connect();
}

test('connectors share a fuse by whole amperes, and the first ones get what is too little for all', () => {
  const shares = (most: number, count: number) =>
    Array.from({ length: count }, (_, place) => shareOf(most, { place, count }));
  assert.deepEqual(shares(20, 1), [20]);
  assert.deepEqual(shares(25, 2), [12, 12]);
  assert.deepEqual(shares(11, 2), [11, 0]);
  assert.deepEqual(shares(16, 3), [8, 8, 0]);
});

for (const protocol of ['ocpp1.6', 'ocpp2.0.1'] as const) {
  const refuses: Quirks = { rejects: [WHOLE[protocol]] };

  test(`${protocol}: a station that holds its fuse as a whole says so`, async (t) => {
    const { world } = await settle(t, { station: { protocol }, credentials: { installation_max_a: 13 } });
    await until('the limit was sent', async () => (await heldBy(world)) === 'station');
    assert.deepEqual(await installation(world), {
      max_a: 13,
      fallback_a: null,
      held_by: 'station',
      refusal: null,
    });
  });

  test(`${protocol}: a fuse that a station refuses as a whole is held by its connector, also for a car that charges`, async (t) => {
    const clock = turnedClock();
    const { world, station } = await settle(t, { station: { protocol, quirks: refuses }, clock });
    await station.plugIn();
    await command(world, 'start_charge');
    await station.idle();
    assert.equal(station.plug(1).amperes, 16);
    await relink(world, station, { installation_max_a: 13 });
    await until('the connector holds it', async () => (await heldBy(world)) === 'connectors');
    assert.equal(station.plug(1).amperes, 13);
    const { held_by, refusal } = await installation(world);
    assert.deepEqual([held_by, refusal], ['connectors', 'Rejected']);
    await assert.rejects(set(world, 14), { code: 'command.out_of_range', message: /at most 13 A/ });
    await set(world, 8);
    assert.equal(station.plug(1).amperes, 8);
    await set(world, 0);
    await command(world, 'start_charge');
    assert.equal(station.plug(1).amperes, 8);
    await operations.operate(world.session(), world.device(), { type: 'clear_limits' });
    assert.equal(station.plug(1).amperes, 13);
    station.end(station.plug(1), 'Local');
    await station.idle();
    station.begin(station.plug(1), 'CARD');
    await station.idle();
    assert.equal(station.plug(1).amperes, 13, 'the next car too');
    await relink(world, station, {});
    await until('nothing limits it', () => station.plug(1).amperes === 16);
    assert.equal(await heldBy(world), null);
  });

  test(`${protocol}: two connectors share a fuse that the station refuses as a whole`, async (t) => {
    const { world, station } = await settle(t, {
      station: { protocol, quirks: refuses, connectors: 2 },
      credentials: { installation_max_a: 20 },
    });
    await until('the connectors hold it', async () => (await heldBy(world)) === 'connectors');
    assert.deepEqual([await maxOf(world, 1), await maxOf(world, 2)], [10, 10]);
    for (const number of [1, 2]) {
      await station.plugIn(number);
      await command(world, 'start_charge', number);
      await assert.rejects(set(world, 20, number), { code: 'command.out_of_range' });
    }
    await station.idle();
    assert.deepEqual([station.plug(1).amperes, station.plug(2).amperes], [10, 10]);
    await set(world, 7, 2);
    await world.restart();
    for (const plug of station.plugs) plug.limits.clear();
    await station.connect();
    await until('the shares are sent again', () => station.plug(2).amperes === 7);
    await station.idle();
    assert.deepEqual([station.plug(1).amperes, station.plug(2).amperes], [10, 7], 'with our own limits');
  });

  test(`${protocol}: a pause that ends without an earlier limit ends at the share of the connector`, async (t) => {
    const { world, station } = await settle(t, {
      station: { protocol, quirks: refuses },
      credentials: { installation_max_a: 13 },
    });
    await until('the connector holds it', async () => (await heldBy(world)) === 'connectors');
    await station.plugIn();
    await set(world, 0);
    await command(world, 'start_charge');
    await station.idle();
    assert.equal(station.plug(1).amperes, 13);
  });

  test(`${protocol}: a station that holds its fuse as a whole from now on ends the shares of its connectors`, async (t) => {
    const quirks: { rejects: string[] } = { rejects: [WHOLE[protocol]] };
    const { world, station } = await settle(t, {
      station: { protocol, quirks, connectors: 2 },
      credentials: { installation_max_a: 20 },
    });
    await until('the connectors hold it', async () => (await heldBy(world)) === 'connectors');
    quirks.rejects = [];
    station.boot();
    await until('the station holds it', async () => (await heldBy(world)) === 'station');
    await station.plugIn();
    await command(world, 'start_charge');
    await station.idle();
    assert.equal(station.plug(1).amperes, 16);
  });

  test(`${protocol}: a fuse that nothing holds is for the user to set in the charger, and no charge is started until then`, async (t) => {
    const quirks: { rejects: string[] } = { rejects: ['SetChargingProfile'] };
    const { world, station } = await settle(t, {
      station: { protocol, quirks },
      credentials: { installation_max_a: 13 },
    });
    const said = async () => saidByReading(charger, await world.read()).get('protect_fuse');
    await until('the user has to do it', async () => (await said()) === true);
    assert.equal(saidByReading(charger, world.link.observed.at(-1)?.raw).get('protect_fuse'), true);
    assert.equal((await installation(world)).held_by, 'nobody');
    await station.plugIn();
    await assert.rejects(
      command(world, 'start_charge'),
      (error) => error instanceof NeedsUser && error.intervention === 'protect_fuse',
    );
    assert.equal(station.plug(1).transaction, null);
    await station.disconnect();
    assert.equal((await installation(world)).held_by, 'nobody', 'also while it is away');
    await station.connect();
    quirks.rejects = [];
    station.boot();
    await until('it is done', async () => (await said()) === false);
    await command(world, 'start_charge');
    assert.notEqual(station.plug(1).transaction, null);
  });

  test(`${protocol}: a station that does not respond to the limit of the whole station has its fuse held by its connector`, async (t) => {
    const clock = turnedClock();
    const { world } = await settle(t, {
      station: { protocol, quirks: { hangs: [WHOLE[protocol]] } },
      options: { callTimeoutMs: 200 },
      clock,
      credentials: { installation_max_a: 13 },
    });
    await until('the connector holds it', async () => (await heldBy(world)) === 'connectors');
  });
}
