import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { testVendor } from '../../../../test/kit/vendor-for-tests.ts';
import type { Adapter } from '../../../adapter/adapter.ts';
import type { Session } from '../../../adapter/session.ts';
import { turnedClock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import { createGatheredReads } from './gathered-reads.ts';
import type { CachedDevice } from './memory.ts';

const deviceOf = (id: string, link = 'lnk_1') =>
  ({ account: 1, link, vendor: 'testvendor', type: 'light', id }) as CachedDevice['row'];

/** A vendor that is asked by `read`: every call is noted, and ends when the test says. */
function vendorAsked(sweeps: boolean, left: readonly string[] = []) {
  const asked: string[] = [];
  const open: PromiseWithResolvers<void>[] = [];
  const clock = turnedClock();
  const { adapter } = testVendor();
  const swept: Adapter = {
    ...adapter,
    sweep: async (_session, devices) =>
      new Map(devices.filter(({ id }) => !left.includes(id)).map(({ id }) => [id, `swept ${id}`])),
  };
  const calls = {
    async withVendor<T>(device: { id?: string }, _use: string, work: (session: Session) => Promise<T>) {
      const call = Promise.withResolvers<void>();
      open.push(call);
      asked.push(device.id ?? '');
      await call.promise;
      return work({} as Session);
    },
  };
  const read = createGatheredReads(clock, calls as never);
  const ended = async (index: number, error?: Error) => {
    if (error === undefined) open[index]?.resolve();
    else open[index]?.reject(error);
    await setImmediate();
  };
  return {
    asked,
    clock,
    ended,
    read: (id: string, link?: string) => read(sweeps ? swept : adapter, deviceOf(id, link)),
  };
}

describe('reads that somebody waits for', () => {
  it('devices of a link that are wanted while another is read are read together after it', async () => {
    const { asked, ended, read } = vendorAsked(true);
    const first = read('a');
    const others = Promise.all([read('b'), read('c'), read('d')]);
    await setImmediate();
    assert.deepEqual(asked, ['a']);
    await ended(0);
    assert.deepEqual(asked, ['a', 'b']);
    const later = Promise.all([read('e'), read('f')]);
    await ended(1);
    assert.deepEqual(await others, ['swept b', 'swept c', 'swept d']);
    assert.deepEqual(asked, ['a', 'b', 'e']);
    await ended(2);
    assert.deepEqual(await later, ['swept e', 'swept f']);
    assert.deepEqual(await first, { online: true, on: false, watt: 10 });
  });

  it('devices of other links, and of vendors that are asked for one device at a time, do not wait', async () => {
    const others = vendorAsked(true);
    const reads = [others.read('a'), others.read('b', 'lnk_2')];
    assert.deepEqual(others.asked, ['a', 'b']);
    const alone = vendorAsked(false);
    const singly = [alone.read('a'), alone.read('b')];
    assert.deepEqual(alone.asked, ['a', 'b']);
    for (const { ended } of [others, alone]) for (const index of [0, 1]) await ended(index);
    await Promise.all([...reads, ...singly]);
  });

  it('a device that hangs holds up the others of its link for a second', async () => {
    const { asked, clock, ended, read } = vendorAsked(true);
    const hanging = read('a');
    const others = Promise.all([read('b'), read('c')]);
    clock.turn(999);
    await setImmediate();
    assert.deepEqual(asked, ['a']);
    clock.turn(1);
    await setImmediate();
    assert.deepEqual(asked, ['a', 'b']);
    await ended(1);
    assert.deepEqual(await others, ['swept b', 'swept c']);
    await ended(0);
    await hanging;
  });

  it('a read that fails costs the others nothing, and one that was left out of an answer is read by itself', async () => {
    const { asked, ended, read } = vendorAsked(true, ['c']);
    const fails = assert.rejects(read('a'), /no answer/);
    const others = Promise.all([read('b'), read('c')]);
    await ended(0, new AppError('vendor.unreachable', 'no answer'));
    await fails;
    await ended(1);
    assert.deepEqual(asked, ['a', 'b', 'c']);
    await ended(2);
    assert.deepEqual(await others, ['swept b', { online: true, on: false, watt: 10 }]);
  });
});
