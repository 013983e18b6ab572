import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFairQueue } from './thread-pool.ts';

const all = <T>(next: () => T | undefined): T[] => {
  const items: T[] = [];
  for (let item = next(); item !== undefined; item = next()) items.push(item);
  return items;
};

describe('a fair queue', () => {
  it('a fair queue alternates between accounts, whatever their number and order of items', () => {
    const queue = createFairQueue<string>({ what: 'plans', most: 16, mostOfAccount: 4 });
    for (const item of ['a1', 'a2', 'a3']) queue.add(1, item);
    for (const item of ['b1', 'b2']) queue.add(2, item);
    assert.equal(queue.next(), 'a1');
    queue.add(3, 'c1');
    assert.deepEqual(all(queue.next), ['b1', 'a2', 'c1', 'b2', 'a3']);
  });

  it('a fair queue holds at most four items of an account, whatever others have', () => {
    const queue = createFairQueue<number>({ what: 'plans', most: 16, mostOfAccount: 4 });
    for (let item = 0; item < 4; item += 1) queue.add(1, item);
    assert.throws(() => queue.add(1, 4), {
      code: 'limit.busy',
      message: '4 plans of yours are already waiting; retry',
      retryAfterSeconds: 2,
    });
    queue.add(2, 5);
    queue.next();
    queue.add(1, 6);
    assert.deepEqual(all(queue.next), [5, 1, 2, 3, 6]);
  });

  it('a fair queue holds a limited number of items in total', () => {
    const queue = createFairQueue<number>({ what: 'plans', most: 3, mostOfAccount: 2 });
    for (const account of [1, 1, 2]) queue.add(account, account);
    assert.throws(() => queue.add(3, 3), { message: '3 plans are already waiting; retry' });
    assert.deepEqual(queue.empty(), [1, 1, 2]);
    for (const account of [1, 1, 2]) queue.add(account, account);
    assert.throws(() => queue.add(3, 3), { code: 'limit.busy' });
    assert.equal(all(queue.next).length, 3);
    queue.add(3, 3);
  });
});
