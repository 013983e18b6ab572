import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { rfc3339, turnedClock } from '../../core/clock.ts';
import { charger } from './charger.ts';
import { type Credentials, checkInstallation } from './credentials.ts';
import type { Quirks } from './simulator/simulated-plug.ts';
import type { SimulatedStation } from './simulator/simulator.ts';
import { limitNow } from './station/connector.ts';
import { operations } from './station/operations.ts';
import { Station } from './station/station.ts';
import { type BareStation, bare } from './test-bare-station.ts';
import { chargerState, frames16, frames201 } from './test-frames.ts';
import {
  command,
  IDENTITY,
  type Installed,
  KEY,
  PASSWORD,
  setCurrent,
  settle,
  until,
  type World,
} from './test-world.ts';

const PROTOCOLS = ['ocpp1.6', 'ocpp2.0.1'] as const;
type Protocol = (typeof PROTOCOLS)[number];

interface Period {
  readonly startPeriod: number;
  readonly limit: number;
}
interface Profile {
  readonly chargingProfilePurpose: string;
  readonly chargingSchedule: { readonly chargingSchedulePeriod: readonly Period[] };
}

/** The charging profiles that the station received, in order; 2.0.1 has a list of schedules. */
function profilesOf(
  station: SimulatedStation,
): { purpose: string; on: unknown; periods: readonly Period[] }[] {
  return station.received
    .filter(({ action }) => action === 'SetChargingProfile')
    .map(({ params }) => {
      const { csChargingProfiles, chargingProfile, connectorId, evseId } = params as Record<string, unknown>;
      const profile = (csChargingProfiles ?? chargingProfile) as Profile;
      const schedule = [profile.chargingSchedule].flat()[0];
      return {
        purpose: profile.chargingProfilePurpose,
        on: connectorId ?? evseId,
        periods: schedule?.chargingSchedulePeriod ?? [],
      };
    });
}

/** A station that charges at 16 A, on a clock that the test advances. */
async function charging(
  t: TestContext,
  {
    protocol,
    credentials = {},
    quirks = {},
  }: { protocol: Protocol; credentials?: Installed; quirks?: Quirks },
) {
  const clock = turnedClock();
  const setting = await settle(t, { station: { protocol, quirks }, clock, credentials });
  await setting.station.plugIn();
  await command(setting.world, 'start_charge');
  await setting.station.idle();
  return { ...setting, clock };
}

function currentLimit(world: World, now: number): number | null {
  const station = world.server.station(KEY);
  assert.ok(station instanceof Station);
  const [connector] = station.connectors();
  assert.ok(connector !== undefined);
  return limitNow(connector, now);
}

for (const protocol of PROTOCOLS) {
  test(`${protocol}: a limit with an end is one schedule of two periods, and ends without a connection`, async (t) => {
    const { world, station, clock } = await charging(t, { protocol });
    await setCurrent(world, 8, { for_seconds: 600, then_current_a: 12 });
    const sent = profilesOf(station);
    assert.deepEqual(
      sent.map(({ purpose, periods }) => [purpose, periods]),
      ['TxProfile', 'TxDefaultProfile'].map((purpose) => [
        purpose,
        [
          { startPeriod: 0, limit: 8 },
          // It starts a minute in the past, so that a station whose clock lags applies it at once.
          { startPeriod: 660, limit: 12 },
        ],
      ]),
    );
    assert.equal(station.plug(1).amperes, 8);
    await station.disconnect();
    clock.turn(599_000);
    assert.equal(station.plug(1).amperes, 8);
    clock.turn(1_000);
    assert.equal(station.plug(1).amperes, 12);
  });

  test(`${protocol}: the limit in force is restored after a restart, also when it has ended since`, async (t) => {
    const { world, station, clock } = await charging(t, { protocol });
    await setCurrent(world, 0, { for_seconds: 600, then_current_a: 10 });
    await world.restart();
    await station.connect({ boots: false });
    assert.equal(currentLimit(world, clock.now()), 0);
    clock.turn(600_000);
    assert.equal(currentLimit(world, clock.now()), 10);
    await setCurrent(world, 9, { for_seconds: 600, then_current_a: 11 });
    await station.disconnect();
    await world.restart();
    clock.turn(600_000);
    await station.connect({ boots: false });
    assert.equal(currentLimit(world, clock.now()), 11);
    assert.equal(station.plug(1).amperes, 11);
  });

  test(`${protocol}: after the end the fallback of the link applies, else the maximum`, async (t) => {
    const fallen = await charging(t, { protocol, credentials: { fallback_a: 7 } });
    await setCurrent(fallen.world, 10, { for_seconds: 60 });
    fallen.clock.turn(60_000);
    assert.equal(fallen.station.plug(1).amperes, 7);
    const free = await charging(t, { protocol, credentials: { installation_max_a: 13 } });
    await setCurrent(free.world, 10, { for_seconds: 60 });
    assert.equal(profilesOf(free.station).at(-1)?.periods.at(-1)?.limit, 13);
  });

  test(`${protocol}: a limit in watts ends too`, async (t) => {
    const { world, station, clock } = await charging(t, { protocol, quirks: { wattsOnly: true } });
    await setCurrent(world, 8, { for_seconds: 60, then_current_a: 6 });
    assert.equal(station.plug(1).amperes, 8);
    clock.turn(60_000);
    assert.equal(station.plug(1).amperes, 6);
  });

  test(`${protocol}: a station with one period gets no limit with an end`, async (t) => {
    const { world, station } = await charging(t, { protocol, quirks: { onePeriod: true } });
    await assert.rejects(setCurrent(world, 8, { for_seconds: 60 }), {
      code: 'command.time_unsupported',
      message: /one period only.*omit for_seconds/,
    });
    assert.deepEqual(profilesOf(station), []);
    await setCurrent(world, 8);
    assert.equal(station.plug(1).amperes, 8);
  });

  test(`${protocol}: the installation's limit is sent after each boot, and when it changes`, async (t) => {
    const purpose = protocol === 'ocpp1.6' ? 'ChargePointMaxProfile' : 'ChargingStationMaxProfile';
    const { world, station } = await settle(t, {
      station: { protocol },
      credentials: { installation_max_a: 10 },
    });
    const fuseProfiles = () => profilesOf(station).filter((profile) => profile.purpose === purpose);
    await until('the limit was sent', () => fuseProfiles().length === 1);
    assert.deepEqual(fuseProfiles()[0], { purpose, on: 0, periods: [{ startPeriod: 0, limit: 10 }] });
    station.boot();
    await until('the limit was sent again', () => fuseProfiles().length === 2);
    await station.plugIn();
    await command(world, 'start_charge');
    assert.equal(station.plug(1).amperes, 10);
    assert.equal(charger.limits?.(await world.read()).max_a, 10);

    const again = async (credentials: Installed) => {
      await world.host.link(KEY, { identity: IDENTITY, password: PASSWORD, ...credentials });
      const left = new Promise<void>((resolve) => station.rpc.once('close', () => resolve()));
      world.server.drop(KEY, 'credentials_changed');
      await left;
      await station.connect({ boots: false });
    };
    await again({ installation_max_a: 8 });
    await until('another limit was sent', () => fuseProfiles().at(-1)?.periods[0]?.limit === 8);
    await again({});
    await until('the limit was removed', () =>
      station.received.some(({ action }) => action === 'ClearChargingProfile'),
    );
    await until('it charges at full current', () => station.plug(1).amperes === 16);
  });

  test(`${protocol}: the installation's limit and one on the whole station share a profile with the lower value`, async (t) => {
    const whole = protocol === 'ocpp1.6' ? 'ChargePointMaxProfile' : 'ChargingStationMaxProfile';
    const quirks = { notImplemented: ['TxProfile', 'TxDefaultProfile'] };
    const { world, station } = await settle(t, {
      station: { protocol, quirks },
      credentials: { installation_max_a: 12 },
    });
    await until('the limit was sent', () => profilesOf(station).length === 1);
    await station.plugIn();
    await command(world, 'start_charge');
    await setCurrent(world, 8);
    assert.equal(station.plug(1).amperes, 8);
    const before = station.received.length;
    station.boot();
    await until('the limit was sent again', () =>
      station.received.slice(before).some(({ action }) => action === 'SetChargingProfile'),
    );
    assert.equal(profilesOf(station).at(-1)?.purpose, whole);
    assert.equal(station.plug(1).amperes, 8);
  });
}

for (const protocol of PROTOCOLS) {
  test(`${protocol}: the range of a limit, the limit in force and the room that is left are shown`, async (t) => {
    const { world, clock } = await charging(t, { protocol, credentials: { installation_max_a: 20 } });
    const shown = async () => {
      const raw = await world.read();
      const { limit } = await operations.describe(world.session(), world.device());
      return [
        charger.limits?.(raw).max_a,
        charger.availableCapacity?.(raw).current_a,
        limit?.current_a ?? null,
      ];
    };
    assert.deepEqual(await shown(), [20, 4, null], 'the car takes 16 A');
    await setCurrent(world, 10, { for_seconds: 600, then_current_a: 12 });
    await until('the car follows', async () => (await shown())[1] === 10);
    assert.deepEqual(await shown(), [20, 10, 10]);
    const { limit } = await operations.describe(world.session(), world.device());
    assert.deepEqual([limit?.ends_at, limit?.then_current_a], [rfc3339(clock.now() + 600_000), 12]);
    clock.turn(600_000);
    assert.equal((await shown())[2], 12);
  });

  test(`${protocol}: what one connector takes of a common fuse is missing to the other`, async (t) => {
    const { world, station } = await settle(t, {
      station: { protocol, connectors: 2 },
      credentials: { installation_max_a: 25 },
    });
    const room = async (connector: number) =>
      charger.availableCapacity?.(await world.read(connector)).current_a;
    await until('both are idle', async () => (await room(2)) === 25);
    await station.plugIn(1);
    await command(world, 'start_charge', 1);
    await until('the first takes 16 A', async () => (await room(1)) === 9);
    assert.equal(await room(2), 9);
  });
}

test('the server refuses an installation in which no car could charge', () => {
  const base = { identity: 'CP-1', password: PASSWORD } satisfies Credentials;
  assert.throws(() => checkInstallation({ ...base, fallback_a: 3 }), {
    code: 'link.credentials_invalid',
    message: /fallback_a must be 0 \(pause\) or from 6, not 3/,
  });
  assert.throws(() => checkInstallation({ ...base, fallback_a: 16, installation_max_a: 10 }), {
    message: /no more than installation_max_a \(10\), not 16/,
  });
  assert.doesNotThrow(() => checkInstallation({ ...base, fallback_a: 0, installation_max_a: 10 }));
});

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
