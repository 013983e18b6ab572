import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { type TestContext, test } from 'node:test';
import { createValidator } from 'ocpp-rpc';
import { capabilitiesOf, send, stateOf } from '../../adapter/adapters.ts';
import { charger } from './charger.ts';
import { Station } from './station/station.ts';
import { type BareStation, bare, refusal } from './test-bare-station.ts';
import { charging, command, IDENTITY, KEY, setCurrent, settle, until, World } from './test-world.ts';
import { statusOf } from './translate.ts';

const PROTOCOLS = ['ocpp1.6', 'ocpp2.0.1'] as const;

for (const protocol of PROTOCOLS) {
  test(`${protocol}: a running transaction survives a restart of the service`, async (t) => {
    const { world, station } = await settle(t, { station: { protocol } });
    await station.plugIn();
    await command(world, 'start_charge');
    await world.restart();
    await station.connect({ boots: false });
    await until('it asked for the state', async () => (await charging(world)) === true);
    assert.equal((await world.read()).in_transaction, true);
    await command(world, 'stop_charge');
    assert.deepEqual([world.link.starts.length, world.link.ends.length], [1, 1]);
    assert.equal(world.link.ends[0]?.transactionId, world.link.starts[0]?.transactionId);
    assert.equal(world.link.ends[0]?.reason, 'Remote');
  });

  test(`${protocol}: 0 A pauses the transaction, a start resumes it`, async (t) => {
    const { world, station } = await settle(t, { station: { protocol } });
    await station.plugIn();
    await command(world, 'start_charge');
    await setCurrent(world, 10);
    await setCurrent(world, 0);
    assert.equal(await charging(world), false);
    const paused = stateOf(charger, await world.read(), ['read_power']);
    assert.equal(paused.power_w, 0);
    await command(world, 'start_charge');
    assert.equal(await charging(world), true);
    assert.equal(station.plug(1).amperes, 10);
    assert.equal(world.link.starts.length, 1);
  });

  test(`${protocol}: a limit survives a reconnect and a restart of the service`, async (t) => {
    const { world, station } = await settle(t, { station: { protocol } });
    await setCurrent(world, 0);
    await world.restart();
    await station.connect({ boots: false });
    await station.plugIn();
    await command(world, 'start_charge');
    assert.equal(await charging(world), true);
  });

  test(`${protocol}: a start without a car succeeds`, async (t) => {
    const { world, station } = await settle(t, { station: { protocol }, options: { settleMs: 50 } });
    await command(world, 'start_charge');
    assert.equal((await world.read()).in_transaction, false);
    await station.plugIn();
    await until('it charges', () => charging(world).then((now) => now === true));
    await assert.rejects(command(world, 'start_charge', 2), { code: 'device.offline' });
  });

  test(`${protocol}: each connector is a device, announced once`, async (t) => {
    const { world, station } = await settle(t, { station: { protocol, connectors: 3 } });
    await until('three devices are announced', () => world.link.discovered?.length === 3);
    assert.deepEqual(
      world.link.discovered?.map(({ id, details }) => [id, details?.connector]),
      [
        [IDENTITY, 1],
        [`${IDENTITY}:2`, 2],
        [`${IDENTITY}:3`, 3],
      ],
    );
    await station.plugIn(2);
    await command(world, 'start_charge', 2);
    assert.equal(statusOf(await world.read(2)).charging, true);
    assert.equal(statusOf(await world.read(1)).charging, false);
    assert.equal(world.link.starts[0]?.deviceId, `${IDENTITY}:2`);
    assert.ok(world.link.readings.some(({ deviceId }) => deviceId === `${IDENTITY}:2`));
    const again = await world.host.link(KEY, { identity: IDENTITY, password: 'another secret' });
    assert.equal(again.discovered?.length, 3);
  });

  test(`${protocol}: a station that lacks smart charging has no set_current`, async (t) => {
    const { world } = await settle(t, { station: { protocol, quirks: { noSmartCharging: true } } });
    await until(
      'the capabilities were read',
      () => world.link.discovered?.[0]?.details?.smart_charging === false,
    );
    const [found] = world.link.discovered ?? [];
    assert.ok(found !== undefined);
    assert.deepEqual(capabilitiesOf(charger, found), ['read_power', 'read_energy', 'charge_control']);
  });

  test(`${protocol}: no response, a refusal and a lost connection have different errors`, async (t) => {
    const quirks = {
      hangs: ['RemoteStartTransaction', 'RequestStartTransaction'],
      notImplemented: ['SetChargingProfile'],
    };
    const options = { callTimeoutMs: 150, queueTimeoutMs: 100 };
    const { world, station } = await settle(t, { station: { protocol, quirks }, options });
    await assert.rejects(setCurrent(world, 10), {
      code: 'vendor.refused',
      message: /NotImplemented: no handler/,
    });
    await assert.rejects(command(world, 'stop_charge'), {
      code: 'vendor.refused',
      message: /no transaction/,
    });
    const answers = await Promise.allSettled([
      command(world, 'start_charge'),
      command(world, 'start_charge'),
    ]);
    assert.deepEqual(
      answers.map((answer) => answer.status === 'rejected' && answer.reason.code),
      ['vendor.timeout', 'vendor.timeout'],
    );
    const asked = station.received.filter(({ action }) => quirks.hangs.includes(action)).length;
    assert.equal(asked, 1, 'the command that waited too long was not sent');
  });

  test(`${protocol}: a message that could not be stored is not acknowledged`, async (t) => {
    const { world, station } = await settle(t, { station: { protocol } });
    await station.plugIn();
    world.host.storageFault = new Error('disk full: /var/lib/secret-path');
    const [action, params] =
      protocol === 'ocpp1.6'
        ? ([
            'StartTransaction',
            { connectorId: 1, idTag: 'A', meterStart: 1, timestamp: station.now },
          ] as const)
        : ([
            'TransactionEvent',
            {
              eventType: 'Started',
              timestamp: station.now,
              triggerReason: 'Authorized',
              seqNo: 0,
              transactionInfo: { transactionId: 'tx-1' },
              evse: { id: 1 },
            },
          ] as const);
    await assert.rejects(station.call(action, params), {
      rpcErrorCode: 'InternalError',
      message: /send it again/,
    });
    assert.equal((await world.read()).in_transaction, false);
    world.host.storageFault = null;
    const first = await station.call(action, params);
    assert.deepEqual(await station.call(action, params), first);
    assert.equal(world.link.starts.length, 1);
  });

  test(`${protocol}: the response to every action matches its schema`, async (t) => {
    const { world } = await settle(t, { station: { protocol } });
    const name = protocol === 'ocpp1.6' ? 'ocpp1_6' : 'ocpp2_0_1';
    const schemas = createRequire(import.meta.url)(`ocpp-rpc/lib/schemas/${name}.json`);
    const validator = createValidator(protocol, schemas);
    const station = world.server.station(KEY);
    assert.ok(station instanceof Station);
    const needsParameters =
      /^(Authorize|BootNotification|StatusNotification|StartTransaction|StopTransaction|TransactionEvent|MeterValues)$/;
    const actions = Object.entries(station.dialect.answers).filter(
      ([action]) => !needsParameters.test(action),
    );
    for (const [action, give] of actions) {
      assert.doesNotThrow(() => validator.validate(`urn:${action}.conf`, give({}, {})), action);
    }
    const fromStation = STATION_ACTIONS[protocol].filter((action) => !(action in station.dialect.answers));
    assert.deepEqual(fromStation, []);
  });
}

/** The messages that the specifications let a station initiate. */
const STATION_ACTIONS = {
  'ocpp1.6': [
    ...['Authorize', 'BootNotification', 'DataTransfer', 'DiagnosticsStatusNotification', 'Heartbeat'],
    ...['FirmwareStatusNotification', 'MeterValues', 'StartTransaction', 'StatusNotification'],
    ...['StopTransaction', 'LogStatusNotification', 'SecurityEventNotification', 'SignCertificate'],
    'SignedFirmwareStatusNotification',
  ],
  'ocpp2.0.1': [
    ...[
      'Authorize',
      'BootNotification',
      'ClearedChargingLimit',
      'DataTransfer',
      'FirmwareStatusNotification',
    ],
    ...['Get15118EVCertificate', 'GetCertificateStatus', 'Heartbeat', 'LogStatusNotification', 'MeterValues'],
    ...['NotifyChargingLimit', 'NotifyCustomerInformation', 'NotifyDisplayMessages', 'NotifyEVChargingNeeds'],
    ...['NotifyEVChargingSchedule', 'NotifyEvent', 'NotifyMonitoringReport', 'NotifyReport'],
    ...['PublishFirmwareStatusNotification', 'ReportChargingProfiles', 'ReservationStatusUpdate'],
    ...['SecurityEventNotification', 'SignCertificate', 'StatusNotification', 'TransactionEvent'],
  ],
};

/** A 1.6 station that reports these settings, accepts every change, and overrides these actions. */
async function stationWith(
  t: TestContext,
  settings: Record<string, string>,
  answers: Partial<BareStation['answers']> = {},
) {
  const { world, station } = await bare(t, 'ocpp1.6', { options: { bootMs: 150 } });
  const configurationKey = Object.entries(settings).map(([key, value]) => ({ key, value, readonly: false }));
  station.otherwise = { status: 'Accepted' };
  Object.assign(station.answers, { GetConfiguration: { configurationKey } }, answers);
  await station.connect();
  const boot = () =>
    station.call('BootNotification', { chargePointVendor: 'Maker', chargePointModel: 'Box' });
  return { world, station, boot };
}

const wasAskedToMeasure = (station: BareStation): boolean =>
  station.calls('TriggerMessage').some(({ requestedMessage }) => requestedMessage === 'MeterValues');

const SMART = { NumberOfConnectors: '1', SupportedFeatureProfiles: 'Core,SmartCharging' };

test('limits are withheld until the next boot when the station implements no charging profiles, with a one-line error', async (t) => {
  const words = 'SetChargingProfile is not implemented to handle request PDU {\n  "connectorId": 1\n}';
  const answers = { SetChargingProfile: refusal('NotImplemented', words) };
  const { world, station, boot } = await stationWith(t, SMART, answers);
  const canLimit = () => world.link.discovered?.[0]?.details?.smart_charging;
  await boot();
  await until('it is named', () => world.link.discovered?.[0]?.name === 'Maker Box');
  await assert.rejects(setCurrent(world, 8), {
    code: 'vendor.refused',
    message:
      'the station accepts no current limit: the station refused SetChargingProfile with NotImplemented: ' +
      'SetChargingProfile is not implemented to handle request PDU {',
  });
  await until('limits are withheld', () => canLimit() === false);
  await station.disconnect();
  station.received.length = 0;
  await station.connect();
  await until('it was asked for its state', () => wasAskedToMeasure(station));
  await station.call('Heartbeat', {});
  assert.equal(canLimit(), false);
  await boot();
  await until('limits are offered again', () => canLimit() === true);
});

test('a limit that is refused for another reason stays available', async (t) => {
  const { world, boot } = await stationWith(t, SMART, { SetChargingProfile: { status: 'Rejected' } });
  await boot();
  await until('it is named', () => world.link.discovered?.[0]?.name === 'Maker Box');
  await assert.rejects(setCurrent(world, 8), { message: 'the station accepts no current limit: Rejected' });
  assert.equal(world.link.discovered?.[0]?.details?.smart_charging, true);
});

test('a profile gets the highest stack level and an id that the station accepts', async (t) => {
  const settings = { ...SMART, ChargeProfileMaxStackLevel: '8', MaxChargingProfilesInstalled: '5' };
  const { world, station, boot } = await stationWith(t, settings);
  await boot();
  await until('it was asked for its state', () => wasAskedToMeasure(station));
  await setCurrent(world, 8);
  const laid = station.calls('SetChargingProfile');
  const profiles = laid.map(({ csChargingProfiles }) => csChargingProfiles as Record<string, unknown>);
  assert.deepEqual(
    profiles.map(({ stackLevel, chargingProfileId }) => [stackLevel, chargingProfileId]),
    [[8, 2]],
  );
});

test('measurands are added one by one when the station refuses the whole list', async (t) => {
  const lists: unknown[] = [];
  const settings = { ...SMART, MeterValuesSampledData: 'Voltage' };
  const { boot } = await stationWith(t, settings, {
    ChangeConfiguration: ({ key, value }: { key: string; value: string }) => {
      if (key !== 'MeterValuesSampledData') return { status: 'Accepted' };
      lists.push(value);
      return { status: value.includes('Power') ? 'Rejected' : 'Accepted' };
    },
  });
  await boot();
  await until('every list was sent', () => lists.length >= 4);
  const energy = 'Voltage,Energy.Active.Import.Register';
  const missing = `${energy},Power.Active.Import,Current.Import`;
  assert.deepEqual(lists, [missing, energy, `${energy},Power.Active.Import`, `${energy},Current.Import`]);
});

test('a limit on the whole station changes with the one on the transaction', async (t) => {
  const { world, station } = await settle(t, { station: { quirks: { rejects: ['TxDefaultProfile'] } } });
  await setCurrent(world, 8);
  await station.plugIn();
  await command(world, 'start_charge');
  assert.equal(station.plug(1).amperes, 8);
  await setCurrent(world, 14);
  assert.equal(station.plug(1).amperes, 14);
});

test('a repeated start finds its transaction, whatever the clock of the station', async (t) => {
  const { world, station } = await settle(t);
  const start = { connectorId: 1, idTag: 'A', meterStart: 5, timestamp: '1970-01-01T00:00:09Z' };
  const first = await station.call('StartTransaction', start);
  await station.disconnect();
  await world.restart();
  await station.connect({ boots: false });
  assert.deepEqual(await station.call('StartTransaction', start), first);
  assert.ok(Date.now() - (world.link.starts[0]?.startedAt ?? 0) < 60_000);
});

test('a 2.0.1 station that has not booted is asked for its EVSEs', async (t) => {
  const world = await new World().open();
  t.after(() => world.close());
  await world.station({ protocol: 'ocpp2.0.1', connectors: 2 }).connect({ boots: false });
  await until('two are announced', () => world.link.discovered?.length === 2);
});

test('the end of an unknown transaction is accepted', async (t) => {
  const { world, station } = await settle(t);
  const stop = { transactionId: -1, meterStop: 9, timestamp: station.now };
  assert.deepEqual(await station.call('StopTransaction', stop), {});
  assert.equal(world.link.ends[0]?.transactionId, '-1');
});

test('a transaction that began under another central system can be stopped', async (t) => {
  const { world, station } = await settle(t);
  const plug = station.plug(1);
  plug.plugged = true;
  plug.transaction = { id: '777', idTag: 'A', seqNo: 0 };
  station.reportStatus();
  station.reportMeters();
  await station.idle();
  await command(world, 'stop_charge');
  assert.equal(world.link.ends[0]?.transactionId, '777');
});

test('no connector with an impossible number is created', async (t) => {
  const { world, station } = await settle(t);
  const status = { connectorId: 65, errorCode: 'NoError', status: 'Available' };
  await assert.rejects(station.call('StatusNotification', status), /there is no connector 65/);
  assert.equal(world.link.discovered?.length, 1);
});

test('a disconnected station is offline and refuses commands', async (t) => {
  const { world, station } = await settle(t);
  await station.plugIn();
  await command(world, 'start_charge');
  const session = world.session();
  await station.disconnect();
  await until('it is disconnected', () => world.server.count() === 0);
  const last = world.link.observed.at(-1);
  const state = stateOf(charger, last?.raw, ['read_power', 'read_energy']);
  assert.deepEqual([state.online, state.charging, state.power_w], [false, null, null]);
  assert.equal(typeof state.energy_wh, 'number');
  await assert.rejects(world.read(), { code: 'device.offline' });
  await assert.rejects(send(charger, session, world.device(), { type: 'start_charge' }), {
    code: 'device.offline',
  });
});
