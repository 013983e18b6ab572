import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { kind } from '../../adapter/adapter.ts';
import { checkPlausible } from './odd-values.ts';

const HOUR = 3_600;

/** A charger at 11 kW whose meter is reported every so many seconds, in steps of `wh` for each watt-hour. */
async function check({ every, wh = 1 }: { every: number; wh?: number }): Promise<void> {
  let now = 0;
  let passes = 0;
  const reported = () => Math.floor(now / every) * every;
  await checkPlausible({
    simulator: {
      credentials: {},
      session: () => assert.fail('the check reads by itself'),
      arrange: async () => {},
      async pass(seconds) {
        now += seconds;
        passes += 1;
        assert.ok(passes < 200, 'a meter is not waited for without end');
      },
    },
    kind: kind({ read: async () => null, status: () => ({ online: true }), reads: {}, controls: {} }),
    ref: { account: 1, link: 'l', id: 'c', type: 'charger', details: {} },
    offered: ['read_power', 'read_energy', 'set_current'],
    see: async () => ({
      state: {
        online: true,
        charging: true,
        connected: true,
        power_w: 11_000,
        energy_wh: Math.round(1_000 + (11_000 * wh * reported()) / HOUR),
      },
      limits: { min_a: 6, max_a: 16, min_w: null, max_w: null },
      capacity: null,
    }),
  });
}

describe('the size of an energy', () => {
  it('the size of an energy is right however often the meter is reported, once an hour at the least', async () => {
    for (const every of [1, 60, 300, 900, HOUR]) await check({ every });
  });

  it('the size of an energy is wrong in another unit, also where the meter is reported once an hour', async () => {
    for (const every of [1, 900, HOUR])
      for (const wh of [0.01, 0.5, 2, 1_000]) await assert.rejects(check({ every, wh }), /energy_wh grew by/);
  });

  it('the size of an energy is wrong where it never grows', async () => {
    await assert.rejects(check({ every: 1e9 }), /energy_wh stays 1000 for an hour/);
    await assert.rejects(check({ every: 2 * HOUR }), /energy_wh stays/);
  });
});
