import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { beginOf, firstRange } from '../console/app/device/ranges.ts';
import { DAY_MS, HOUR_MS } from '../src/core/durations.ts';

const TO = Date.UTC(2026, 10, 27, 12);
const FROM = TO - DAY_MS;

describe('the range of the plots of a device', () => {
  it('the range of the plots of a device is first three hours, once it is older a day', () => {
    assert.equal(firstRange(TO - HOUR_MS, TO), 'hours');
    assert.equal(firstRange(TO - 4 * HOUR_MS, TO), 'day');
    assert.equal(firstRange(undefined, TO), 'day');
  });

  it('the range of the plots of a device begins when it was linked, in the day of that, and is three hours at least', () => {
    const begin = (ago: number) => TO - beginOf('day', { from: FROM, to: TO, linkedAt: TO - ago });
    assert.equal(begin(HOUR_MS), 3 * HOUR_MS);
    assert.equal(begin(5 * HOUR_MS), 5 * HOUR_MS);
    assert.equal(begin(9 * DAY_MS), DAY_MS);
    assert.equal(beginOf('day', { from: FROM, to: TO, linkedAt: undefined }), FROM);
    assert.equal(beginOf('week', { from: TO - 7 * DAY_MS, to: TO, linkedAt: TO }), TO - 7 * DAY_MS);
  });
});
