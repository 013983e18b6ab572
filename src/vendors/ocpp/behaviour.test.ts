import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { createValidator } from 'ocpp-rpc';
import { capabilitiesOf, stateOf } from '../../adapter/derive.ts';
import { charger } from './charger.ts';
import { Station } from './station.ts';
import { charging, command, setCurrent, settle } from './test-settled-station.ts';
import { IDENTITY, KEY, until } from './test-world.ts';
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
      assert.doesNotThrow(() => validator.validate(`urn:${action}.conf`, give({})), action);
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
