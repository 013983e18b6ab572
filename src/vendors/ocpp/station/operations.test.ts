import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Cards, keepCards } from '../../../adapter/charging.ts';
import type { StationOperation } from '../../../adapter/station.ts';
import { turnedClock } from '../../../core/clock.ts';
import { METER_SECONDS } from '../options.ts';
import { bare } from '../test-bare-station.ts';
import { frames16, reconnect } from '../test-frames.ts';
import { charging, command, KEY, PASSWORD, setCurrent, settle, until, type World } from '../test-world.ts';
import { statusOf } from '../translate.ts';
import { nameOf, USED } from '../v201/setup201.ts';
import { operations } from './operations.ts';

const ask = (world: World, operation: StationOperation) =>
  operations.operate(world.session(), world.device(), operation);
const look = (world: World) => operations.describe(world.session(), world.device());

const SENT = {
  'ocpp1.6': {
    reset: { type: 'Hard' },
    unlock: { connectorId: 1 },
    change_availability: { connectorId: 1, type: 'Inoperative' },
    trigger: { requestedMessage: 'StatusNotification', connectorId: 1 },
    interval: 'MeterValueSampleInterval',
    secret: 'AuthorizationKey',
  },
  'ocpp2.0.1': {
    reset: { type: 'Immediate' },
    unlock: { evseId: 1, connectorId: 1 },
    change_availability: { operationalStatus: 'Inoperative', evse: { id: 1 } },
    trigger: { requestedMessage: 'StatusNotification', evse: { id: 1, connectorId: 1 } },
    interval: 'SampledDataCtrlr.TxUpdatedInterval',
    secret: 'SecurityCtrlr.BasicAuthPassword',
  },
} as const;

for (const protocol of ['ocpp1.6', 'ocpp2.0.1'] as const) {
  const sent = SENT[protocol];

  test(`${protocol}: reset, unlock, change_availability and trigger return the station's status`, async (t) => {
    const { world, station } = await settle(t, { station: { protocol } });
    const last = () => station.received.at(-1);
    assert.deepEqual(await ask(world, { type: 'unlock' }), { type: 'unlock', status: 'Unlocked' });
    assert.deepEqual(last(), { action: 'UnlockConnector', params: sent.unlock });
    const out = await ask(world, { type: 'change_availability', available: false });
    assert.equal(out.status, 'Accepted');
    assert.deepEqual(last(), { action: 'ChangeAvailability', params: sent.change_availability });
    assert.equal((await ask(world, { type: 'trigger', message: 'StatusNotification' })).status, 'Accepted');
    assert.deepEqual(last(), { action: 'TriggerMessage', params: sent.trigger });
    assert.equal(
      (await ask(world, { type: 'trigger', message: 'FirmwareStatusNotification' })).status,
      'NotImplemented',
    );
    const before = station.received.length;
    assert.deepEqual(await ask(world, { type: 'reset', mode: 'hard' }), {
      type: 'reset',
      status: 'Accepted',
    });
    assert.deepEqual(station.received[before], { action: 'Reset', params: sent.reset });
  });

  test(`${protocol}: a rejection is a result, a CALLERROR and no response are errors`, async (t) => {
    const quirks = { rejects: ['Reset'], notImplemented: ['UnlockConnector'], hangs: ['ChangeAvailability'] };
    const options = { callTimeoutMs: 150 };
    const { world } = await settle(t, { station: { protocol, quirks }, options });
    assert.deepEqual(await ask(world, { type: 'reset' }), { type: 'reset', status: 'Rejected' });
    await assert.rejects(ask(world, { type: 'unlock' }), {
      code: 'vendor.refused',
      message: /NotImplemented/,
    });
    await assert.rejects(ask(world, { type: 'change_availability', available: true }), {
      code: 'vendor.timeout',
    });
  });

  test(`${protocol}: settings can be read and set, except the password and the connection to us`, async (t) => {
    const { world, station } = await settle(t, { station: { protocol } });
    const keys = [sent.interval, sent.secret, 'No.Such'];
    const { settings, unknown_keys } = await ask(world, { type: 'get_configuration', keys });
    assert.equal(settings?.find(({ key }) => key === sent.interval)?.value, '30');
    const secret = settings?.find(({ key }) => key === sent.secret);
    assert.deepEqual([secret?.value, secret?.redacted], [null, true]);
    assert.deepEqual(unknown_keys, ['No.Such']);
    const set = (key: string) => ask(world, { type: 'set_configuration', key, value: '45' });
    assert.equal((await set(sent.interval)).status, 'Accepted');
    assert.equal(station.meterSeconds, 45);
    const before = station.received.length;
    for (const key of [sent.secret, 'X.SecurityProfile', 'X.CsmsUrl'])
      await assert.rejects(set(key), { code: 'station.setting_refused' });
    assert.equal(station.received.length, before, 'nothing was sent');
  });

  test(`${protocol}: limits are returned and cleared; that of the installation stays`, async (t) => {
    const clock = turnedClock();
    const { world, station } = await settle(t, {
      station: { protocol },
      clock,
      credentials: { installation_max_a: 14 },
    });
    await until("the installation's limit was sent", () => station.plug(1).limits.has('station'));
    await station.plugIn();
    await command(world, 'start_charge');
    await setCurrent(world, 8, { for_seconds: 600, then_current_a: 10 });
    const { limit } = await ask(world, { type: 'effective_limit', seconds: 3_600 });
    assert.deepEqual(limit, {
      unit: 'A',
      starts_at: '2026-11-21T09:00:00.000Z',
      periods: [
        { start_seconds: 0, limit: 8 },
        { start_seconds: 600, limit: 10 },
      ],
    });
    assert.equal((await ask(world, { type: 'clear_limits' })).status, 'Accepted');
    assert.equal(station.plug(1).amperes, 14);
    await world.restart();
    await station.connect({ boots: false });
    assert.equal((await ask(world, { type: 'clear_limits' })).status, 'Unknown');
  });

  test(`${protocol}: the details, the last fault and the last frames are returned, also while the station is offline`, async (t) => {
    const clock = turnedClock();
    const { world, station } = await settle(t, { station: { protocol }, clock });
    const [action, params] =
      protocol === 'ocpp1.6'
        ? ([
            'StatusNotification',
            {
              connectorId: 1,
              errorCode: 'GroundFailure',
              info: 'residual',
              vendorErrorCode: 'E7',
              status: 'Faulted',
            },
          ] as const)
        : ([
            'NotifyEvent',
            {
              generatedAt: station.now,
              seqNo: 0,
              eventData: [
                {
                  eventId: 1,
                  timestamp: station.now,
                  trigger: 'Alerting',
                  actualValue: 'true',
                  techCode: 'GroundFailure',
                  techInfo: 'E7 residual',
                  eventNotificationType: 'HardWiredNotification',
                  component: { name: 'Connector', evse: { id: 1 } },
                  variable: { name: 'Problem' },
                },
              ],
            },
          ] as const);
    await station.call(action, params);
    await station.card('04E91C5A123B80');
    const here = await look(world);
    const { frames, ...details } = here;
    assert.deepEqual(details, {
      connected: true,
      connected_since: '2026-11-21T09:00:00.000Z',
      protocol,
      manufacturer: 'elnav',
      model: protocol === 'ocpp1.6' ? 'Simulated 16' : 'Simulated 201',
      serial_number: 'SIM-1',
      firmware_version: '1.2.3',
      iccid: null,
      last_fault: {
        code: 'GroundFailure',
        info: 'E7 residual',
        connector: 1,
        at: '2026-11-21T09:00:00.000Z',
      },
      limit: null,
      metering: { power: null, restart_needed: false },
      installation: { max_a: null, fallback_a: null, held_by: null, refusal: null },
    });
    assert.deepEqual([frames[0]?.direction, frames[0]?.action], ['received', 'BootNotification']);
    assert.deepEqual(
      [frames[1]?.direction, frames[1]?.kind, frames[1]?.action],
      ['sent', 'result', 'BootNotification'],
    );
    const text = JSON.stringify(here);
    assert.ok(!text.includes('04E91C5A123B80') && !text.includes(PASSWORD), 'no card, no password');

    const left = new Promise<void>((resolve) => station.rpc.once('close', () => resolve()));
    await station.disconnect();
    await left;
    await until('it is offline', () => world.server.count() === 0);
    const away = await look(world);
    assert.deepEqual(
      [away.connected, away.connected_since, away.model, away.last_fault?.code],
      [false, null, details.model, 'GroundFailure'],
    );
    assert.equal(away.frames.length, frames.length);
    await assert.rejects(ask(world, { type: 'reset' }), { code: 'device.offline' });
  });
}

test('ocpp1.6: get_configuration returns all settings when no key is given', async (t) => {
  const { world } = await settle(t);
  const { settings = [] } = await ask(world, { type: 'get_configuration' });
  assert.ok(settings.some(({ key, readonly }) => key === 'NumberOfConnectors' && readonly === true));
  assert.ok(settings.every(({ value }) => value !== PASSWORD));
});

test('ocpp2.0.1: get_configuration returns the variables that elnav uses when no key is given', async (t) => {
  const { world } = await settle(t, { station: { protocol: 'ocpp2.0.1' } });
  const { settings = [], unknown_keys = [] } = await ask(world, { type: 'get_configuration' });
  const interval = settings.find(({ key }) => key === 'SampledDataCtrlr.TxUpdatedInterval');
  assert.equal(interval?.value, String(METER_SECONDS), 'the value set when it connected');
  const asked = [...settings.map(({ key }) => key), ...unknown_keys];
  assert.deepEqual(asked.toSorted(), USED.map(nameOf).toSorted());
});

test('ocpp2.0.1: a key is Component.Variable', async (t) => {
  const { world } = await settle(t, { station: { protocol: 'ocpp2.0.1' } });
  for (const key of ['HeartbeatInterval', 'A.B.C', '.B'])
    await assert.rejects(ask(world, { type: 'set_configuration', key, value: '1' }), {
      code: 'request.invalid',
      message: /Component\.Variable/,
    });
});

const say = (world: World, cards: Cards) => keepCards(world.host.documents(KEY), cards);

const LIST: Cards = {
  accept: 'list',
  cards: [
    { id: '04E91C5A' },
    { id: 'LOST-1', blocked: true },
    { id: 'GUEST', expires_at: '2026-11-21T10:00:00Z' },
  ],
};

for (const protocol of ['ocpp1.6', 'ocpp2.0.1'] as const) {
  test(`${protocol}: every card may charge by default`, async (t) => {
    const { world, station } = await settle(t, { station: { protocol } });
    await station.plugIn();
    assert.equal(await station.card('ANY'), 'Accepted');
    assert.equal(await charging(world), true);
  });

  test(`${protocol}: only the cards of a list may charge where there is one, whatever their case`, async (t) => {
    const clock = turnedClock();
    const { world, station } = await settle(t, { station: { protocol }, clock });
    await say(world, LIST);
    await station.plugIn();
    assert.equal(await station.card('STRANGER'), 'Invalid');
    assert.equal(await station.card('LOST-1'), 'Blocked');
    assert.equal(world.link.starts.length, 0);
    assert.equal(await station.card('04e91c5a'), 'Accepted');
    assert.equal(await charging(world), true);
    const [plug] = station.plugs;
    assert.ok(plug !== undefined);
    station.end(plug, 'Local');
    await station.idle();
    await station.unplug();
    assert.equal(await station.card('GUEST'), 'Accepted');
    clock.turn(3_600_000);
    assert.equal(await station.card('GUEST'), 'Expired');
  });

  test(`${protocol}: a charge with a refused card is stored, and ended`, async (t) => {
    const { world, station } = await settle(t, { station: { protocol } });
    await say(world, LIST);
    await station.plugIn();
    const [plug] = station.plugs;
    assert.ok(plug !== undefined);
    // As a station does that was offline, or uses its own list.
    station.begin(plug, 'STRANGER');
    await station.idle();
    assert.equal(world.link.starts[0]?.idTag, 'STRANGER');
    assert.equal(world.link.ends[0]?.reason, 'DeAuthorized');
    assert.equal(await charging(world), false);
  });

  test(`${protocol}: a remote start works whatever the policy for cards`, async (t) => {
    const { world, station } = await settle(t, {
      station: { protocol, quirks: { authorizesFirst: true } },
    });
    await say(world, { accept: 'none', cards: [{ id: '04E91C5A' }] });
    await station.plugIn();
    assert.equal(await station.card('04E91C5A'), 'Invalid');
    await command(world, 'start_charge');
    assert.equal(await charging(world), true);
    assert.equal(world.link.ends.length, 0);
  });
}

test('ocpp2.0.1: a card with the text of our own token is judged as a card', async (t) => {
  const { world, station } = await settle(t, { station: { protocol: 'ocpp2.0.1' } });
  await say(world, { accept: 'none', cards: [] });
  const asked = (type: string) =>
    station.call('Authorize', { idToken: { idToken: type === 'NoAuthorization' ? '' : 'ELNAV', type } });
  assert.deepEqual(await asked('ISO14443'), { idTokenInfo: { status: 'Invalid' } });
  assert.deepEqual(await asked('Central'), { idTokenInfo: { status: 'Accepted' } });
  assert.deepEqual(await asked('NoAuthorization'), { idTokenInfo: { status: 'Accepted' } });
});

test('1.6: settings that wait for the next start of the station are told until it has started', async (t) => {
  const { world, station } = await bare(t, 'ocpp1.6');
  const sampled = (value: string) => ({
    configurationKey: [{ key: 'MeterValueSampleInterval', readonly: false, value }],
  });
  station.answers.GetConfiguration = sampled('0');
  station.answers.ChangeConfiguration = { status: 'RebootRequired' };
  await station.connect();
  const isNeeded = async () => (await look(world)).metering.restart_needed;
  const { boot } = frames16(world, station);
  await boot();
  await until('a start is needed', isNeeded);
  station.answers.GetConfiguration = sampled('30');
  await boot();
  await until('it is not any more', async () => !(await isNeeded()));
});

test('1.6: power that follows from the register is told as derived, also after a restart of the service', async (t) => {
  const clock = turnedClock();
  const { world, station } = await bare(t, 'ocpp1.6', { clock });
  await station.connect();
  const frames = frames16(world, station);
  const source = async () => (await look(world)).metering.power;
  const transaction = await frames.start(38);
  await frames.status('Charging');
  for (const energy of [38, 96, 154]) {
    clock.turn(30_000);
    await frames.meter(transaction, { energy });
  }
  assert.deepEqual([(await world.read()).power_w, await source()], [6_960, 'derived']);
  await reconnect(world, station, true);
  assert.deepEqual([(await world.read()).power_w, await source()], [6_960, 'derived']);
  await frames.meter(transaction, { power: 7_000 }, 1);
  assert.deepEqual([(await world.read()).power_w, await source()], [7_000, 'measured']);
});

for (const protocol of ['ocpp1.6', 'ocpp2.0.1'] as const)
  test(`${protocol}: a reset whose station restarts before it responds is unconfirmed, any other operation fails`, async (t) => {
    const { world, station } = await bare(t, protocol);
    station.otherwise = null;
    for (const operation of [{ type: 'reset' }, { type: 'unlock' }] as const) {
      await station.connect();
      const asked = station.received.length;
      const asking = ask(world, operation);
      const outcome = asking.catch(({ code }: { code: string }) => code);
      await until('it was asked', () => station.received.length > asked);
      await station.disconnect();
      const expected = { reset: { type: 'reset', status: 'Unconfirmed' }, unlock: 'vendor.unreachable' };
      assert.deepEqual(await outcome, expected[operation.type]);
    }
  });

test('ocpp2.0.1: one EVSE is reset, the other goes on charging and the station does not boot', async (t) => {
  const { world, station } = await settle(t, { station: { protocol: 'ocpp2.0.1', connectors: 2 } });
  const { plugs } = station;
  for (const plug of plugs) {
    await station.plugIn(plug.number);
    await command(world, 'start_charge', plug.number);
  }
  await until('both charge', () => plugs.every(({ transaction }) => transaction !== null));
  const reset = { type: 'reset', scope: 'evse' } as const;
  assert.equal((await ask(world, reset)).status, 'Scheduled', 'it waits for the end of the transaction');
  const hard = await operations.operate(world.session(), world.device(2), { ...reset, mode: 'hard' });
  assert.equal(hard.status, 'Accepted');
  const sent = station.received.filter(({ action }) => action === 'Reset').map(({ params }) => params);
  assert.deepEqual(sent, [
    { type: 'OnIdle', evseId: 1 },
    { type: 'Immediate', evseId: 2 },
  ]);
  await station.idle();
  const charges = async (connector: number) => statusOf(await world.read(connector)).charging;
  assert.deepEqual([await charges(1), await charges(2)], [true, false]);
  const boots = (await look(world)).frames.filter(({ action }) => action === 'BootNotification');
  assert.equal(boots.length, 2, 'one boot and its response: that of the connection');
});

test('ocpp1.6: no EVSE is reset or unlocked, as the protocol has none', async (t) => {
  const { world, station } = await settle(t);
  const before = station.received.length;
  for (const operation of [
    { type: 'reset', scope: 'evse' },
    { type: 'unlock', evse: 1 },
  ] as const)
    await assert.rejects(ask(world, operation), { code: 'request.invalid', message: /OCPP 1\.6/ });
  assert.equal(station.received.length, before, 'nothing was sent');
});

const ELSEWHERE = {
  'ocpp1.6': [[{ connector: 7 }, { connectorId: 7 }, 'NotSupported']],
  'ocpp2.0.1': [
    [{ connector: 7 }, { evseId: 1, connectorId: 7 }, 'UnknownConnector'],
    [{ evse: 7 }, { evseId: 7, connectorId: 1 }, 'UnknownConnector'],
  ],
} as const;

for (const protocol of ['ocpp1.6', 'ocpp2.0.1'] as const)
  test(`${protocol}: a connector that is no device is unlocked by its number, and the station says if it has none`, async (t) => {
    const { world, station } = await settle(t, { station: { protocol } });
    for (const [named, params, status] of ELSEWHERE[protocol]) {
      assert.deepEqual(await ask(world, { type: 'unlock', ...named }), { type: 'unlock', status });
      assert.deepEqual(station.received.at(-1), { action: 'UnlockConnector', params });
    }
  });
