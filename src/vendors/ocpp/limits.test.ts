import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { turnedClock } from '../../core/clock.ts';
import { charger } from './charger.ts';
import { limitNow } from './connector.ts';
import { type Credentials, checkInstallation } from './credentials.ts';
import type { Quirks } from './simulated-options.ts';
import type { SimulatedStation } from './simulator.ts';
import { Station } from './station.ts';
import { command, setCurrent, settle } from './test-settled-station.ts';
import { IDENTITY, type Installed, KEY, PASSWORD, until, type World } from './test-world.ts';

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

test('refuses an installation in which no car could charge', () => {
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
