import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { turnedClock } from '../../../core/clock.ts';
import { silentLog } from '../../../core/log.ts';
import { localBus } from '../../../db/bus.ts';
import type { Database } from '../../../db/database.ts';
import { createFollower } from './follow.ts';
import { type Bounds, type EventRow, isAfter, type Position } from './store.ts';

const at = (tx: number): Position => ({ tx, id: tx });

/** A log as the test has it, and memory that follows it. */
function open() {
  const clock = turnedClock();
  const state = {
    tx: 5,
    removed: 0,
    heldSince: null as number | null,
    isAway: false,
  };
  const store = {
    async bounds(): Promise<Bounds> {
      if (state.isAway) throw new Error('away');
      return { end: at(state.tx), removed: at(state.removed), heldSince: state.heldSince, newestAt: null };
    },
    async all(after: Position, until: Position): Promise<EventRow[]> {
      const all = Array.from({ length: 20 }, (_, tx) => ({ ...at(tx), account_id: 1, device_id: `d${tx}` }));
      return all.filter(
        (row) => isAfter(row, after) && !isAfter(row, until) && row.tx > state.removed,
      ) as unknown as EventRow[];
    },
  };
  const written: ((events: number, ids: readonly number[]) => void)[] = [];
  const database = {
    engine: 'postgres',
    bus: localBus(),
    events: { onWritten: (listener: (typeof written)[number]) => void written.push(listener) },
    moments: { clock },
  } as unknown as Database;
  const follower = createFollower({ database, store, clock, log: silentLog });
  const dropped: (string | null)[] = [];
  const followed = follower.follow({
    drop: (rows) => void dropped.push(...rows.map(({ device_id }) => device_id)),
    dropAll: () => void dropped.push('all'),
  });
  return {
    ...{ clock, state, dropped, followed },
    write(ids: readonly number[]) {
      for (const listener of written) listener(ids.length, ids);
    },
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 100) {
        clock.turn(100);
        for (let turns = 0; turns < 5; turns += 1) await new Promise(setImmediate);
      }
    },
  };
}

describe('memory that follows the log', () => {
  it('memory that follows the log drops what has changed, and is current', async () => {
    const { state, followed, dropped, pass } = open();
    assert.equal(followed.isCurrent, false, 'nothing is read yet');
    await pass(100);
    assert.equal(followed.isCurrent, true);
    assert.deepEqual(dropped, [], 'what was there before it began');
    state.tx = 7;
    await pass(1_100);
    assert.deepEqual(dropped, ['d6', 'd7']);
  });

  it('memory that follows the log keeps what this process has changed itself', async () => {
    const { state, write, dropped, pass } = open();
    await pass(100);
    state.tx = 8;
    write([6, 8]);
    await pass(1_100);
    assert.deepEqual(dropped, ['d7']);
  });

  it('memory that follows the log is not current while the log cannot be read, and goes on where it was', async () => {
    const { state, followed, dropped, pass } = open();
    await pass(100);
    state.isAway = true;
    state.tx = 8;
    await pass(5_000);
    assert.equal(followed.isCurrent, false);
    assert.deepEqual(dropped, []);
    state.isAway = false;
    await pass(1_100);
    assert.equal(followed.isCurrent, true);
    assert.deepEqual(dropped, ['d6', 'd7', 'd8']);
  });

  it('memory that follows the log is not current while what is committed cannot be read', async () => {
    const { clock, state, followed, pass } = open();
    await pass(100);
    state.heldSince = clock.now();
    await pass(3_900);
    assert.equal(followed.isCurrent, true);
    await pass(200);
    assert.equal(followed.isCurrent, false);
    state.heldSince = null;
    await pass(1_100);
    assert.equal(followed.isCurrent, true);
  });

  it('memory that follows the log drops everything where events were removed before it has read them', async () => {
    const { state, followed, dropped, pass } = open();
    await pass(100);
    state.isAway = true;
    await pass(5_000);
    state.isAway = false;
    state.tx = 12;
    state.removed = 10;
    await pass(1_100);
    assert.deepEqual(dropped, ['all', 'd11', 'd12']);
    assert.equal(followed.isCurrent, true);
  });

  it('memory that follows the log drops everything where the server has lost what it had read, and reads what comes instead', async () => {
    const { state, dropped, pass } = open();
    await pass(100);
    state.tx = 3;
    await pass(1_100);
    assert.deepEqual(dropped, ['all']);
    state.tx = 4;
    await pass(1_100);
    assert.deepEqual(dropped, ['all', 'd4']);
  });
});
