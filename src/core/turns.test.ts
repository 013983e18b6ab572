import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTurns } from './turns.ts';

const all = <T>(next: () => T | undefined): T[] => {
  const items: T[] = [];
  for (let item = next(); item !== undefined; item = next()) items.push(item);
  return items;
};

describe('turns', () => {
  it('are taken by accounts, not by who sent more or first', () => {
    const turns = createTurns<string>({ what: 'plans', most: 16, mostOfAccount: 4 });
    for (const item of ['a1', 'a2', 'a3']) turns.add(1, item);
    for (const item of ['b1', 'b2']) turns.add(2, item);
    assert.equal(turns.next(), 'a1');
    turns.add(3, 'c1');
    assert.deepEqual(all(turns.next), ['b1', 'a2', 'c1', 'b2', 'a3']);
  });

  it('are waited for by four of an account, whatever others have', () => {
    const turns = createTurns<number>({ what: 'plans', most: 16, mostOfAccount: 4 });
    for (let item = 0; item < 4; item += 1) turns.add(1, item);
    assert.throws(() => turns.add(1, 4), {
      code: 'limit.busy',
      message: '4 plans of yours wait already; try again',
      retryAfterSeconds: 2,
    });
    turns.add(2, 5);
    turns.next();
    turns.add(1, 6);
    assert.deepEqual(all(turns.next), [5, 1, 2, 3, 6]);
  });

  it('are waited for by so many in all', () => {
    const turns = createTurns<number>({ what: 'plans', most: 3, mostOfAccount: 2 });
    for (const account of [1, 1, 2]) turns.add(account, account);
    assert.throws(() => turns.add(3, 3), { message: '3 plans wait already; try again' });
    assert.deepEqual(turns.empty(), [1, 1, 2]);
    for (const account of [1, 1, 2]) turns.add(account, account);
    assert.throws(() => turns.add(3, 3), { code: 'limit.busy' });
    assert.equal(all(turns.next).length, 3);
    turns.add(3, 3);
  });
});
