import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { turnedClock } from '../core/clock.ts';
import { serverMoments } from './moments.ts';

describe("the clock of a database's server", () => {
  const learn = (clock: ReturnType<typeof turnedClock>, moments: ReturnType<typeof serverMoments>) => ({
    /** Reads the clock of a server that is `ahead`; the request takes `there` ms, and the response `back` ms. */
    asked(ahead: number, { there, back }: { readonly there: number; readonly back: number }) {
      const askedAt = clock.now();
      clock.turn(there);
      const serverNow = clock.now() + ahead;
      clock.turn(back);
      moments.learn(serverNow, askedAt);
      return moments.clock.now() - clock.now();
    },
  });

  it("the clock of a database's server is known within half the time that a request takes", () => {
    const clock = turnedClock();
    const { asked } = learn(clock, serverMoments(clock));
    assert.equal(asked(3_600_000, { there: 1, back: 1 }), 3_600_000);
    assert.equal(asked(-3_600_000, { there: 0, back: 40 }), -3_600_020);
    assert.equal(asked(-3_600_000, { there: 1, back: 1 }), -3_600_000);
  });

  it("the clock of a database's server does not jump by what the duration of a request can explain", () => {
    const clock = turnedClock();
    const { asked } = learn(clock, serverMoments(clock));
    assert.equal(asked(0, { there: 0, back: 2_000 }), 0);
    assert.equal(asked(3, { there: 10, back: 10 }), 0);
    assert.equal(asked(30, { there: 10, back: 10 }), 30);
    assert.equal(asked(30, { there: 500, back: 0 }), 30);
  });
});
