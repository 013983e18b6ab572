import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ENGINES, makePlace } from '../../test/kit/databases.ts';
import { type Clock, systemClock } from '../core/clock.ts';
import { systemRandom } from '../core/ids.ts';
import { createLease } from './lease.ts';

describe('a lease', { skip: ENGINES.includes('postgres') ? false : 'TEST_DATABASE_URL is not set' }, () => {
  it('a lease is held by one of two processes whose clocks differ by an hour, in either order', async () => {
    const place = await makePlace('postgres');
    const ahead: Clock = { ...systemClock, now: () => Date.now() + 3_600_000 };
    const here = await place.open();
    const there = await place.open(ahead);
    for (const [index, [first, second]] of [
      [here, there],
      [there, here],
    ].entries()) {
      assert.ok(first !== undefined && second !== undefined);
      const lease = { random: systemRandom, name: `work ${index}`, lengthMs: 30_000 };
      const held = createLease({ ...lease, database: first });
      const other = createLease({ ...lease, database: second });
      assert.equal(await held.hold(), true);
      assert.equal(await other.hold(), false);
      assert.equal(await held.hold(), true);
      await held.release();
      assert.equal(await other.hold(), true);
    }
    await here.close();
    await there.close();
    await place.remove();
  });
});
