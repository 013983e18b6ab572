import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { worldOf } from './knock.ts';
import { rawStation } from './raw-station.ts';
import { setCurrent } from './settled-station.ts';
import { until } from './test-world.ts';

type Params = Record<string, unknown>;

/** A 1.6 station that tells these settings, and takes what `takes` says of a call. */
async function stationWith(
  t: TestContext,
  settings: Record<string, string>,
  takes: (action: string, params: Params) => readonly [3, unknown] | readonly [4, string, string],
) {
  const world = await worldOf(t);
  const configurationKey = Object.entries(settings).map(([key, value]) => ({ key, value, readonly: false }));
  const reply = (action: string, params: unknown) =>
    action === 'GetConfiguration' ? ([3, { configurationKey }] as const) : takes(action, params as Params);
  const connect = () => rawStation(t, world, { reply });
  const station = await connect();
  const boot = () =>
    station.call('BootNotification', { chargePointVendor: 'Maker', chargePointModel: 'Box' });
  return { world, station, boot, connect };
}

const ACCEPTED = [3, { status: 'Accepted' }] as const;
const SMART = { NumberOfConnectors: '1', SupportedFeatureProfiles: 'Core,SmartCharging' };

test('limits that a station does not know are withheld until it boots anew, and refused in one line', async (t) => {
  const words = 'SetChargingProfile is not implemented to handle request PDU {\n  "connectorId": 1\n}';
  const { world, station, boot, connect } = await stationWith(t, SMART, (action) =>
    action === 'SetChargingProfile' ? [4, 'NotImplemented', words] : ACCEPTED,
  );
  const canLimit = () => world.link.discovered?.[0]?.details?.smart_charging;
  await boot();
  await until('it is named', () => world.link.discovered?.[0]?.name === 'Maker Box');
  await assert.rejects(setCurrent(world, 8), {
    code: 'vendor.refused',
    message:
      'the station takes no current limit: the station refused SetChargingProfile with NotImplemented: ' +
      'SetChargingProfile is not implemented to handle request PDU {',
  });
  await until('limits are withheld', () => canLimit() === false);
  const again = await connect();
  await until('it was asked for its state', () =>
    again.asked.some(({ params }) => (params as Params).requestedMessage === 'MeterValues'),
  );
  await again.call('Heartbeat', {});
  assert.equal(canLimit(), false);
  await again.call('BootNotification', { chargePointVendor: 'Maker', chargePointModel: 'Box' });
  await until('limits are offered again', () => canLimit() === true);
  assert.ok(station.asked.length > 0);
});

test('a limit that is refused for another reason stays on offer', async (t) => {
  const { world, boot } = await stationWith(t, SMART, (action) =>
    action === 'SetChargingProfile' ? [3, { status: 'Rejected' }] : ACCEPTED,
  );
  await boot();
  await until('it is named', () => world.link.discovered?.[0]?.name === 'Maker Box');
  await assert.rejects(setCurrent(world, 8), { message: 'the station takes no current limit: Rejected' });
  assert.equal(world.link.discovered?.[0]?.details?.smart_charging, true);
});

test('a profile lies on the highest level, with an id that the station can hold', async (t) => {
  const settings = { ...SMART, ChargeProfileMaxStackLevel: '8', MaxChargingProfilesInstalled: '5' };
  const { world, station, boot } = await stationWith(t, settings, () => ACCEPTED);
  await boot();
  await until('it was asked for its state', () =>
    station.asked.some(({ params }) => (params as Params).requestedMessage === 'MeterValues'),
  );
  await setCurrent(world, 8);
  const laid = station.asked.filter(({ action }) => action === 'SetChargingProfile');
  const profiles = laid.map(({ params }) => (params as { csChargingProfiles: Params }).csChargingProfiles);
  assert.deepEqual(
    profiles.map(({ stackLevel, chargingProfileId }) => [stackLevel, chargingProfileId]),
    [[8, 2]],
  );
});

test('measurands are asked for one by one where the station takes no list with one that it does not know', async (t) => {
  const lists: unknown[] = [];
  const settings = { ...SMART, MeterValuesSampledData: 'Voltage' };
  const { boot } = await stationWith(t, settings, (action, { key, value }) => {
    if (action !== 'ChangeConfiguration' || key !== 'MeterValuesSampledData') return ACCEPTED;
    lists.push(value);
    return String(value).includes('Power') ? [3, { status: 'Rejected' }] : ACCEPTED;
  });
  await boot();
  await until('all was tried', () => lists.length >= 4);
  const energy = 'Voltage,Energy.Active.Import.Register';
  const missing = `${energy},Power.Active.Import,Current.Import`;
  assert.deepEqual(lists, [missing, energy, `${energy},Power.Active.Import`, `${energy},Current.Import`]);
});
