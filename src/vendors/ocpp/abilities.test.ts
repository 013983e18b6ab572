import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type BareStation, bare, refusal } from './test-bare-station.ts';
import { setCurrent } from './test-settled-station.ts';
import { until } from './test-world.ts';

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
