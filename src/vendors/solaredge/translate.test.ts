import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recordedIn } from '../../../test/kit/vendor-world.ts';
import { HOUR_MS } from '../../core/durations.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { solaredge } from './index.ts';
import { type Details, readingIn, type SiteReading } from './translate.ts';

const recorded = recordedIn(import.meta.dirname);
const { battery: batteryKind } = solaredge.kinds;

const NOW = Date.parse('2026-09-29T12:50:00-05:00');
const PLACE: Details['place'] = {
  site: '1234567',
  zone: 'America/Chicago',
  since: '2021-04-01',
  has: ['inverters', 'storage'],
};
const inverter = (batteries: string[] | null): Details => ({
  serial: '7E1234B5-67',
  place: PLACE,
  batteries,
});
const BATTERY: Details = { serial: 'BATT-001', place: PLACE, batteries: [] };
const family = (name: string, key: string) => (recorded(name) as JsonObject)[key] as JsonObject;
const site = (more: Partial<SiteReading> = {}): SiteReading => ({
  now: NOW,
  inverters: family('inverters-telemetry', 'inverters'),
  storage: family('storage-telemetry', 'storage'),
  meters: { until: 0, wh: {} },
  years: {},
  heardAt: null,
  ...more,
});

describe('what was recorded', () => {
  it('of an inverter is read as watt and watt-hours, with the end of the last quarter that has a value', () => {
    const until = Date.parse('2026-09-29T12:30:00-05:00');
    const reading = readingIn(
      site({ meters: { until, wh: { '7E1234B5-67': 1_000 } } }),
      'inverters',
      inverter([]),
    );
    assert.deepEqual(reading, {
      online: true,
      observedAt: Date.parse('2026-09-29T12:45:00-05:00'),
      powerW: -4_310,
      productionW: 4_310,
      energyWh: 2_077.7,
      unrecognized: [],
    });
    const withBattery = readingIn(site(), 'inverters', inverter(['BATT-001']));
    assert.equal(withBattery?.productionW, 4_310 + 2_750, 'its battery takes the rest');
    assert.equal(withBattery?.energyWh, null, 'without meters');
    assert.equal(readingIn(site(), 'inverters', inverter(null))?.productionW, null);
  });

  it('of a battery is positive while it charges', () => {
    const reading = readingIn(site(), 'storage', BATTERY);
    const observedAt = Date.parse('2026-09-29T12:45:00-05:00');
    assert.deepEqual(reading, { online: true, observedAt, powerW: 2_750, soc: 67.8, unrecognized: [] });
    assert.equal(batteryKind.status(reading).charging, true);
    assert.equal(readingIn(site(), 'storage', { ...BATTERY, serial: 'another' }), undefined);
  });

  it('of a battery that does not report is its last charge, at the older time of power and charge', () => {
    const later = readingIn(site({ now: NOW + 2 * HOUR_MS }), 'storage', BATTERY);
    assert.deepEqual([later?.online, later?.powerW, later?.soc], [false, null, 67.8]);
    const { chargePower, stateOfEnergy } = site().storage['BATT-001'] as { [metric: string]: JsonObject };
    const values = [{ timestamp: '2026-09-29T12:15:00-05:00', value: 60 }];
    const lagging = {
      'BATT-001': { chargePower: chargePower ?? {}, stateOfEnergy: { ...stateOfEnergy, values } },
    };
    const reading = readingIn(site({ storage: lagging }), 'storage', BATTERY);
    assert.equal(reading?.observedAt, Date.parse('2026-09-29T12:30:00-05:00'));
  });

  it('of an inverter that takes some power is no production', () => {
    const values = [{ timestamp: '2026-09-29T12:30:00-05:00', value: -4 }];
    const inverters = { '7E1234B5-67': { power: { unit: 'W', values } } };
    const reading = readingIn(site({ inverters }), 'inverters', inverter([]));
    assert.deepEqual([reading?.powerW, reading?.productionW], [4, 0]);
  });
});

describe('units', () => {
  it('that are not recognized leave their field out, and are reported', () => {
    const odd = (metrics: Json, metric: string): JsonObject => {
      const series = (metrics as JsonObject)[metric] as JsonObject;
      return { ...(metrics as JsonObject), [metric]: { ...series, unit: 'PERCENTAGE_100' } };
    };
    const { storage, inverters } = site();
    const battery = odd(storage['BATT-001'] ?? null, 'stateOfEnergy');
    const reading = readingIn(site({ storage: { 'BATT-001': battery } }), 'storage', BATTERY);
    assert.deepEqual([reading?.soc, reading?.powerW, reading?.online], [null, 2_750, true]);
    assert.deepEqual(reading?.unrecognized, ['unit of stateOfEnergy "PERCENTAGE_100"']);
    const years = { '7E1234B5-67': odd(inverters['7E1234B5-67'] ?? null, 'energy') };
    assert.deepEqual(readingIn(site({ years }), 'inverters', inverter([]))?.unrecognized, [
      'unit of energy "PERCENTAGE_100"',
    ]);
  });
});
