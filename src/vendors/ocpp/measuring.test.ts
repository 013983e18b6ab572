import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figuresOf } from './figures.ts';
import { type SampledValue, samplesOf } from './meter.ts';
import { bare } from './test-bare-station.ts';
import { frames16, frames201 } from './test-frames.ts';
import { setCurrent } from './test-settled-station.ts';
import { IDENTITY, KEY, PASSWORD, until } from './test-world.ts';

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
