import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EventRow } from '../events/index.ts';
import { stepsOf } from './steps.ts';

describe('what events say of a device', () => {
  const unreachable = (occurred_at: number, data: object) =>
    stepsOf({ type: 'device.unreachable', occurred_at, data_json: JSON.stringify(data) } as EventRow);

  it('what events say of a device that was lost ends with its last good read', () => {
    const to = { online: false, power_w: 60 };
    assert.deepEqual(unreachable(9_000, { to, fetched_at: 5_000, confirmed_at: 5_000 }), [
      { at: 5_001, values: null },
    ]);
  });

  it('what events say of a device that was lost, and that was to be read again, ends when it was lost', () => {
    assert.deepEqual(unreachable(9_000, { to: { online: false }, fetched_at: 0 }), [
      { at: 9_000, values: null },
    ]);
  });
});
