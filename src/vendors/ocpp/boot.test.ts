import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type TurnedClock, turnedClock } from '../../core/clock.ts';
import { operations } from './station/operations.ts';
import { type BareStation, bare, type Protocol, refusal } from './test-bare-station.ts';
import { chargerState, frames16, frames201, reconnect } from './test-frames.ts';
import { command, IDENTITY, KEY, PASSWORD, until, type World } from './test-world.ts';

const PROTOCOLS = ['ocpp1.6', 'ocpp2.0.1'] as const;

/** The limit of an installation is the last that is sent to a station that has connected. */
const FUSED = { identity: IDENTITY, password: PASSWORD, installation_max_a: 16 };
const isSetUp = (station: BareStation) =>
  until('the limit of the installation', () => station.calls('SetChargingProfile').length > 0);

/** A car that charges at 7,360 W. */
async function charging(
  t: TestContext,
  protocol: Protocol,
  { bootMs = 60_000, clock = turnedClock() }: { bootMs?: number; clock?: TurnedClock } = {},
) {
  const { world, station } = await bare(t, protocol, { options: { settleMs: 50, bootMs }, clock });
  await world.host.link(KEY, FUSED);
  await station.connect();
  if (protocol === 'ocpp1.6') {
    const frames = frames16(world, station);
    const transaction = await frames.start(1_000);
    await frames.status('Charging');
    await frames.meter(transaction, { power: 7_360, energy: 1_100 });
  } else {
    const frames = frames201(world, station);
    await frames.status('Occupied');
    await frames.started('tx', { card: 'C', info: { chargingState: 'Charging' } });
    await frames.updated('tx', { power: 7_360, energy: 1_100 });
  }
  return { world, station, clock };
}

const boot = (protocol: Protocol, world: World, station: BareStation, reason?: string) =>
  protocol === 'ocpp1.6' ? frames16(world, station).boot() : frames201(world, station).boot(reason);

const trigger = (world: World) =>
  operations.operate(world.session(), world.device(), { type: 'trigger', message: 'BootNotification' });

const triggered = (station: BareStation) =>
  station.calls('TriggerMessage').map(({ requestedMessage }) => requestedMessage);

/** Requests for the configuration, of which each begins with one. */
const learned = (station: BareStation) =>
  station.received.filter(({ action }) => action === 'GetConfiguration' || action === 'GetVariables').length;

for (const protocol of PROTOCOLS) {
  test(`${protocol}: a station is not asked to boot while a car charges`, async (t) => {
    const { world, station, clock } = await charging(t, protocol);
    await reconnect(world, station, true);
    clock.turn(world.options.bootMs);
    await isSetUp(station);
    assert.ok(triggered(station).includes('MeterValues'));
    assert.ok(!triggered(station).includes('BootNotification'));
  });

  test(`${protocol}: a station that has said what it is is not asked again when it reconnects`, async (t) => {
    const clock = turnedClock();
    const { world, station } = await bare(t, protocol, { clock });
    await world.host.link(KEY, FUSED);
    await station.connect();
    clock.turn(world.options.bootMs);
    await until('an unknown station is asked', () => triggered(station).includes('BootNotification'));
    await boot(protocol, world, station);
    await until('it is known', () => world.link.documents.get('details') !== undefined);
    await reconnect(world, station, true);
    station.received.length = 0;
    clock.turn(world.options.bootMs);
    await isSetUp(station);
    assert.ok(triggered(station).includes('MeterValues'));
    assert.ok(!triggered(station).includes('BootNotification'));
  });

  test(`${protocol}: a boot that we asked for changes no state, and brings no second start`, async (t) => {
    const { world, station } = await charging(t, protocol);
    station.answers.TriggerMessage = { status: 'Accepted' };
    await trigger(world);
    const before = learned(station);
    const seen = world.link.observed.length;
    await boot(protocol, world, station);
    assert.deepEqual(await chargerState(world), [true, 7_360, 1_100]);
    await command(world, 'start_charge');
    assert.deepEqual(
      station.received.filter(({ action }) => action.endsWith('StartTransaction')),
      [],
    );
    assert.equal(learned(station), before, 'it is not configured again');
    assert.equal(world.link.observed.length, seen, 'nothing else was shown in between');
    await until('its name is stored', async () => {
      const view = await operations.describe(world.session(), world.device());
      return view.manufacturer === 'bare';
    });
  });

  test(`${protocol}: a boot long after our trigger, or after one that was refused, is a restart`, async (t) => {
    for (const { answer, waitMs } of [
      { answer: { status: 'Accepted' }, waitMs: 61_000 },
      { answer: { status: 'Rejected' }, waitMs: 0 },
      { answer: refusal('NotSupported'), waitMs: 0 },
    ]) {
      const { world, station, clock } = await charging(t, protocol, { bootMs: 600_000 });
      station.answers.TriggerMessage = answer;
      await trigger(world).catch(() => undefined);
      clock.turn(waitMs);
      const before = learned(station);
      await boot(protocol, world, station);
      assert.equal((await chargerState(world))[1], null);
      await until('it is configured again', () => learned(station) > before);
    }
  });
}

test('2.0.1: a boot with the reason Triggered is no restart, whoever asked for it', async (t) => {
  const { world, station } = await charging(t, 'ocpp2.0.1');
  await boot('ocpp2.0.1', world, station, 'Triggered');
  assert.deepEqual(await chargerState(world), [true, 7_360, 1_100]);
  assert.equal(learned(station), 0);
});
