import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { dueMs, endsAt, givenUpAt, nextStep, type Planned, retryMs } from './plan.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const SENT = 1_000_000_000;

/** One that is in force, and that the device keeps. */
const held = (changes: Partial<Planned> = {}): Planned => ({
  ...{ state: 'held', isInDoubt: false, renewedAt: SENT, until: null },
  ...{ endsByItself: false, revertMs: null, releasingSince: null },
  ...changes,
});
const releasing = (changes: Partial<Planned> = {}): Planned =>
  held({ state: 'releasing', releasingSince: SENT + MINUTE, ...changes });

describe('the next step of a set-point', () => {
  it('the next step of a set-point is its renewal, until three minutes have passed since the last one', () => {
    assert.deepEqual(nextStep(held(), SENT + 3 * MINUTE), { step: 'renew' });
    assert.deepEqual(nextStep(held(), SENT + 3 * MINUTE + 1), { step: 'release', reason: 'lapsed' });
  });

  it('the next step of a set-point is its renewal for longer where the timer of the device is longer', () => {
    const slow = held({ revertMs: 10 * MINUTE });
    assert.deepEqual(nextStep(slow, SENT + 10 * MINUTE), { step: 'renew' });
    assert.deepEqual(nextStep(slow, SENT + 10 * MINUTE + 1), { step: 'release', reason: 'lapsed' });
    assert.deepEqual(nextStep(held({ revertMs: MINUTE }), SENT + 2 * MINUTE), { step: 'renew' });
  });

  it('the next step of a set-point is its release when its time is over', () => {
    const short = held({ until: SENT + MINUTE });
    assert.deepEqual(nextStep(short, SENT + MINUTE - 1), { step: 'renew' });
    assert.deepEqual(nextStep(short, SENT + MINUTE), { step: 'release', reason: 'over' });
  });

  it('the next step of a set-point is to wait for a device that ends it by itself, and then nothing', () => {
    const timed = held({ until: SENT + 10 * MINUTE, endsByItself: true });
    assert.deepEqual(nextStep(timed, SENT + 4 * MINUTE), { step: 'wait', ms: 6 * MINUTE });
    assert.deepEqual(nextStep(timed, SENT + 10 * MINUTE), { step: 'forget', isAbandoned: false });
  });

  it('the next step of a set-point is nothing for one that was paused and not taken up again: it was released then', () => {
    const paused = held({ state: 'paused' });
    assert.deepEqual(nextStep(paused, SENT + MINUTE), { step: 'renew' });
    assert.deepEqual(nextStep(paused, SENT + 4 * MINUTE), { step: 'forget', isAbandoned: false });
  });

  it('the next step of a set-point is its release where nobody knows what became of a command, whatever else is so', () => {
    for (const state of ['sending', 'held', 'releasing'] as const)
      assert.deepEqual(nextStep(held({ state, isInDoubt: true, endsByItself: true, until: SENT }), SENT), {
        step: 'release',
        reason: 'unknown',
      });
  });

  it('the next step of a set-point is its release again for a day, and then to give it up', () => {
    assert.deepEqual(nextStep(releasing(), SENT + MINUTE + DAY - 1), { step: 'release', reason: undefined });
    assert.deepEqual(nextStep(releasing(), SENT + MINUTE + DAY), { step: 'forget', isAbandoned: true });
  });

  it('the next step of a set-point is its release only until the device has ended it by itself', () => {
    const timer = releasing({ revertMs: 5 * MINUTE });
    assert.deepEqual(nextStep(timer, SENT + 5 * MINUTE - 1), { step: 'release', reason: undefined });
    assert.deepEqual(nextStep(timer, SENT + 5 * MINUTE), { step: 'forget', isAbandoned: false });
  });

  it('the next step of a set-point is the deletion of its link when it was released', () => {
    assert.deepEqual(nextStep(held({ state: 'released', isInDoubt: true }), SENT), { step: 'unlink' });
  });
});

describe('the moments of a set-point', () => {
  it('the moments of a set-point end at the device by its own time, by its timer, or never', () => {
    assert.equal(endsAt(held({ until: SENT + MINUTE, endsByItself: true, revertMs: 5 })), SENT + MINUTE);
    assert.equal(endsAt(held({ until: SENT + MINUTE, revertMs: 2 * MINUTE })), SENT + 2 * MINUTE);
    assert.equal(endsAt(held({ until: SENT + MINUTE })), undefined);
  });

  it('the moments of a set-point are given up a day after the release began', () => {
    assert.equal(givenUpAt(releasing()), SENT + MINUTE + DAY);
    assert.equal(givenUpAt(held()), SENT + DAY);
    assert.equal(givenUpAt(releasing({ revertMs: 5 * MINUTE })), SENT + 5 * MINUTE);
  });

  it('the moments of a set-point come every minute where it is kept, else after a third of the timer, and never after its end', () => {
    assert.equal(dueMs(held(), SENT), MINUTE);
    assert.equal(dueMs(held({ revertMs: 90 * SECOND }), SENT), 30 * SECOND);
    assert.equal(dueMs(held({ until: SENT + 10 * SECOND }), SENT), 10 * SECOND);
    assert.equal(dueMs(held({ until: SENT + 10 * SECOND }), SENT + MINUTE), 0);
    assert.equal(dueMs(held({ until: SENT + 5 * MINUTE, endsByItself: true }), SENT), 5 * MINUTE);
  });

  it('the moments of a set-point of retries come after 5 s, doubled up to a renewal, or to 5 minutes of a release', () => {
    const waits = (of: Planned) => [1, 2, 3, 4, 5, 20].map((failures) => retryMs(of, failures) / SECOND);
    assert.deepEqual(waits(held()), [5, 10, 20, 40, 60, 60]);
    assert.deepEqual(waits(held({ revertMs: 30 * SECOND })), [5, 10, 10, 10, 10, 10]);
    assert.deepEqual(waits(releasing()), [5, 10, 20, 40, 80, 300]);
  });
});

describe('any set-point', () => {
  const planned = fc.record({
    state: fc.constantFrom('sending', 'held', 'paused', 'releasing', 'released'),
    isInDoubt: fc.boolean(),
    renewedAt: fc.integer({ min: SENT, max: SENT + DAY }),
    until: fc.option(fc.integer({ min: SENT, max: SENT + DAY })),
    endsByItself: fc.boolean(),
    revertMs: fc.option(fc.integer({ min: SECOND, max: 60 * MINUTE })),
    releasingSince: fc.option(fc.integer({ min: SENT, max: SENT + DAY })),
  }) satisfies fc.Arbitrary<Planned>;

  it('any set-point is never renewed after a gateway may have released it, nor after its end', () => {
    fc.assert(
      fc.property(planned, fc.integer({ min: 0, max: 2 * DAY }), (of, later) => {
        const now = SENT + later;
        if (nextStep(of, now).step !== 'renew') return;
        assert.ok(now - of.renewedAt <= Math.max(3 * MINUTE, of.revertMs ?? 0));
        assert.ok(of.until === null || now < of.until);
        assert.ok(!of.isInDoubt && of.state !== 'releasing');
      }),
    );
  });

  it('any set-point that the device keeps is not forgotten before a release was tried for a day', () => {
    fc.assert(
      fc.property(planned, fc.integer({ min: 0, max: 3 * DAY }), (of, later) => {
        const kept = { ...of, endsByItself: false, revertMs: null };
        const now = SENT + later;
        if (nextStep(kept, now).step !== 'forget' || kept.state === 'paused') return;
        assert.ok(now - (kept.releasingSince ?? kept.renewedAt) >= DAY);
      }),
    );
  });
});
