import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { turnedClock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { createSightings } from './sightings.ts';
import type { Sighting } from './store.ts';

const sighting = (id: string, watt: number): Sighting => ({
  account: 1,
  vendor: 'v',
  id,
  seen: { state: { online: true, power_w: watt }, limits: null, capacity: null, observedAt: 0, fetchedAt: 0 },
});

/** A store that stores when it is told to, and notes what it is handed. */
function slowStore() {
  const handed: string[] = [];
  let waiting: (() => void)[] = [];
  const see = (kind: string) => (one: Sighting) => {
    handed.push(`${kind} ${one.id} ${one.seen.state.power_w}`);
    return new Promise<undefined>((resolve) => waiting.push(() => resolve(undefined)));
  };
  return {
    handed,
    store: { see: see('waited for'), seeInBackground: see('background') },
    async finish() {
      const all = waiting;
      waiting = [];
      for (const resolve of all) resolve();
      await new Promise(setImmediate);
    },
  };
}

function open() {
  const slow = slowStore();
  const clock = turnedClock();
  const told: number[] = [];
  const stored = (account: number) => void told.push(account);
  return {
    ...slow,
    clock,
    told,
    sightings: createSightings({ store: slow.store, clock, log: silentLog, stored }),
  };
}

const turn = () => new Promise(setImmediate);

describe('sightings', () => {
  it('do not make who waits for a commit wait for one of the background', async () => {
    const { sightings, clock, handed, finish, told } = open();
    sightings.add(sighting('read', 1), true);
    clock.turn(100);
    await turn();
    assert.deepEqual(handed, ['background read 1']);
    sightings.add(sighting('commanded', 2), false);
    const stored = sightings.flushForeground();
    await turn();
    assert.deepEqual(handed, ['background read 1', 'waited for commanded 2'], 'beside it');
    await finish();
    assert.equal(await stored, true);
    assert.deepEqual(told, [1, 1], 'once for each');
  });

  it('of one device are stored one after the other, in the order in which it was seen', async () => {
    const { sightings, clock, handed, finish } = open();
    sightings.add(sighting('d', 1), true);
    clock.turn(100);
    await turn();
    sightings.add(sighting('d', 2), false);
    const stored = sightings.flushForeground();
    await turn();
    assert.deepEqual(handed, ['background d 1'], 'the first is still under way');
    await finish();
    assert.deepEqual(handed, ['background d 1', 'waited for d 2']);
    await finish();
    assert.equal(await stored, true);
  });

  it('of one device are stored once, the newest, no later than somebody may wait for', async () => {
    const { sightings, handed, finish, clock } = open();
    sightings.add(sighting('d', 1), true);
    sightings.add(sighting('d', 2), false);
    sightings.add(sighting('d', 3), true);
    const stored = sightings.flushForeground();
    await turn();
    clock.turn(1_000);
    await turn();
    assert.deepEqual(handed, ['waited for d 3']);
    await finish();
    assert.equal(await stored, true);
  });

  it('are all stored when all is flushed', async () => {
    const { sightings, handed, finish } = open();
    sightings.add(sighting('a', 1), true);
    sightings.add(sighting('b', 2), false);
    assert.equal(sightings.pending(1), true);
    const stored = sightings.flush();
    await turn();
    assert.deepEqual(handed.toSorted(), ['background a 1', 'waited for b 2']);
    await finish();
    assert.equal(await stored, true);
    assert.equal(sightings.pending(1), false);
  });
});
