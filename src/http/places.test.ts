import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { turnedClock } from '../core/clock.ts';
import { createPlaces } from './places.ts';

const WAIT_MS = 5_000;

function made(count = 2) {
  const clock = turnedClock();
  return { clock, places: createPlaces({ count, waitMs: WAIT_MS, clock }) };
}

/** Lets what was settled be noticed. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('places', () => {
  it('are two; a third waits for five seconds and is then refused', async () => {
    const { clock, places } = made();
    await Promise.all([places.take(1), places.take(2)]);
    const third = places.take(3);
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

  it('are never all held by one account', async () => {
    const { clock, places } = made();
    const leave = await places.take(1);
    let settled = false;
    const second = places.take(1).finally(() => {
      settled = true;
    });
    await settle();
    assert.equal(settled, false);
    assert.equal(typeof (await places.take(2)), 'function');
    leave();
    assert.equal(typeof (await second), 'function');
    const third = assert.rejects(places.take(1), { code: 'limit.busy' });
    clock.turn(WAIT_MS);
    await third;
  });

  it('go to who waits when one is left, once however often it is left', async () => {
    const { clock, places } = made();
    const [leave] = await Promise.all([places.take(1), places.take(2)]);
    const third = places.take(3);
    const fourth = assert.rejects(places.take(4), { code: 'limit.busy' });
    leave();
    leave();
    assert.equal(typeof (await third), 'function');
    clock.turn(WAIT_MS);
    await fourth;
  });

  it('go to the account that holds the fewest', async () => {
    const { places } = made(3);
    const [leave] = await Promise.all([places.take(1), places.take(1), places.take(2)]);
    const order: string[] = [];
    const enter = async (account: number, name: string) => {
      const done = await places.take(account);
      order.push(name);
      done();
    };
    const all = [enter(2, 'again'), enter(2, 'and again'), enter(3, 'another')];
    leave();
    await Promise.all(all);
    assert.deepEqual(order, ['another', 'again', 'and again']);
  });
});
