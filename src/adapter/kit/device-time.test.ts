import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { turnedClock } from '../../core/clock.ts';
import { deviceTimes } from './device-time.ts';

/** Asks when something was measured, at a time of ours and by what the device says. */
function asking(zone: 'said' | 'none' = 'said') {
  const clock = turnedClock();
  const times = deviceTimes(zone);
  return (now: string, said: unknown, link = 'a') => {
    clock.turn(Date.parse(now) - clock.now());
    const at = times({ account: 1, link, clock }, said);
    return at === null ? null : new Date(at).toISOString();
  };
}

describe('the time of a device', () => {
  it('the time of a device is when it measured, and one that stays says that the state is old', () => {
    const ask = asking();
    assert.equal(ask('2026-11-24T12:00:05Z', '2026-11-24T12:00:03Z'), '2026-11-24T12:00:03.000Z');
    assert.equal(ask('2026-11-24T12:10:00Z', '2026-11-24T12:00:03UTC'), '2026-11-24T12:00:03.000Z');
    assert.equal(ask('2026-11-24T12:20:00Z', '2026-11-24T13:19:59+01:00'), '2026-11-24T12:19:59.000Z');
  });

  it('the time of a device that is years old is old, until it is seen to go on', () => {
    const ask = asking();
    assert.equal(ask('2026-11-24T12:00:00Z', '2021-03-08T08:43:12UTC'), '2021-03-08T08:43:12.000Z');
    assert.equal(ask('2026-11-24T12:01:00Z', '2021-03-08T08:43:12UTC'), '2021-03-08T08:43:12.000Z');
    assert.equal(ask('2026-11-24T12:02:00Z', '2021-03-08T08:45:12UTC'), '2026-11-24T12:02:00.000Z');
    assert.equal(ask('2026-11-24T12:03:00Z', '2021-03-08T08:45:12UTC'), '2026-11-24T12:02:00.000Z');
  });

  it('the time of a device whose clock is fast is now', () => {
    const ask = asking();
    assert.equal(ask('2026-11-24T12:00:00Z', '2026-11-24T12:30:00Z'), '2026-11-24T12:00:00.000Z');
    assert.equal(ask('2026-11-24T12:01:00Z', '2026-11-24T12:30:00Z'), '2026-11-24T12:00:00.000Z');
  });

  it('the time of a device without a zone is of any zone, and old beyond all of them', () => {
    const ask = asking('none');
    assert.equal(ask('2026-07-24T12:00:05Z', '2026-07-24 14:00:03'), '2026-07-24T12:00:03.000Z');
    assert.equal(ask('2026-07-24T12:10:05Z', '2026-07-24 14:00:03'), '2026-07-24T12:00:03.000Z');
    assert.equal(ask('2026-11-24T12:00:00Z', '2021-03-05 14:21:44', 'b'), '2021-03-05T14:21:44.000Z');
  });

  it('the time of a device that says none is not known, and links are told apart', () => {
    const ask = asking();
    for (const said of [undefined, null, '', 'yesterday', 5])
      assert.equal(ask('2026-11-24T12:00:00Z', said), null);
    assert.equal(ask('2026-11-24T12:00:00Z', '2026-11-24T11:59:00Z'), '2026-11-24T11:59:00.000Z');
    assert.equal(ask('2026-11-24T12:09:00Z', '2026-11-24T11:59:00Z', 'b'), '2026-11-24T11:59:00.000Z');
  });
});
