import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DeviceType } from '../../../adapter/device.ts';
import { QUARTER_MS } from '../../../core/durations.ts';
import { type DayPart, newPart } from './day-parts.ts';
import { createDaySums } from './day-sums.ts';
import type { DayOfDevice } from './store-days.ts';

/** Quarters since 1970 of the evening of 21 November 2026. */
const [AT_SIX, AT_SEVEN, AT_EIGHT] = [18, 19, 20].map(
  (hour) => Date.UTC(2026, 10, 21, hour) / QUARTER_MS,
) as [number, number, number];
/** 11,040 W for a quarter. */
const CHARGED = 2_760;

const device = (deviceType: DeviceType, more: Partial<DayOfDevice> = {}): DayOfDevice => ({
  ...{ number: 1, id: deviceType, userRef: 'anna', deviceType, isMetered: true, area: null },
  ...{ open: null, latest: undefined },
  ...more,
});
const used = (...quarters: readonly number[]): DayPart => ({
  ...newPart(),
  ...{ wh: quarters.length * CHARGED, quarters: [...quarters], energies: quarters.map(() => CHARGED) },
});
/** What was counted before a quarter, in the time since an earlier one. */
const usedLate = (from: number, until: number): DayPart => ({
  ...{ ...newPart(), wh: CHARGED },
  late: [{ start: from * QUARTER_MS, end: until * QUARTER_MS, wh: CHARGED }],
});

type Taken = readonly [DayOfDevice, DayPart];

async function sumsOf(...taken: readonly Taken[]) {
  const priced: number[] = [];
  const sums = createDaySums({
    take: async (_area, parts) => {
      priced.push(parts.reduce((sum, { wh }) => sum + (wh ?? 0), 0));
    },
  });
  for (const [one, part] of taken) await sums.take(one, [part]);
  return { ...(await sums.total()), priced };
}

describe('the sums of a day', () => {
  it('the sums of a day have a car at the charger of its user once, in energy and cost', async () => {
    const car: Taken = [device('vehicle'), used(AT_SIX, AT_SEVEN)];
    const charger: Taken = [device('charger'), used(AT_SIX, AT_SEVEN)];
    for (const order of [
      [car, charger],
      [charger, car],
    ]) {
      const { drawn, priced } = await sumsOf(...order);
      assert.deepEqual(drawn, { energy_wh: 2 * CHARGED, devices: 2, of: 2 });
      assert.deepEqual(priced, [2 * CHARGED, 0]);
    }
  });

  it('the sums of a day have what a car charges while no charger of its user does', async () => {
    const home: Taken = [device('charger'), used(AT_SIX)];
    const away: Taken = [device('vehicle'), used(AT_SIX, AT_EIGHT)];
    assert.equal((await sumsOf(home, away)).drawn.energy_wh, 2 * CHARGED);
    const neighbour: Taken = [device('charger', { userRef: 'bo' }), used(AT_SIX, AT_EIGHT)];
    assert.equal((await sumsOf(neighbour, away)).drawn.energy_wh, 4 * CHARGED);
  });

  it('the sums of a day leave out a car where only the time of a charge is not exact', async () => {
    const charger: Taken = [device('charger'), used(AT_SEVEN)];
    const late: Taken = [device('vehicle'), usedLate(AT_SIX, AT_EIGHT)];
    assert.equal((await sumsOf(charger, late)).drawn.energy_wh, CHARGED);
    const earlier: Taken = [device('vehicle'), usedLate(AT_SIX, AT_SEVEN)];
    assert.equal((await sumsOf(charger, earlier)).drawn.energy_wh, 2 * CHARGED);
    const inGap: DayPart = { ...newPart(), wh: CHARGED, unplacedWh: CHARGED };
    assert.equal((await sumsOf([device('vehicle'), inGap], charger)).drawn.energy_wh, CHARGED);
    assert.equal((await sumsOf([device('vehicle'), inGap])).drawn.energy_wh, CHARGED);
    assert.equal((await sumsOf([device('charger'), inGap], earlier)).drawn.energy_wh, CHARGED);
  });

  it('the sums of a day have the meters of a house on their own', async () => {
    const sums = await sumsOf(
      [device('industrial', { measures: 'grid' }), { ...used(AT_SIX, AT_SEVEN), backWs: 7_200 }],
      [device('industrial', { measures: 'house' }), used(AT_SIX)],
      [device('industrial', { measures: 'grid' }), used(AT_SIX)],
      [device('industrial', { id: 'press-grid' }), used(AT_EIGHT)],
      [device('charger'), used(AT_SIX)],
    );
    assert.deepEqual(sums.drawn, { energy_wh: 2 * CHARGED, devices: 2, of: 2 });
    assert.deepEqual(sums.drawnFromGrid, { energy_wh: 2 * CHARGED, devices: 1, of: 1 });
    assert.deepEqual(sums.usedByHouses, { energy_wh: CHARGED, devices: 1, of: 1 });
    assert.deepEqual(sums.givenToGrid, { energy_wh: 2, devices: 1, of: 1 });
    assert.deepEqual(sums.givenBack, { energy_wh: 0, devices: 0, of: 0 });
  });

  it('the sums of a day have what a car gives back through the charger of its user once', async () => {
    const back = { ...newPart(), backWs: 3_600 * 500 };
    const both = await sumsOf([device('vehicle'), back], [device('charger'), back]);
    assert.deepEqual(both.givenBack, { energy_wh: 500, devices: 1, of: 2 });
    const alone = await sumsOf([device('vehicle'), back], [device('charger'), used(AT_SIX)]);
    assert.deepEqual(alone.givenBack, { energy_wh: 500, devices: 1, of: 1 });
  });
});
