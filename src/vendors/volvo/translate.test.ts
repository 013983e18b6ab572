import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recordedIn } from '../../../test/kit/vendor-world.ts';
import { kindOf, stateOf } from '../../adapter/derive.ts';
import { objectIn } from '../../adapter/kit/index.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { volvo } from './index.ts';
import { type CarReading, observedAt, unrecognizedIn } from './translate.ts';

const recorded = (name: string) => objectIn(recordedIn(import.meta.dirname)(name));
const vehicle = kindOf(volvo, 'vehicle');
const BOTH = ['read_battery_soc', 'read_power'] as const;

const AVAILABLE = objectIn(recorded('command-accessibility').data);
const FUEL = objectIn(recorded('fuel').data);
const reading = (energy: JsonObject | undefined, more: Partial<CarReading> = {}): CarReading => ({
  energy,
  fuel: undefined,
  accessibility: AVAILABLE,
  ...more,
});
const state = (car: CarReading) => stateOf(vehicle, car, BOTH);
const at = (car: CarReading) => new Date(observedAt(car) ?? 0).toISOString();

/** The recorded state of a charging XC40 with other fields. */
const charging = (change: Readonly<Record<string, JsonObject>>) => {
  const fields = recorded('energy-state-xc40');
  const changed = Object.entries(change).map(([name, of]) => [name, { ...objectIn(fields[name]), ...of }]);
  return reading({ ...fields, ...Object.fromEntries(changed) });
};
const unavailable = (unavailableReason: string) => ({
  accessibility: { availabilityStatus: { value: 'UNAVAILABLE', unavailableReason } },
});

describe('recorded states', () => {
  it('of an XC40 that charges: its power and time left, and the time of what changes by itself', () => {
    const car = reading(recorded('energy-state-xc40'));
    assert.deepEqual(state(car), {
      online: true,
      connected: true,
      charging: true,
      operation_state: 'CHARGING',
      remaining_seconds: 86_400,
      battery_soc: 53,
      power_w: 1_386,
    });
    assert.equal(at(car), '2025-07-02T08:51:23.000Z');
    assert.deepEqual(unrecognizedIn(car), []);
  });

  it('of an EX30 that is not plugged in: no time left, and 0 W where the power is not there', () => {
    assert.deepEqual(state(reading(recorded('energy-state-ex30'))), {
      online: true,
      connected: false,
      charging: false,
      operation_state: 'IDLE',
      battery_soc: 38,
      power_w: 0,
    });
  });

  it('of plug-in hybrids: the charge level of one, and that of the fuel API of another', () => {
    const xc90 = reading(recorded('energy-state-xc90'));
    assert.deepEqual([state(xc90).battery_soc, unrecognizedIn(xc90)], [87, []]);
    const xc60 = reading(recorded('energy-state-xc60'));
    assert.deepEqual([state(xc60).battery_soc, state(xc60).connected], [null, false]);
    const fuelled = { ...xc60, fuel: FUEL };
    assert.equal(state(fuelled).battery_soc, 87);
    assert.equal(at(fuelled), '2025-08-07T20:29:18.000Z', 'the newest of all');
    assert.equal(at(reading(undefined, { fuel: FUEL })), '2020-11-19T21:23:24.123Z');
  });

  it('of a car of which nothing is supported: online, and nothing else', () => {
    const car = reading(recorded('energy-state-none'));
    const nothing = { connected: null, charging: null, operation_state: null };
    assert.deepEqual(state(car), { online: true, ...nothing, battery_soc: null, power_w: null });
    assert.equal(observedAt(car), null);
  });
});

describe('the state of a car', () => {
  it('is what its words mean', () => {
    const of = (status: string) => {
      const {
        charging: is,
        power_w,
        remaining_seconds,
      } = state(charging({ chargingStatus: { value: status } }));
      return [status, is, power_w, remaining_seconds];
    };
    const words = ['CHARGING', 'IDLE', 'SCHEDULED', 'DONE', 'ERROR', 'DISCHARGING', 'HOLIDAY'];
    assert.deepEqual(words.map(of), [
      ['CHARGING', true, 1_386, 86_400],
      ['IDLE', false, 1_386, undefined],
      ['SCHEDULED', false, 1_386, undefined],
      ['DONE', false, 1_386, undefined],
      ['ERROR', false, 1_386, undefined],
      ['DISCHARGING', false, null, undefined],
      ['HOLIDAY', null, null, undefined],
    ]);
    const plugged = (value: string) => state(charging({ chargerConnectionStatus: { value } })).connected;
    assert.deepEqual(['CONNECTED', 'DISCONNECTED', 'FAULT'].map(plugged), [true, false, true]);
  });

  it('has no power where a car that charges says 0 W, as it does not measure it', () => {
    assert.equal(state(charging({ chargingPower: { value: 0 } })).power_w, null);
    assert.equal(state(charging({ chargingPower: { value: 10_656 } })).power_w, 10_656);
  });

  it('leaves out what has an unknown unit, and reports what is not recognized', () => {
    const units = charging({
      batteryChargeLevel: { unit: 'kilowatt_hours' },
      chargingPower: { unit: 'horsepower' },
    });
    assert.deepEqual([state(units).battery_soc, state(units).power_w], [null, null]);
    assert.deepEqual(unrecognizedIn(units), [
      'unit of batteryChargeLevel "kilowatt_hours"',
      'unit of chargingPower "horsepower"',
    ]);
    const words = charging({
      chargingStatus: { value: 'HOLIDAY' },
      chargerConnectionStatus: { status: 'LATER' },
    });
    assert.deepEqual(unrecognizedIn({ ...words, ...unavailable('AT_THE_SPA') }), [
      'status of chargerConnectionStatus "LATER"',
      'chargingStatus "HOLIDAY"',
      'unavailableReason "AT_THE_SPA"',
    ]);
  });

  it('is offline where Volvo does not reach the car, and keeps the charge level', () => {
    const of = (reason: string) => {
      const {
        online,
        connected,
        charging: is,
        operation_state,
        battery_soc,
        power_w,
      } = state(reading(recorded('energy-state-xc40'), unavailable(reason)));
      return [reason, online, connected, is, operation_state, battery_soc, power_w];
    };
    for (const reason of ['NO_INTERNET', 'POWER_SAVING_MODE', 'UNSPECIFIED', 'AT_THE_SPA'])
      assert.deepEqual(of(reason), [reason, false, null, null, reason, 53, null]);
    for (const reason of ['CAR_IN_USE', 'OTA_INSTALLATION_IN_PROGRESS'])
      assert.deepEqual(of(reason), [reason, true, true, true, 'CHARGING', 53, 1_386]);
    const unsaid = reading(recorded('energy-state-xc40'), {
      accessibility: { availabilityStatus: { value: 'UNSPECIFIED' } },
    });
    assert.equal(state(unsaid).online, true);
  });

  it('takes no charge level of 0 from the fuel API, and none in another unit', () => {
    const fuelled = (value: Json, unit: string) =>
      reading(undefined, { fuel: { batteryChargeLevel: { value, unit } } });
    const of = (value: Json, unit = '%') => state(fuelled(value, unit)).battery_soc;
    assert.deepEqual(unrecognizedIn(fuelled(90, 'kWh')), ['unit of fuel "kWh"']);
    assert.deepEqual(
      [of('0.0'), of(0), of(90), of('90', 'kWh'), of(null), of(true)],
      [null, null, 90, null, null, null],
    );
  });
});
