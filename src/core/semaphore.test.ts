import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as settle } from 'node:timers/promises';
import { createSemaphore } from './semaphore.ts';

describe('a semaphore', () => {
  it('a semaphore runs a limited number of tasks, and the others in order of arrival', async () => {
    const semaphore = createSemaphore({ places: 2, waiting: 10 });
    const ends: (() => void)[] = [];
    const begun: number[] = [];
    const work = (name: number) =>
      semaphore.run(() => {
        begun.push(name);
        return new Promise<number>((resolve) => ends.push(() => resolve(name)));
      });
    const all = [1, 2, 3, 4].map(work);
    await settle();
    assert.deepEqual(begun, [1, 2]);
    ends[1]?.();
    await settle();
    assert.deepEqual(begun, [1, 2, 3]);
    ends[0]?.();
    await settle();
    for (const end of ends) end();
    assert.deepEqual(await Promise.all(all), [1, 2, 3, 4]);
  });

  it('a semaphore passes the slot of a failed task on to the next', async () => {
    const semaphore = createSemaphore({ places: 1, waiting: 1 });
    const failing = assert.rejects(
      semaphore.run(() => Promise.reject(new Error('no'))),
      /no/,
    );
    assert.equal(await semaphore.run(async () => 'yes'), 'yes');
    await failing;
  });

  it('a semaphore is full when no slot is free and enough callers wait, and still lets others wait', async () => {
    const semaphore = createSemaphore({ places: 1, waiting: 1 });
    const leave = await semaphore.acquire();
    assert.equal(semaphore.isFull, false);
    const second = semaphore.acquire();
    assert.equal(semaphore.isFull, true);
    const third = semaphore.acquire();
    leave();
    assert.equal(semaphore.isFull, true);
    (await second)();
    assert.equal(semaphore.isFull, false);
    (await third)();
  });

  it('a semaphore accepts the release of a slot once', async () => {
    const semaphore = createSemaphore({ places: 1, waiting: 0 });
    const leave = await semaphore.acquire();
    const entered: string[] = [];
    const waiting = ['second', 'third'].map(async (name) => {
      await semaphore.acquire();
      entered.push(name);
    });
    leave();
    leave();
    await settle();
    assert.deepEqual(entered, ['second']);
    assert.equal(waiting.length, 2);
  });

  it('a semaphore removes a waiting caller when its signal fires, and no other', async () => {
    const semaphore = createSemaphore({ places: 1, waiting: 10 });
    const leave = await semaphore.acquire();
    const gone = new AbortController();
    const controller = new AbortController();
    const left = assert.rejects(semaphore.acquire(gone.signal), /gone/);
    const waiting = semaphore.acquire(controller.signal);
    gone.abort(new Error('gone'));
    await left;
    leave();
    const leaveAgain = await waiting;
    // Once the slot is held, the signal no longer matters.
    controller.abort(new Error('late'));
    assert.equal(semaphore.isFull, false);
    leaveAgain();
    await assert.rejects(semaphore.acquire(gone.signal), /gone/);
    (await semaphore.acquire())();
  });
});
