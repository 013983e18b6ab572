import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { turnedClock } from '../../../core/clock.ts';
import { silentLog } from '../../../core/log.ts';
import { createSnapshotWriter } from './snapshot-writer.ts';
import type { SnapshotWrite } from './store.ts';

const write = (id: string, watt: number): SnapshotWrite => ({
  account: 1,
  link: 'l',
  vendor: 'v',
  id,
  snapshot: {
    state: { online: true, power_w: watt },
    limits: null,
    capacity: null,
    observedAt: 0,
    fetchedAt: 0,
  },
});

/** A store that stores when it is told to, and notes what it is handed. */
function slowStore() {
  const handed: string[] = [];
  let waiting: (() => void)[] = [];
  const see = (kind: string) => (one: SnapshotWrite) => {
    handed.push(`${kind} ${one.id} ${one.snapshot.state.power_w}`);
    return new Promise<undefined>((resolve) => waiting.push(() => resolve(undefined)));
  };
  return {
    handed,
    store: { write: see('waited for'), writeInBackground: see('background') },
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
    writer: createSnapshotWriter({ store: slow.store, clock, log: silentLog, stored }),
  };
}

const turn = () => new Promise(setImmediate);

describe('the snapshot writer', () => {
  it('the snapshot writer does not make who waits for a commit wait for one of the background', async () => {
    const { writer, clock, handed, finish, told } = open();
    writer.add(write('read', 1), true);
    clock.turn(100);
    await turn();
    assert.deepEqual(handed, ['background read 1']);
    writer.add(write('commanded', 2), false);
    const stored = writer.flushForeground();
    await turn();
    assert.deepEqual(handed, ['background read 1', 'waited for commanded 2'], 'beside it');
    await finish();
    assert.equal(await stored, true);
    assert.deepEqual(told, [1, 1], 'once for each');
  });

  it('snapshots of one device are stored one after the other, in the order in which it was seen', async () => {
    const { writer, clock, handed, finish } = open();
    writer.add(write('d', 1), true);
    clock.turn(100);
    await turn();
    writer.add(write('d', 2), false);
    const stored = writer.flushForeground();
    await turn();
    assert.deepEqual(handed, ['background d 1'], 'the first is still under way');
    await finish();
    assert.deepEqual(handed, ['background d 1', 'waited for d 2']);
    await finish();
    assert.equal(await stored, true);
  });

  it('snapshots of one device are stored once, the newest, no later than somebody may wait for', async () => {
    const { writer, handed, finish, clock } = open();
    writer.add(write('d', 1), true);
    writer.add(write('d', 2), false);
    writer.add(write('d', 3), true);
    const stored = writer.flushForeground();
    await turn();
    clock.turn(1_000);
    await turn();
    assert.deepEqual(handed, ['waited for d 3']);
    await finish();
    assert.equal(await stored, true);
  });

  it('snapshots are all stored when all is flushed', async () => {
    const { writer, handed, finish } = open();
    writer.add(write('a', 1), true);
    writer.add(write('b', 2), false);
    assert.equal(writer.pending(1), true);
    const stored = writer.flush();
    await turn();
    assert.deepEqual(handed.toSorted(), ['background a 1', 'waited for b 2']);
    await finish();
    assert.equal(await stored, true);
    assert.equal(writer.pending(1), false);
  });
});
