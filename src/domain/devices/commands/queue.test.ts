import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { turnedClock } from '../../../core/clock.ts';
import { AppError } from '../../../core/errors.ts';
import { systemRandom } from '../../../core/ids.ts';
import { silentLog } from '../../../core/log.ts';
import { ownMoments } from '../../../db/moments.ts';
import { createUntilStored } from '../../../db/until-stored.ts';
import { createCommandQueue } from './queue.ts';

const entry = { account: 1, vendor: 'v', deviceId: 'lamp', keyId: 'k', commandJson: '{}' };

describe('a command behind one that hangs', () => {
  it('a command behind one that hangs is refused after 15 seconds, and not sent when its turn comes after that', async () => {
    const clock = turnedClock();
    const store = {
      begin: async () => true,
      finish: async () => undefined,
      withdraw: async () => {},
      giveUpDead: async () => {},
      giveUpAll: async () => {},
    };
    const inQueue = createCommandQueue({
      store,
      untilStored: createUntilStored({ clock, log: silentLog }),
      moments: ownMoments(clock),
      clock,
      random: systemRandom,
    });
    const sent: string[] = [];
    let answer = () => {};
    const step = (name: string, work: () => Promise<void>) => ({
      begun: async () => {},
      work: () => {
        sent.push(name);
        return work();
      },
      look: async () => name,
    });
    const hung = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const first = inQueue(
      entry,
      step('first', () => hung),
    );
    const second = inQueue(
      entry,
      step('second', async () => {}),
    );
    while (sent.length === 0) await setImmediate();
    clock.turn(15_000);
    await assert.rejects(second, (error) => error instanceof AppError && error.code === 'command.busy');
    answer();
    assert.equal(await first, 'first');
    const third = await inQueue(
      entry,
      step('third', async () => {}),
    );
    assert.equal(third, 'third');
    assert.deepEqual(sent, ['first', 'third']);
  });
});

describe('the note that a request begins', () => {
  const notes: string[] = [];
  const begun = Object.assign(async () => void notes.push('begun'), {
    takeBack: () => void notes.push('taken back'),
  });
  const queueOf = (begin: () => Promise<boolean>) => {
    const clock = turnedClock();
    notes.length = 0;
    return createCommandQueue({
      store: {
        begin: () => {
          notes.push('entered');
          return begin();
        },
        finish: async () => undefined,
        withdraw: async () => {},
        giveUpDead: async () => {},
        giveUpAll: async () => {},
      },
      untilStored: createUntilStored({ clock, log: silentLog }),
      moments: ownMoments(clock),
      clock,
      random: systemRandom,
    });
  };
  const look = async () => 'seen';

  it('the note that a request begins is kept before the command is entered, and stays where it was sent', async () => {
    const inQueue = queueOf(async () => true);
    const work = async (sent: () => void) => {
      sent();
      throw new AppError('vendor.refused', 'no');
    };
    await assert.rejects(inQueue(entry, { begun, work, look }), { code: 'vendor.refused' });
    assert.deepEqual(notes, ['begun', 'entered']);
  });

  it('the note that a request begins is taken back where the command was not entered, or was entered and not sent', async () => {
    const full = new AppError('database.full', 'full');
    const unentered = queueOf(() => Promise.reject(full));
    await assert.rejects(unentered(entry, { begun, work: async () => {}, look }), { code: 'database.full' });
    assert.deepEqual(notes, ['begun', 'entered', 'taken back']);
    const unsent = queueOf(async () => true);
    const work = () => Promise.reject(new AppError('device.not_found', 'gone'));
    await assert.rejects(unsent(entry, { begun, work, look }), { code: 'device.not_found' });
    assert.deepEqual(notes, ['begun', 'entered', 'taken back']);
  });
});
