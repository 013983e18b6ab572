import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { turnedClock } from '../core/clock.ts';
import { createFairSemaphore } from './fair-semaphore.ts';

const WAIT_MS = 5_000;

function made(count = 2, mostOfAccount = count - 1) {
  const clock = turnedClock();
  const slots = createFairSemaphore({ what: 'large requests', count, mostOfAccount, waitMs: WAIT_MS, clock });
  return { clock, slots };
}

/** Lets pending promise callbacks run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('a fair semaphore', () => {
  it('a fair semaphore has two slots; a third request waits for five seconds and is then refused', async () => {
    const { clock, slots } = made();
    await Promise.all([slots.take(1), slots.take(2)]);
    const third = slots.take(3);
    const refused = assert.rejects(third, { code: 'limit.busy', retryAfterSeconds: 5 });
    let settled = false;
    refused.then(() => {
      settled = true;
    });
    clock.turn(WAIT_MS - 1);
    await settle();
    assert.equal(settled, false);
    clock.turn(1);
    await refused;
  });

  it('a fair semaphore never gives all slots to one account', async () => {
    const { clock, slots } = made();
    const leave = await slots.take(1);
    let settled = false;
    const second = slots.take(1).finally(() => {
      settled = true;
    });
    await settle();
    assert.equal(settled, false);
    assert.equal(typeof (await slots.take(2)), 'function');
    leave();
    assert.equal(typeof (await second), 'function');
    const third = assert.rejects(slots.take(1), { code: 'limit.busy' });
    clock.turn(WAIT_MS);
    await third;
  });

  it('a fair semaphore gives a released slot to one waiting request, however often it is released', async () => {
    const { clock, slots } = made();
    const [leave] = await Promise.all([slots.take(1), slots.take(2)]);
    const third = slots.take(3);
    const fourth = assert.rejects(slots.take(4), { code: 'limit.busy' });
    leave();
    leave();
    assert.equal(typeof (await third), 'function');
    clock.turn(WAIT_MS);
    await fourth;
  });

  it('a fair semaphore prefers the account that holds the fewest slots', async () => {
    const { slots } = made(3);
    const [leave] = await Promise.all([slots.take(1), slots.take(1), slots.take(2)]);
    const order: string[] = [];
    const enter = async (account: number, name: string) => {
      const done = await slots.take(account);
      order.push(name);
      done();
    };
    const all = [enter(2, 'again'), enter(2, 'and again'), enter(3, 'another')];
    leave();
    await Promise.all(all);
    assert.deepEqual(order, ['another', 'again', 'and again']);
  });
});
