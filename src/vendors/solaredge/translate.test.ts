import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recordedIn } from '../../../test/kit/vendor-world.ts';
import { HOUR_MS, MINUTE_MS } from '../../core/durations.ts';
import type { JsonObject } from '../../core/json.ts';
import { solaredge } from './index.ts';
import { asleepIn, batteryIn, solarIn } from './translate.ts';

const recorded = recordedIn(import.meta.dirname);
const { battery: batteryKind } = solaredge.kinds;

const energy = recorded('energy') as JsonObject;
const CALLED = Date.parse('2026-08-24T17:05:45+01:00');
const ENDED = Date.parse('2026-08-24T17:00:00+01:00');
const TOTAL = { unit: 'KWH', values: [{ timestamp: '2000-01-01T00:00:00Z', value: 41_234.5 }] };

const { storage } = recorded('storage-telemetry') as {
  storage: Record<string, Record<'chargePower' | 'stateOfEnergy', JsonObject>>;
};
const NOW = Date.parse('2026-09-29T12:50:00-05:00');
const batteryOf = (changes: JsonObject = {}, now = NOW) =>
  batteryIn({ 'BATT-001': { ...storage['BATT-001'], ...changes } }, 'BATT-001', now);

describe('a recorded site', () => {
  it('produces the mean power of the last quarter that has a value', () => {
    assert.deepEqual(solarIn(energy, TOTAL, CALLED), {
      online: true,
      observedAt: ENDED,
      productionW: 4 * 259,
      energyWh: 41_234_500,
      unrecognized: [],
    });
  });

  it('is offline once it is silent for an hour; its energy stays', () => {
    assert.equal(solarIn(energy, TOTAL, ENDED + HOUR_MS).online, true);
    const silent = solarIn(energy, TOTAL, ENDED + HOUR_MS + MINUTE_MS);
    assert.deepEqual([silent.online, silent.productionW, silent.energyWh], [false, null, 41_234_500]);
    assert.deepEqual(solarIn({ unit: 'WH', values: [] }, {}, CALLED), {
      online: false,
      observedAt: null,
      productionW: null,
      energyWh: null,
      unrecognized: [],
    });
  });

  it('sleeps without sun as long as SolarEdge hears from it', () => {
    const { lastUpdateTime = null } = recorded('site') as JsonObject;
    const now = Date.parse('2026-09-29T13:40:00-05:00');
    const silent = solarIn(energy, TOTAL, now);
    assert.deepEqual(asleepIn(silent, lastUpdateTime, now), {
      ...silent,
      online: true,
      observedAt: Date.parse('2026-09-29T12:45:00-05:00'),
      productionW: 0,
    });
    for (const heard of [null, 'now', '2026-09-29T12:30:00-05:00'])
      assert.deepEqual(asleepIn(silent, heard, now), silent);
  });

  it('takes some power at times, which is no production', () => {
    const values = [{ timestamp: '2026-08-24T16:45:00+01:00', value: -1 }];
    assert.equal(solarIn({ unit: 'WH', values }, {}, CALLED).productionW, 0);
  });
});

describe('a recorded battery', () => {
  it('takes what is positive', () => {
    const reading = batteryOf();
    const observedAt = Date.parse('2026-09-29T12:45:00-05:00');
    assert.deepEqual(reading, { online: true, observedAt, powerW: 2_750, soc: 67.8, unrecognized: [] });
    assert.equal(batteryKind.status(reading).charging, true);
    assert.equal(batteryIn(storage, 'another', NOW), undefined);
    assert.equal(batteryIn({}, 'constructor', NOW), undefined);
  });

  it('gives what is negative, whether the other power is 0 or left out', () => {
    const values = [{ timestamp: '2026-09-29T12:30:00-05:00', value: 1.2 }];
    const dischargePower = { unit: 'KW', values };
    const chargePower = { unit: 'W', values: [{ timestamp: '2026-09-29T12:30:00-05:00', value: 0 }] };
    for (const charge of [chargePower, { unit: 'W', values: [] }]) {
      const reading = batteryOf({ chargePower: charge, dischargePower });
      assert.equal(reading?.powerW, -1_200);
      assert.equal(batteryKind.status(reading).charging, false);
    }
  });

  it('that is silent has its last charge, at the older time of power and charge', () => {
    const later = batteryOf({}, NOW + 2 * HOUR_MS);
    assert.deepEqual([later?.online, later?.powerW, later?.soc], [false, null, 67.8]);
    const values = [{ timestamp: '2026-09-29T12:15:00-05:00', value: 60 }];
    const lagging = batteryOf({ stateOfEnergy: { unit: 'PERCENTAGE', values } });
    assert.equal(lagging?.observedAt, Date.parse('2026-09-29T12:30:00-05:00'));
  });
});

describe('a unit that is not recognized', () => {
  it('leaves its field out, is reported, and is no reason to be offline, asleep or idle', () => {
    const odd = { ...energy, unit: 'JOULE' };
    const site = solarIn(odd, { ...TOTAL, unit: 'JOULE' }, CALLED);
    assert.deepEqual([site.online, site.productionW, site.energyWh], [true, null, null]);
    assert.deepEqual(site.unrecognized, ['unit of energy "JOULE"', 'unit of total energy "JOULE"']);
    assert.equal(solarIn(odd, TOTAL, CALLED).energyWh, 41_234_500);

    const charge = batteryOf({
      stateOfEnergy: { ...storage['BATT-001']?.stateOfEnergy, unit: 'PERCENTAGE_100' },
    });
    assert.deepEqual([charge?.soc, charge?.powerW, charge?.online], [null, 2_750, true]);
    assert.deepEqual(charge?.unrecognized, ['unit of stateOfEnergy "PERCENTAGE_100"']);
    const values = [{ timestamp: '2026-09-29T12:30:00-05:00', value: 0 }];
    const flow = batteryOf({
      chargePower: { ...storage['BATT-001']?.chargePower, unit: 'HP' },
      dischargePower: { unit: 'W', values },
    });
    assert.deepEqual([flow?.powerW, batteryKind.status(flow).charging], [null, null]);
    assert.deepEqual(flow?.unrecognized, ['unit of chargePower "HP"']);
  });
});
