import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import fc from 'fast-check';
import { energyOf, limitsOf, powerOf, statusOf } from '../translate.ts';
import { evseStatus } from '../v201/ocpp201.ts';
import { soundTime } from '../wire/values.ts';
import {
  beginTransaction,
  type Connector,
  newConnector,
  rawOf,
  takeFigures,
  takeLimit,
  takeStatus,
} from './connector.ts';
import { figuresOf, type SampledValue, sampleOf, samplesOf } from './meter.ts';
import { unending } from './schedule.ts';

const raw = (connector: Connector) => rawOf(connector, { online: true, now: 0 });
const nothing = { power_w: null, register_wh: null, interval_wh: null, phases: null };

test('an older measurement does not replace a newer one', () => {
  const connector = newConnector(1);
  takeFigures(connector, { ...nothing, register_wh: 2_000 }, 2);
  takeFigures(connector, { ...nothing, register_wh: 1_000 }, 1);
  assert.equal(connector.register_wh, 2_000);
});

test('a power sample from before a pause is dropped', () => {
  const connector = newConnector(1);
  takeStatus(connector, { status: 'Charging' }, 0);
  takeFigures(connector, { ...nothing, power_w: 7_000 }, 1);
  assert.equal(powerOf(raw(connector)), 7_000);
  takeStatus(connector, { status: 'SuspendedEV' }, 2);
  assert.equal(powerOf(raw(connector)), 0);
  takeStatus(connector, { status: 'Charging' }, 3);
  assert.equal(powerOf(raw(connector)), null);
});

test('a pause that is set while nothing flows keeps the measurement that nothing flows', () => {
  const connector = newConnector(1);
  takeStatus(connector, { status: 'Charging' }, 0);
  for (const [power_w, after] of [
    [2, 2],
    [7_000, null],
  ] as const) {
    takeLimit(connector, { defaultLimit: unending(10) }, 0);
    takeFigures(connector, { ...nothing, power_w }, 1);
    takeLimit(connector, { defaultLimit: unending(0) }, 0);
    assert.equal(connector.power_w, after);
  }
});

test('energy is the register, or the sum of the intervals without one', () => {
  const connector = newConnector(1);
  takeFigures(connector, { ...nothing, interval_wh: 100 }, 1);
  takeFigures(connector, { ...nothing, interval_wh: 50 }, 2);
  assert.equal(energyOf(raw(connector)), 150);
  takeFigures(connector, { ...nothing, register_wh: 9_000 }, 3);
  assert.equal(energyOf(raw(connector)), 9_000);
});

const TX = { transactionId: '1', deviceId: 'd', startedAt: 0, meterStartWh: null, idTag: null };
const STEP_MS = 30_000;

/** The power after each register, one every 30 seconds in a transaction. */
function powersOf(registers: readonly number[], stepMs = STEP_MS) {
  const connector = newConnector(1);
  takeStatus(connector, { status: 'Charging' }, 0);
  beginTransaction(connector, TX);
  return registers.map((register_wh, index) => {
    takeFigures(connector, { ...nothing, register_wh }, (index + 1) * stepMs);
    return connector.power_w;
  });
}

test('power follows from the register in a transaction that measures none', () => {
  assert.deepEqual(powersOf([1_000, 1_058, 1_116, 1_146]), [null, null, 6_960, 3_600]);
});

test('power follows from a register of large steps by the time between two steps', () => {
  const steps = [1_000, 1_100, 1_100, 1_200, 1_200, 1_300];
  assert.deepEqual(powersOf(steps), [null, null, null, 6_000, 6_000, 6_000]);
});

test('a register that does not rise for minutes means that nothing flows, one that was silent for long nothing', () => {
  const still = powersOf([1_000, 1_058, ...Array.from({ length: 11 }, () => 1_116)]);
  assert.deepEqual([still.at(3), still.at(-2), still.at(-1)], [6_960, 6_960, 0]);
  assert.deepEqual(powersOf([1_000, 1_058, 1_116], 16 * 60_000), [null, null, null]);
});

test('power is not derived where the transaction measured some, or where none runs', () => {
  const connector = newConnector(1);
  const read = (register_wh: number, at: number, power_w: number | null = null) => {
    takeFigures(connector, { ...nothing, register_wh, power_w }, at * STEP_MS);
    return connector.power_w;
  };
  assert.deepEqual([read(900, 1), read(950, 2), read(1_000, 3)], [null, null, null]);
  beginTransaction(connector, TX);
  read(1_000, 4, 7_000);
  assert.deepEqual([read(1_010, 5), read(1_020, 6), read(1_030, 7)], [7_000, 7_000, 7_000]);
  assert.equal(connector.derives, false);
});

test('the status of an EVSE is that of the plug in use', () => {
  const evse = newConnector(1);
  evseStatus(evse, { plug: 1, status: 'Occupied', at: 1 });
  evseStatus(evse, { plug: 2, status: 'Unavailable', at: 1 });
  assert.equal(evse.status, 'Occupied');
  evseStatus(evse, { plug: 1, status: 'Available', at: 1 });
  assert.equal(evse.status, 'Available');
});

const STATES: readonly [string | null, boolean | null, boolean | null][] = [
  ['Available', false, false],
  ['Preparing', true, false],
  ['Charging', true, true],
  ['SuspendedEV', true, false],
  ['SuspendedEVSE', true, false],
  ['Finishing', true, false],
  ['Reserved', false, false],
  ['Unavailable', null, false],
  ['Faulted', null, false],
  ['Occupied', true, false],
  ['EVConnected', true, false],
  ['Idle', false, false],
  [null, null, null],
  ['SomethingNew', null, null],
];

for (const [status, connected, charging] of STATES) {
  test(`${status}: connected ${connected}, charging ${charging}`, () => {
    const reported = raw({ ...newConnector(1), status });
    assert.deepEqual(statusOf(reported), { online: true, connected, charging, operation_state: status });
  });
}

test('the cable lowers the maximum current, an implausible rating does not', () => {
  const limitOf = (cable_a: number | null) => limitsOf(raw({ ...newConnector(1), cable_a })).max_a;
  assert.deepEqual([null, 20, 63, 0].map(limitOf), [32, 20, 32, 32]);
});

const figures = (...sampledValue: SampledValue[]) =>
  figuresOf(samplesOf({ timestamp: '2026-11-21T09:00:00Z', sampledValue }));

const power = (value: string, rest: Partial<SampledValue> = {}): SampledValue => ({
  value,
  measurand: 'Power.Active.Import',
  ...rest,
});
const current = (value: string, phase?: string): SampledValue => ({
  value,
  measurand: 'Current.Import',
  ...(phase !== undefined && { phase }),
});
const voltage = (value: string, phase?: string): SampledValue => ({
  value,
  measurand: 'Voltage',
  ...(phase !== undefined && { phase }),
});

test("fields that the station leaves out get the protocol's defaults", () => {
  assert.deepEqual(sampleOf({ value: '1234' }), {
    measurand: 'Energy.Active.Import.Register',
    value: 1234,
    unit: 'Wh',
    location: 'Outlet',
    context: 'Sample.Periodic',
  });
  assert.equal(sampleOf(power('1500'))?.unit, 'W');
  assert.equal(sampleOf({ value: '55', measurand: 'SoC' })?.unit, 'Percent');
});

const CONVERSIONS: readonly [number, SampledValue, string][] = [
  [150.07, { value: '0.15006999999999998', unit: 'kWh' }, 'Wh'],
  [7360, power('7.36', { unit: 'kW' }), 'W'],
  [2500, { value: '2.5', unit: 'kvarh', measurand: 'Energy.Reactive.Import.Register' }, 'varh'],
  [21, { value: '21', unit: 'Celcius', measurand: 'Temperature' }, 'Celsius'],
  [100, { value: '212', unit: 'Fahrenheit', measurand: 'Temperature' }, 'Celsius'],
  [-273.15, { value: '0', unit: 'K', measurand: 'Temperature' }, 'Celsius'],
  [5000, { value: 5, unitOfMeasure: { unit: 'Wh', multiplier: 3 } }, 'Wh'],
  [5000, { value: 5, unitOfMeasure: { unit: 'kWh' } }, 'Wh'],
  [16, { value: 160, measurand: 'Current.Import', unitOfMeasure: { unit: 'A', multiplier: -1 } }, 'A'],
];

for (const [expected, sampled, unit] of CONVERSIONS) {
  test(`${JSON.stringify(sampled)} is ${expected} ${unit}`, () => {
    const sample = sampleOf(sampled);
    assert.deepEqual([sample?.value, sample?.unit], [expected, unit]);
  });
}

const NO_NUMBERS: readonly SampledValue[] = [
  { value: '{"signedMeterData":"AP;0;3"}' },
  { value: 'OCMF|{"FV":"1.0"}|{"SD":"30"}', format: 'SignedData' },
  { value: '1234', format: 'SignedData' },
  { value: '' },
  { value: ' ' },
  { value: '0x10' },
  { value: 'NaN' },
  { value: 'Infinity' },
  { value: '1e99' },
  { value: '9'.repeat(200) },
  { value: 1e300 },
  { value: 1, unitOfMeasure: { multiplier: 300 } },
];

for (const sampled of NO_NUMBERS) {
  test(`${JSON.stringify(sampled).slice(0, 60)} is not a reading`, () =>
    assert.equal(sampleOf(sampled), null));
}

test('a value in kilo-units equals the same value in base units', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }), (milli) => {
      const text = (milli / 1000).toFixed(3);
      const kilo = sampleOf({ value: text, unit: 'kWh' })?.value;
      const multiplied = sampleOf({
        value: milli / 1000,
        unitOfMeasure: { unit: 'Wh', multiplier: 3 },
      })?.value;
      assert.equal(kilo, milli + 0);
      assert.equal(multiplied, milli + 0);
    }),
  );
});

test('no text yields a sample that is not a bounded number', () => {
  const numeric = fc.stringMatching(/^[-+0-9.eE ,xXaN]{0,70}$/);
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), numeric, fc.double().map(String)),
      fc.constantFrom('Wh', 'kWh', 'W', 'K', 'Fahrenheit', 'odd'),
      (value, unit) => {
        const sample = sampleOf({ value, unit });
        assert.ok(sample === null || Math.abs(sample.value) <= 1e12, JSON.stringify(sample));
      },
    ),
  );
});

test('a total without a phase takes precedence over phases', () => {
  const of = figures(
    power('3000', { phase: 'L1' }),
    power('3000', { phase: 'L2' }),
    power('9100'),
    power('3000', { phase: 'L3' }),
  );
  assert.equal(of.power_w, 9100);
});

test('phases are added up, whatever their tags', () => {
  assert.equal(
    figures(power('1', { unit: 'kW', phase: 'L1' }), power('2000', { phase: 'L2' })).power_w,
    3000,
  );
  assert.equal(figures(power('1000', { phase: 'L1-N' }), power('1000', { phase: 'L3-N' })).power_w, 2000);
  assert.equal(figures(power('1000', { phase: 'L1' }), power('1000', { phase: 'L1-N' })).power_w, 1000);
});

test('exported power is subtracted from imported power', () => {
  const of = figures({ value: '2500', measurand: 'Power.Active.Export' }, power('0'));
  assert.equal(of.power_w, -2500);
});

test('power follows from current and voltage where it is not measured', () => {
  assert.equal(figures(current('10', 'L1'), current('10', 'L2'), current('10', 'L3')).power_w, 6900);
  assert.equal(
    figures(current('10', 'L1'), voltage('240', 'L1-N'), current('5', 'L2'), voltage('230', 'L2-N')).power_w,
    3550,
  );
  assert.equal(figures(current('10'), voltage('400', 'L1-L2')).power_w, 2300);
  assert.equal(
    figures(current('10'), voltage('230', 'L1'), voltage('230', 'L2'), voltage('230', 'L3')).power_w,
    6900,
  );
  assert.equal(figures(voltage('230')).power_w, null);
});

test('the number of phases needs a station that tags all phases', () => {
  assert.equal(figures(current('10', 'L1'), current('0.1', 'L2'), current('0', 'L3')).phases, 1);
  assert.equal(figures(current('10', 'L1'), current('10', 'L2'), current('9', 'L3')).phases, 3);
  assert.equal(figures(current('10', 'L1')).phases, null);
});

test('samples of the car, and of Transaction.Begin, are not current values of the outlet', () => {
  const of = figures(
    { value: '1000', context: 'Transaction.Begin' },
    { value: '5000', context: 'Transaction.End' },
    { value: '7', location: 'EV', measurand: 'Power.Active.Import' },
  );
  assert.deepEqual([of.register_wh, of.power_w], [5000, null]);
  assert.equal(figures({ value: '1000', context: 'Transaction.Begin' }).register_wh, 1000);
});

test('a clock that is years off is rejected, one that lags a little is accepted', () => {
  const now = Date.parse('2026-11-21T09:00:00Z');
  assert.equal(soundTime('1970-01-01T00:00:01Z', now), null);
  assert.equal(soundTime('2036-01-01T00:00:00Z', now), null);
  assert.equal(soundTime('2026-11-21T10:00:00.123+01:00', now), now + 123);
  assert.equal(soundTime('2026-11-01T00:00:00Z', now), Date.parse('2026-11-01T00:00:00Z'));
});

test('a timestamp without an offset is UTC, whatever the time zone of the service', () => {
  const now = Date.parse('2026-11-21T23:00:00Z');
  const script = `
    const { soundTime } = await import(${JSON.stringify(new URL('../wire/values.ts', import.meta.url).href)});
    const timestamps = ['2026-11-21T22:45:50.165', '2026-11-21T22:45:50', '2026-11-21T22:45:50.1650000Z', '2026-11-21T23:45:50.165+01:00'];
    console.log(JSON.stringify(timestamps.map((timestamp) => soundTime(timestamp, ${now}))));
  `;
  const env = { TZ: 'Europe/Stockholm' };
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { env });
  const at = Date.parse('2026-11-21T22:45:50.165Z');
  assert.deepEqual(JSON.parse(output.toString()), [at, at - 165, at, at]);
});
