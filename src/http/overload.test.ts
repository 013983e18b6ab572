import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Clock } from '../core/clock.ts';
import { createOverload } from './overload.ts';

/** A process whose event loop turns when the test says: a timer that is due fires at the end of a turn, however late. */
function loop() {
  let now = Date.UTC(2026, 10, 27);
  let due: { at: number; fire: () => void } | undefined;
  const clock: Clock = {
    now: () => now,
    after(ms, fire) {
      due = { at: now + ms, fire };
      return () => {
        due = undefined;
      };
    },
  };
  const overload = createOverload(clock);
  return {
    overload,
    isWatched: () => due !== undefined,
    /** The time goes on within a turn. */
    work(ms: number) {
      now += ms;
    },
    turn() {
      if (due !== undefined && due.at <= now) due.fire();
    },
    turns(count: number, ms: number) {
      for (let turn = 0; turn < count; turn += 1) {
        this.work(ms);
        this.turn();
      }
    },
  };
}

const enter = ({ overload }: ReturnType<typeof loop>, count: number) =>
  Array.from({ length: count }, () => overload.enter());

describe('a process with more requests than it can answer', () => {
  it('a process refuses requests that arrive late in a turn, once its event loop has been late for a second', () => {
    const process = loop();
    enter(process, 64);
    process.turns(3, 400);
    assert.equal(process.overload.refuses(), false, 'not late in this turn');
    process.work(101);
    assert.equal(process.overload.refuses(), true);
  });

  it('a process does not refuse a burst that is answered within a second', () => {
    const process = loop();
    enter(process, 1_000);
    process.turns(2, 400);
    process.work(200);
    assert.equal(process.overload.refuses(), false);
  });

  it('a process does not refuse the few requests that suffer from something else', () => {
    const process = loop();
    const [first] = enter(process, 64);
    process.turns(5, 400);
    process.work(400);
    first?.();
    assert.equal(process.overload.refuses(), false);
    enter(process, 1);
    assert.equal(process.overload.refuses(), true);
  });

  it('a process is calm again when it has refused nothing for five seconds', () => {
    const process = loop();
    enter(process, 64);
    process.turns(5, 400);
    process.work(200);
    assert.equal(process.overload.refuses(), true);
    process.turn();
    process.turns(99, 50);
    process.work(120);
    assert.equal(process.overload.refuses(), false);
    process.overload.stop();
    assert.equal(process.isWatched(), false);
  });
});
