import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turnedClock } from '../../core/clock.ts';
import { figuresOf, type SampledValue, samplesOf } from './station/meter.ts';
import { bare } from './test-bare-station.ts';
import { chargerState, frames16, frames201, reconnect } from './test-frames.ts';
import { command, IDENTITY, KEY, PASSWORD, setCurrent, until } from './test-world.ts';

for (const restarts of [false, true]) {
  const event = restarts ? 'a restart of the service' : 'a lost connection';

  test(`2.0.1: a charging car is reported as charging after ${event}`, async (t) => {
    const { world, station } = await bare(t, 'ocpp2.0.1');
    await station.connect();
    const frames = frames201(world, station);
    await frames.status('Occupied');
    await frames.started('tx', { card: 'C', energy: 1_000, info: { chargingState: 'Charging' } });
    await frames.updated('tx', { power: 5_520, energy: 1_097 });
    await reconnect(world, station, restarts);
    assert.deepEqual(await chargerState(world), [true, 5_520, 1_097]);
    await frames.status('Occupied');
    await frames.updated('tx', { at: 5, power: 5_530, energy: 1_098 });
    assert.deepEqual(await chargerState(world), [true, 5_530, 1_098]);
    await frames.ended('tx', { at: 6 });
    assert.deepEqual(await chargerState(world), [false, 0, 1_098]);
  });

  test(`2.0.1: a car that stopped charging is not reported as charging after ${event}`, async (t) => {
    const { world, station } = await bare(t, 'ocpp2.0.1');
    await station.connect();
    const frames = frames201(world, station);
    await frames.started('tx', { at: -60, power: 5_000, info: { chargingState: 'Charging' } });
    await frames.updated('tx', { at: -40, info: { chargingState: 'SuspendedEV' } });
    await reconnect(world, station, restarts);
    assert.deepEqual((await chargerState(world)).slice(0, 2), [false, 0]);
    await frames.updated('tx', { at: -50, power: 4_900 });
    assert.deepEqual((await chargerState(world)).slice(0, 2), [false, 0], 'an older sample is ignored');
  });

  test(`1.6: energy does not decrease after ${event}`, async (t) => {
    const { world, station } = await bare(t, 'ocpp1.6');
    await station.connect();
    const frames = frames16(world, station);
    const transaction = await frames.start(1_000, { at: -60 });
    await frames.status('Charging', -59);
    await frames.meter(transaction, { power: 7_000, energy: 5_000 }, -30);
    await reconnect(world, station, restarts);
    assert.deepEqual(await chargerState(world), [true, 7_000, 5_000]);
    await frames.meter(transaction, { power: 6_000, energy: 4_700 }, -45);
    assert.deepEqual(await chargerState(world), [true, 7_000, 5_000], 'a buffered sample is older');
    await frames.meter(transaction, { energy: 0 }, -20);
    assert.deepEqual((await chargerState(world))[2], 5_000, 'no meter decreases in a transaction');
    await frames.stop(transaction, 5_100, -10);
    await reconnect(world, station, restarts);
    assert.equal((await chargerState(world))[2], 5_100, 'the final register stays');
  });
}

test('2.0.1: Occupied in a transaction does not tell whether it charges, measured power does', async (t) => {
  const { world, station } = await bare(t, 'ocpp2.0.1');
  await station.connect();
  const frames = frames201(world, station);
  await frames.status('Occupied');
  assert.deepEqual(await chargerState(world), [false, 0, null]);
  await frames.started('tx', { card: 'C' });
  assert.deepEqual(await chargerState(world), [null, null, null]);
  await frames.updated('tx', { power: 11_001 });
  assert.deepEqual(await chargerState(world), [true, 11_001, null]);
  await frames.updated('tx', { power: 12 });
  assert.deepEqual(await chargerState(world), [false, 0, null]);
  await frames.updated('tx', { info: { chargingState: 'SuspendedEV' } });
  await frames.updated('tx', { at: 1, power: 4_000 });
  assert.deepEqual(
    await chargerState(world),
    [true, 4_000, null],
    'no reported state overrides measured power',
  );
});

test('a meter that counts each transaction from 0 is followed, but a start at 0 alone does not lower it', async (t) => {
  const { world, station } = await bare(t, 'ocpp1.6');
  await station.connect();
  const frames = frames16(world, station);
  await frames.meter(null, { energy: 3_500 }, -50);
  const first = await frames.start(0, { at: -40 });
  assert.equal((await chargerState(world))[2], 3_500);
  await frames.meter(first, { energy: 10 }, -30);
  assert.equal((await chargerState(world))[2], 10);
  await frames.stop(first, 20, -25);
  const second = await frames.start(0, { at: -20 });
  await frames.meter(second, { energy: 3_600 }, -10);
  assert.equal((await chargerState(world))[2], 3_600);
});

test('a transaction of yesterday that arrives late does not change the present state', async (t) => {
  const { world, station } = await bare(t, 'ocpp1.6');
  await station.connect();
  const frames = frames16(world, station);
  const DAY = -86_400;
  const today = await frames.start(3_000, { at: -60 });
  await frames.status('Charging', -60);
  await frames.meter(today, { power: 7_000, energy: 3_500 }, -1);
  const yesterday = await frames.start(500, { at: DAY, idTag: 'OTHER' });
  await frames.meter(yesterday, { power: 2_000, energy: 800 }, DAY + 60);
  assert.deepEqual(await chargerState(world), [true, 7_000, 3_500]);
  await frames.stop(yesterday, 1_000, DAY + 120);
  assert.deepEqual(await chargerState(world), [true, 7_000, 3_500]);
  assert.deepEqual(
    world.link.ends.map(({ transactionId }) => transactionId),
    [String(yesterday)],
  );
  await frames.stop(today, 3_600);
  assert.deepEqual(await chargerState(world), [false, 0, 3_600]);
});

test('1.6: the end of a transaction that was buffered offline ends the power too', async (t) => {
  const { world, station } = await bare(t, 'ocpp1.6');
  await station.connect();
  const frames = frames16(world, station);
  const transaction = await frames.start(0, { at: -60 });
  await frames.status('Charging', -60);
  await frames.meter(transaction, { power: 5_520, energy: 40 }, -30);
  await reconnect(world, station, false);
  await frames.stop(transaction, 50, -20);
  assert.deepEqual(await chargerState(world), [false, 0, 50]);
  await frames.meter(transaction, { power: 5_520, energy: 45 }, -25);
  assert.deepEqual(await chargerState(world), [false, 0, 50]);
});

test('the next start on a connector ends a transaction whose end was lost', async (t) => {
  const { world, station } = await bare(t, 'ocpp1.6', { clock: turnedClock() });
  await station.connect();
  const frames = frames16(world, station);
  const lost = await frames.start(100, { at: -600 });
  await frames.meter(lost, { energy: 150 }, -500);
  const next = await frames.start(170, { at: -60 });
  assert.deepEqual(world.link.ends, [
    {
      transactionId: String(lost),
      endedAt: world.link.readings[0]?.at,
      meterStopWh: 150,
      reason: 'Unknown',
      givenUp: true,
    },
  ]);
  assert.equal((await world.read()).in_transaction, true);
  await frames.stop(lost, 165, -100);
  assert.deepEqual(
    [world.link.ends.length, world.link.ends[0]?.meterStopWh],
    [1, 165],
    'the real end replaces ours',
  );
  await frames.start(170, { at: -60 });
  assert.equal((await world.read()).in_transaction, true, 'a repeated start ends nothing');
  await frames.stop(next, 200);
  assert.equal((await world.read()).in_transaction, false);
});

for (const [then, ends] of [
  ['Available', 1],
  ['Preparing', 1],
  ['Charging', 0],
] as const) {
  test(`a transaction is ${ends === 1 ? '' : 'not '}ended when the station boots and reports ${then} for minutes`, async (t) => {
    const clock = turnedClock();
    const { world, station } = await bare(t, 'ocpp1.6', { clock });
    await station.connect();
    const frames = frames16(world, station);
    const lost = await frames.start(100);
    await frames.meter(lost, { energy: 150 });
    await reconnect(world, station, true);
    clock.turn(1_000);
    await frames.boot();
    await frames.status('Available');
    clock.turn(world.options.forgottenMs - 1);
    assert.deepEqual(world.link.ends, []);
    await frames.status(then);
    clock.turn(1);
    await until('its end is stored', () => world.link.ends.length === ends);
    assert.equal((await world.read()).in_transaction, ends === 0);
    assert.deepEqual(
      world.link.ends.map(({ reason, meterStopWh }) => [reason, meterStopWh]),
      ends === 0 ? [] : [['PowerLoss', 150]],
    );
  });
}

test('2.0.1: the card presented after the cable is stored, the card that stops is not', async (t) => {
  const { world, station } = await bare(t, 'ocpp2.0.1');
  await station.connect();
  const frames = frames201(world, station);
  await frames.started('a', { trigger: 'CablePluggedIn', info: { chargingState: 'EVConnected' } });
  await frames.updated('a', { trigger: 'Authorized', card: 'CARD' });
  await frames.updated('a', { trigger: 'StopAuthorized', card: 'OTHER' });
  await frames.ended('a');
  await frames.started('b', { trigger: 'CablePluggedIn' });
  await frames.updated('b', { trigger: 'StopAuthorized', card: 'OTHER' });
  assert.deepEqual(
    world.link.starts.map(({ idTag }) => idTag),
    ['CARD', null],
  );
});

test('2.0.1: a transaction that names only our remote start gets its tag, also after a lost connection', async (t) => {
  const { world, station } = await bare(t, 'ocpp2.0.1', { options: { settleMs: 20 } });
  await station.connect();
  const frames = frames201(world, station);
  await command(world, 'start_charge');
  const { remoteStartId } = station.calls('RequestStartTransaction')[0] ?? {};
  await reconnect(world, station, true);
  await frames.started('a', { trigger: 'RemoteStart', info: { remoteStartId } });
  await frames.started('b', { at: 1, trigger: 'RemoteStart', info: { remoteStartId: 7 } });
  assert.deepEqual(
    world.link.starts.map(({ idTag }) => idTag),
    [world.options.idTag, null],
  );
});

interface Place {
  readonly component: { readonly name: string };
  readonly variable: { readonly name: string };
}

test('2.0.1: the register is requested at both ends of a transaction, and at aligned intervals', async (t) => {
  const { world, station } = await bare(t, 'ocpp2.0.1');
  station.answers.GetVariables = ({ getVariableData }: { getVariableData: Place[] }) => ({
    getVariableResult: getVariableData.map(({ component, variable }) => ({
      ...{ component, variable },
      ...(/Measurands$/.test(variable.name)
        ? { attributeStatus: 'Accepted', attributeValue: 'Energy.Reactive.Import.Register' }
        : { attributeStatus: 'UnknownVariable' }),
    })),
  });
  station.answers.SetVariables = ({ setVariableData }: { setVariableData: Place[] }) => ({
    setVariableResult: setVariableData.map(({ component, variable }) => ({
      ...{ component, variable },
      attributeStatus: 'Accepted',
    })),
  });
  await station.connect();
  await frames201(world, station).boot();
  await until('the last request', () => station.calls('TriggerMessage').length > 0);
  const set = station
    .calls('SetVariables')
    .map(({ setVariableData }) => (setVariableData as (Place & { attributeValue: string })[])[0])
    .map((one) => [one?.component.name, one?.variable.name, one?.attributeValue]);
  const before = 'Energy.Reactive.Import.Register';
  const register = 'Energy.Active.Import.Register';
  assert.deepEqual(set, [
    ['SampledDataCtrlr', 'TxUpdatedInterval', '30'],
    [
      ...['SampledDataCtrlr', 'TxUpdatedMeasurands'],
      `${before},${register},Power.Active.Import,Current.Import,Voltage`,
    ],
    ['SampledDataCtrlr', 'TxStartedMeasurands', `${before},${register}`],
    ['SampledDataCtrlr', 'TxEndedMeasurands', `${before},${register}`],
    ['AlignedDataCtrlr', 'Measurands', `${before},${register},Power.Active.Import`],
    ['AlignedDataCtrlr', 'TxEndedMeasurands', `${before},${register}`],
  ]);
});

test('1.6: when the list is refused, its measurands are added one by one', async (t) => {
  const { world, station } = await bare(t, 'ocpp1.6');
  let sampled = 'Energy.Active.Import.Register';
  station.answers.GetConfiguration = () => ({
    configurationKey: [{ key: 'MeterValuesSampledData', readonly: false, value: sampled }],
  });
  station.answers.ChangeConfiguration = ({ value }: { value: string }) => {
    if (value.includes('Voltage')) return { status: 'Rejected' };
    sampled = value;
    return { status: 'Accepted' };
  };
  await station.connect();
  await frames16(world, station).boot();
  await until('the last request', () => station.calls('TriggerMessage').length > 0);
  assert.equal(sampled, 'Energy.Active.Import.Register,Power.Active.Import,Current.Import');
});

const phases = (...sampledValue: SampledValue[]) =>
  figuresOf(samplesOf({ timestamp: '2026-11-21T09:00:00Z', sampledValue })).phases;
const of = (measurand: string, value: string, phase?: string): SampledValue => ({
  ...{ measurand, value },
  ...(phase !== undefined && { phase }),
});

test('the number of phases follows from power, voltage and current', () => {
  const watt = (value: string) => of('Power.Active.Import', value);
  const ampere = (value: string, phase?: string) => of('Current.Import', value, phase);
  assert.equal(phases(watt('3680'), ampere('16', 'L1')), 1);
  assert.equal(phases(watt('3680'), ampere('16')), 1);
  assert.equal(phases(watt('11040'), ampere('16')), 3);
  assert.equal(phases(watt('11040'), ampere('16'), of('Voltage', '400')), 3);
  assert.equal(phases(watt('7360'), ampere('16'), of('Voltage', '229', 'L1-N')), 2);
  assert.equal(phases(watt('5520'), ampere('16')), null, 'not a whole number');
  assert.equal(phases(watt('230'), ampere('1')), null, 'too little to tell');
  assert.equal(phases(ampere('16')), null);
});

test('1.6: a limit in watts is for the phases in use, determined again for the next car', async (t) => {
  const { world, station } = await bare(t, 'ocpp1.6', { options: { settleMs: 50 } });
  const units = { key: 'ChargingScheduleAllowedChargingRateUnit', readonly: true, value: 'Power' };
  station.answers.GetConfiguration = () => ({ configurationKey: [units] });
  const periods = () =>
    station
      .calls('SetChargingProfile')
      .map((params) => /"chargingSchedulePeriod":\[(\{[^}]*\})/.exec(JSON.stringify(params))?.[1]);
  await station.connect();
  const frames = frames16(world, station);
  const learn = async () => {
    const before = station.calls('TriggerMessage').length;
    await frames.boot();
    await until(
      'the configuration was requested',
      () => station.calls('TriggerMessage').length >= before + 2,
    );
  };
  await learn();
  const transaction = await frames.start(0);
  await frames.status('Charging');
  await station.call('MeterValues', {
    ...{ connectorId: 1, transactionId: transaction },
    meterValue: [
      {
        timestamp: new Date(world.host.clock.now()).toISOString(),
        sampledValue: [of('Power.Active.Import', '3680'), of('Current.Import', '16')],
      },
    ],
  });
  await setCurrent(world, 8);
  assert.equal(periods().at(-1), '{"startPeriod":0,"limit":1840,"numberPhases":1}');
  await frames.stop(transaction, 10);
  await frames.status('Available');
  await setCurrent(world, 8);
  assert.equal(periods().at(-1), '{"startPeriod":0,"limit":5520}');
  await world.host.link(KEY, { identity: IDENTITY, password: PASSWORD, phases: 2 });
  await station.disconnect();
  await station.connect();
  await learn();
  await setCurrent(world, 8);
  assert.equal(periods().at(-1), '{"startPeriod":0,"limit":3680,"numberPhases":2}');
});
