import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { turnedClock } from '../../core/clock.ts';
import { AppError } from '../../core/errors.ts';
import { systemRandom } from '../../core/ids.ts';
import { silentLog } from '../../core/log.ts';
import { ownMoments } from '../../db/moments.ts';
import { createUntilStored } from '../../db/until-stored.ts';
import { createLane } from './lane.ts';

const entry = { account: 1, vendor: 'v', deviceId: 'lamp', keyId: 'k', commandJson: '{}' };

describe('a command behind one that hangs', () => {
  it('is refused after 15 seconds, and not sent when its turn comes after that', async () => {
    const clock = turnedClock();
    const store = {
      begin: async () => true,
      finish: async () => undefined,
      withdraw: async () => {},
      giveUpDead: async () => {},
      giveUpAll: async () => {},
    };
    const inLane = createLane({
      store,
      untilStored: createUntilStored({ clock, log: silentLog }),
      moments: ownMoments(clock),
      clock,
      random: systemRandom,
    });
    const sent: string[] = [];
    let answer = () => {};
    const step = (name: string, work: () => Promise<void>) => ({
      work: () => {
        sent.push(name);
        return work();
      },
      look: async () => name,
    });
    const hung = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const first = inLane(
      entry,
      step('first', () => hung),
    );
    const second = inLane(
      entry,
      step('second', async () => {}),
    );
    while (sent.length === 0) await setImmediate();
    clock.turn(15_000);
    await assert.rejects(second, (error) => error instanceof AppError && error.code === 'command.busy');
    answer();
    assert.equal(await first, 'first');
    const third = await inLane(
      entry,
      step('third', async () => {}),
    );
    assert.equal(third, 'third');
    assert.deepEqual(sent, ['first', 'third']);
  });
});
